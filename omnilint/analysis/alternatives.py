"""Which of several values a name has, and with what that may hang together."""

from __future__ import annotations

from typing import Any

from omnilint.analysis import nodes as cst
from omnilint.analysis.traces import Link
from omnilint.analysis.values import CONSTANT, Const, JaxArray, Static, Value


def hang_together(value: JaxArray, alternatives: tuple[Value, ...]) -> bool:
    """May it depend on what isn't known of the operands whether the value is this one of the alternatives?

    Code that takes NumPy or jax.numpy, by what it is given, gives both of them as alternatives. A
    number that one branch replaces by a staged one is no such choice.
    """
    if value.vague:
        return True
    if value.cause != CONSTANT or value.shaped:
        return False
    return not (all(isinstance(v, JaxArray) or _is_number(v) for v in alternatives) and _is_imported(value.link))


def _is_number(v: Value) -> bool:
    """A plain integer, or what was asked of one."""
    return (isinstance(v, Static) and v.kind in ("int", "bool")) or (isinstance(v, Const) and isinstance(v.value, int))


def _is_imported(link: Link | None) -> bool:
    """Was the value staged by a function of an imported module, not by one of several that a name may stand for?"""
    first = None
    for step in link.chain() if link is not None else ():
        if step.stages:
            first = step
    node: Any = first.node if first is not None else None
    if first is None or not isinstance(node, cst.Call):
        return False
    node = node.func
    while isinstance(node, cst.Attribute):
        node = node.value
    return isinstance(node, cst.Name) and node.value in first.unit.module.imports
