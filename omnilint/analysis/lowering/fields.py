"""What a lowered node holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from omnilint.analysis import nodes as cst

# The attributes that a lowered node has, by class.
FIELDS: dict[type[cst.CSTNode], tuple[str, ...]] = {getattr(cst, name): held for name, held in cst.HOLDS.items()}
_NO_FIELDS: tuple[str, ...] = ()


def parts(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The nodes right below a lowered node, in the order of `FIELDS`."""
    for name in FIELDS.get(type(node), _NO_FIELDS):
        value = getattr(node, name)
        if type(value) is tuple:
            yield from value
        elif value is not None and type(value) is not str:
            yield value


def every(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A lowered node and all below it."""
    todo = [node]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(parts(node))


def same(a: cst.CSTNode, b: cst.CSTNode) -> bool:
    """Do two lowered nodes say the same?"""
    if type(a) is not type(b):
        return False
    return all(_same(getattr(a, f), getattr(b, f)) for f in FIELDS.get(type(a), _NO_FIELDS))


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, cst.CSTNode):
        return isinstance(b, cst.CSTNode) and same(a, b)
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(_same, a, b))
    return bool(a == b)
