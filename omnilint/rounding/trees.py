"""Containers: building them, and changing every leaf of one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any

from omnilint.rounding.values import Const, Record, Seq, Symbol, Value

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine


def record(m: Machine, items: Mapping[Any, Value], depth: int) -> Record:
    """A dict value."""
    key = m.key("dict", *((repr(k), v.key) for k, v in items.items()))
    form = m.key("dict", *((repr(k), v.form) for k, v in items.items()))
    return Record(key=key, form=form, depth=min([depth, *(v.depth for v in items.values())]), items=dict(items))


def name_of(m: Machine, value: Value) -> Hashable:
    """What a value is called as a key of a dict: constants by value, dtypes by the table's name for them."""
    if isinstance(value, Const) and isinstance(value.value, Hashable):
        return value.value
    if isinstance(value, Symbol):
        return m.table.dtypes.get(value.dotted.rpartition(".")[2], value.dotted)
    return ("key", value.key)


def leaves(value: Value) -> list[Value]:
    """The leaves of a tree in JAX's order: dicts by sorted key, None left out."""
    if isinstance(value, Seq):
        return [leaf for v in value.items for leaf in leaves(v)]
    if isinstance(value, Record):
        keys = sorted(value.items) if all(isinstance(k, str) for k in value.items) else list(value.items)
        return [leaf for k in keys for leaf in leaves(value.items[k])]
    return [] if isinstance(value, Const) and value.value is None else [value]


def rebuilt(m: Machine, value: Value, change: Callable[[Value], Value]) -> Value:
    """The same container with `change` applied to each leaf."""
    if isinstance(value, Seq):
        return m.seq([rebuilt(m, v, change) for v in value.items], value.depth, value.open)
    if isinstance(value, Record):
        return record(m, {k: rebuilt(m, v, change) for k, v in value.items.items()}, value.depth)
    return change(value)
