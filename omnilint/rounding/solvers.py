"""Linear solvers and factorisations that give several results, and those that take their matrix as a function."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from omnilint.rounding import numbers
from omnilint.rounding.copying import replace
from omnilint.rounding.frame import Frame
from omnilint.rounding.operands import traced
from omnilint.rounding.values import Array, Function, Partial, Symbol, Value, Wrapped

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine

# What the solvers call their matrix and their vector.
OPERANDS = ("A", "b")
_CALLABLES = (Function, Partial, Wrapped, Symbol)


def solved(
    m: Machine,
    name: str,
    library: str,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    node: ast.AST,
    frame: Frame,
    dotted: str,
) -> Value:
    """The results of a function that the table lists as giving several: each rounds as the table says."""
    named = {k: v for k, v in keywords.items() if k not in OPERANDS}
    given = [*arguments, *(keywords[k] for k in OPERANDS[len(arguments) :] if k in keywords)]
    operands = given[:2]
    if library == "jax":
        operands = [traced(m, v, True, node, frame) for v in operands]
    if len(operands) == 2 and isinstance(operands[0], _CALLABLES):
        # A matrix by what it makes of a vector, whatever the function is called.
        operands[0] = m.call(operands[0], [operands[1]], {}, node, frame)
    settings = [v for v in (*given[2:], *named.values()) if not isinstance(v, _CALLABLES)]
    value = numbers.operation(m, name, library, operands, {}, node, frame, dotted, extra=settings)
    if not isinstance(value, Array):
        return value
    return m.seq([_result(m, value, kind, i) for i, kind in enumerate(m.table.results[name])], frame.depth)


def _result(m: Machine, value: Array, kind: str, place: int) -> Value:
    if place == 0 and kind == "own":
        return value
    key, form = m.key("result", value.key, place), m.key("result", value.form, place)
    if kind == "other":
        return m.opaque("result", value.key, place, depth=value.depth)
    if kind == "discrete":
        return replace(value, key=key, form=form, errors={}, grid=True, fuses=False)
    return replace(value, key=key, form=form)
