"""Loops that make a value anew from what it was: what a step rounds, the next ones may multiply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from omnilint.rounding.copying import replace
from omnilint.rounding.frame import Frame
from omnilint.rounding.trees import leaves, rebuilt
from omnilint.rounding.values import Array, Const, Opaque, Value

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine


def mark_growing(m: Machine, before: Mapping[str, Value], frame: Frame) -> None:
    """Mark the rounding of what a loop changed, where it carries a value on by more than linear arithmetic.

    `before` are the names before the loop, which was run for two of its turns.
    """
    changed = {k: v for k, v in frame.names.items() if before.get(k) is not v}
    if any(_carried(before.get(k), v) for k, v in changed.items()):
        frame.names.update((k, rebuilt(m, v, _marked)) for k, v in changed.items())


def _carried(old: Value | None, new: Value) -> bool:
    if old is None or isinstance(old, (Const, Opaque)):
        return False
    bent = max([v.bent for v in leaves(old) if isinstance(v, Array)], default=None)
    return bent is not None and any(isinstance(v, Array) and v.bent > bent for v in leaves(new))


def _marked(value: Value) -> Value:
    if not isinstance(value, Array) or not value.errors:
        return value
    return replace(value, errors={k: replace(e, grows=True) for k, e in value.errors.items()})
