"""How confirm runs: its options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from omnilint.confirm.cache import default_folder
from omnilint.confirm.observe import Limits

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
    to take verdicts from. `inputs`: hints, by the dotted name of a function. `tell` gets the line that
    announces that code is about to run.
    """

    limits: Limits = field(default_factory=Limits)
    backend: str = "all"
    importing: str = "auto"
    cache: Path | None = field(default_factory=default_folder)
    compiling: bool = True
    command: str | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    tell: Callable[[str], None] = _silent

    @property
    def platforms(self) -> str | None:
        """The platforms that proofs may use, as JAX wants to be told; None leaves it to the default, the CPU."""
        return None if self.backend in ("all", "cpu") else _PLATFORMS[self.backend]
