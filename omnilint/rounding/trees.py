"""Containers: building them, and changing every leaf of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from omnilint.rounding.values import Record, Seq, Value

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine


def record(m: Machine, items: Mapping[Any, Value], depth: int) -> Record:
    """A dict value."""
    key = m.key("dict", *((repr(k), v.key) for k, v in items.items()))
    form = m.key("dict", *((repr(k), v.form) for k, v in items.items()))
    return Record(key=key, form=form, depth=min([depth, *(v.depth for v in items.values())]), items=dict(items))


def rebuilt(m: Machine, value: Value, change: Callable[[Value], Value]) -> Value:
    """The same container with `change` applied to each leaf."""
    if isinstance(value, Seq):
        return m.seq([rebuilt(m, v, change) for v in value.items], value.depth, value.open)
    if isinstance(value, Record):
        return record(m, {k: rebuilt(m, v, change) for k, v in value.items.items()}, value.depth)
    return change(value)
