"""How confirm runs: its options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from omnilint.config.confirming import amount
from omnilint.confirm.cache import Cache, default_folder
from omnilint.confirm.host import Worker
from omnilint.confirm.observe import Limits
from omnilint.confirm.pool import Pool

# JAX's name for a platform, where people say another; the CPU stays there for what a program's host side needs.
_PLATFORMS = {"gpu": "cuda,cpu", "cuda": "cuda,cpu", "rocm": "rocm,cpu", "tpu": "tpu,cpu", "metal": "METAL,cpu"}


def _silent(line: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class ConfirmOptions:
    """How confirm runs: limits of one run, where JAX may compute, how to import, what is kept.

    `backend`: "all" proves on the CPU and compiles on every backend that is there; another word of BACKENDS
    does both on that one. `importing`: "whole" imports modules as Python does; "slice" leaves out what fails
    and what only a script would do; "auto" does so for modules that can't be imported whole. `compiling`:
    whether jitted functions are compiled and compared with eager runs (XLA). `command`: a run of the user's
    to take verdicts from, for at most `command_seconds`. `proving_fixes`: whether repairs that are only offered
    are proven too. `inputs`: hints, by the dotted name of a function.
    `tell` gets the line that announces that code is about to run; `pool` holds the workers of the run.
    """

    limits: Limits = field(default_factory=Limits)
    backend: str = "all"
    importing: str = "auto"
    cache: Path | None = field(default_factory=default_folder)
    compiling: bool = True
    command: str | None = None
    command_seconds: float = 600.0
    proving_fixes: bool = True
    inputs: Mapping[str, str] = field(default_factory=dict)
    tell: Callable[[str], None] = _silent
    pool: Pool = field(default_factory=Pool)

    @property
    def platforms(self) -> str | None:
        """The platforms that proofs may use, as JAX wants to be told; None leaves it to the default, the CPU."""
        return None if self.backend in ("all", "cpu") else _PLATFORMS[self.backend]

    @property
    def kept_verdicts(self) -> Cache | None:
        """Where answers are kept, if they are."""
        return Cache(self.cache) if self.cache is not None else None

    def announce(self, worker: Worker) -> None:
        """Say once for each interpreter, before it happens, that code will run, where and within which limits."""
        if worker.python not in self.pool.announced:
            self.pool.announced.add(worker.python)
            self.tell(announcement(worker, self))


def announcement(worker: Worker, options: ConfirmOptions) -> str:
    """The line that says that code will run, by what, where and within which limits."""
    limits = options.limits
    where = f"on {options.platforms}" if options.platforms else "on the CPU"
    return (
        f"confirm runs this code under {worker.python}, jax {worker.jax}, {where}, in processes of its own: "
        f"at most {limits.seconds:g} s and {amount(limits.memory)} a run"
    )
