"""Numerical derivatives: the step of a finite difference as a property of its value."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from omnilint.rounding import asserting
from omnilint.rounding.copying import replace
from omnilint.rounding.dtypes import as_float
from omnilint.rounding.frame import Frame
from omnilint.rounding.table import FiniteDifference
from omnilint.rounding.values import Array, Check, Compared, Const, Seq, Trail, Value

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine


def numerical(
    m: Machine,
    facts: FiniteDifference,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    node: ast.AST,
    frame: Frame,
) -> Value:
    """Call a numerical differentiator of the table: a quotient, or a check of one against a tolerance."""
    bound = dict(zip(facts.parameters, arguments, strict=False)) | dict(keywords)
    depth = min([frame.depth, *(v.depth for v in bound.values())])
    unknown = m.opaque("derivative", id(node), *(v.key for v in bound.values()), depth=depth)
    function, points = bound.get(facts.function), bound.get(facts.arguments)
    step = _number(bound.get(facts.step_parameter), facts.step)
    if function is None or points is None or step is None or "**" in bound:
        return unknown
    listed = points.items if isinstance(points, Seq) and facts.compares and not points.open else (points,)
    value = m.call(function, list(listed), {}, node, frame)
    head = value.items[0] if isinstance(value, Seq) and value.items else value
    if not isinstance(head, Array) or head.library != "jax":
        return unknown
    trail = Trail("quotient", step, facts.sides)
    quotient = replace(head, key=unknown.key, form=unknown.form, depth=depth, trail=trail)
    if not facts.compares:
        return replace(quotient, gap=(quotient, unknown)) if facts.residual else quotient
    given = {m.table.keywords[k]: v for k, v in bound.items() if k in m.table.keywords}
    given = {k: v for k, v in given.items() if not (isinstance(v, Const) and v.value is None)}
    if given:
        exact = replace(head, trail=None, key=m.key("analytic", head.key), form=m.key("analytic", head.form))
        compared = Compared(facts.name, "relative", exact, quotient, given, {"rtol": 0.0, "atol": 0.0}, node, frame)
        key = m.key("check", id(node))
        asserting.asserted(m, Check(key=key, form=key, depth=depth, comparison=compared), frame)
    return m.const(None, depth)


def _number(value: Value | None, default: float) -> float | None:
    if value is None or (isinstance(value, Const) and value.value is None):
        return default
    number = as_float(value.value) if isinstance(value, Const) else None
    return number if number is not None and number > 0 else None
