"""Which backend a proof ran on: the one that was asked for, or none is given."""

from __future__ import annotations

from typing import Any

from omnilint.confirm.host import Worker, WorkerDied
from omnilint.confirm.interpreter import ConfirmError
from omnilint.confirm.options import ConfirmOptions

# What JAX calls the backend of a process, where its platforms have names of their own.
_GPUS = frozenset({"cuda", "rocm", "gpu"})


def insist(worker: Worker, options: ConfirmOptions) -> None:
    """Raise ConfirmError when the backend that was asked for isn't there: a proof elsewhere is another proof."""
    wanted = options.platforms
    if wanted is None:
        return
    told = _asked(worker)
    if wanted.partition(",")[0] in told.get("backends", {}):
        return
    there = ", ".join(_asked(options.pool.worker(worker.interpreter, options, "any")).get("backends", {}))
    why = str(told.get("problem") or told.get("died") or told).splitlines()[0]
    raise ConfirmError(
        f"--backend {options.backend}: the jax of {worker.python} has no such backend here, "
        f"only {there or 'none that starts'} ({why})"
    )


def same(platform: str, told: str | None) -> bool:
    """Whether a run that JAX says was on `told` was on this platform; not known is not said to be another."""
    if told is None or told.lower() == platform.lower():
        return True
    return platform in _GPUS and told == "gpu"


def _asked(worker: Worker) -> dict[str, Any]:
    try:
        return worker.ask({"op": "backends", "home": [], "seconds": 120.0})
    except WorkerDied as e:
        return {"problem": str(e)}
