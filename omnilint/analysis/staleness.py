"""Outer state that a compiled function has read, and that the host changed before it called it again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from omnilint.analysis import tracing
from omnilint.analysis.definitions import Instance, Transformed
from omnilint.analysis.events import Event
from omnilint.analysis.interp import Interp
from omnilint.analysis.turns import NumberOfTurn, Turn
from omnilint.analysis.values import Const, JaxArray, Value


def differs(frozen: Value, current: Value) -> bool:
    """Is the value that a trace has frozen certainly another one now?"""
    if isinstance(current, (Turn, NumberOfTurn)):
        return frozen is not current
    if isinstance(frozen, Const) and isinstance(current, Const):
        return bool(frozen.key() != current.key())
    if isinstance(frozen, Instance) and isinstance(current, Instance) and frozen is not current:
        same = frozen.cls is current.cls and frozen.cls.record
        return bool(same) and any(differs(v, current.attrs[k]) for k, v in frozen.attrs.items() if k in current.attrs)
    if isinstance(frozen, JaxArray) and isinstance(current, JaxArray):
        return frozen is not current and not frozen.maybe and not current.maybe
    return isinstance(frozen, Const) and isinstance(current, JaxArray) and not current.maybe


def report(it: Interp, made: Transformed, args: Iterable[Value]) -> None:
    """Events for what `made` was compiled with and what the host has changed since, as it is called with `args`."""
    if it.trace is not None or not made.stale:
        return
    compiled_anew = _has_static_arguments(made) and any(isinstance(v, (Turn, NumberOfTurn)) for v in args)
    for where, (unit, node, statement, label, current) in made.stale.items():
        frozen, read = made.reads[where]
        if compiled_anew or not differs(frozen, current):
            continue
        key = (id(unit), id(node), "stale")
        if key not in it.events:
            data: dict[str, Any] = {"function": tracing.name_of(made.func)}
            if read is not None and read[1] is not None:
                data["read"] = read
            it.events[key] = Event("stale", unit, node, statement, None, None, label, None, True, made.links[0], data)
    made.stale.clear()


def _has_static_arguments(made: Transformed) -> bool:
    return any(name.startswith("static_") for name in made.options)


def forget(it: Interp, compiled: Iterable[Transformed]) -> None:
    """The compiled programs of these functions are thrown away: their next calls see what holds then."""
    for made in compiled:
        made.forget()
        for owners in it.frozen.values():
            if made in owners:
                owners.remove(made)
