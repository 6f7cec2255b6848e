"""The trace that a finite difference leaves: a moved point, a difference, its quotient by the step."""

from __future__ import annotations

import ast
import math

from omnilint.rounding.dtypes import as_float
from omnilint.rounding.values import Array, Const, Trail, Value

# A step this large is no finite-difference step.
LARGEST_STEP = 0.1


def step_trail(op: ast.operator, left: Value, right: Value) -> Trail | None:
    """The finite-difference trace that an operator leaves: `x + h`, `f(x + h) - f(x - h)`, `(...) / (2 * h)`."""
    a, b = left.trail, right.trail
    if isinstance(op, ast.Sub) and ((a and a.kind == "shift") or (b and b.kind == "shift")):
        steps = [t.step for t in (a, b) if t is not None and t.kind == "shift"]
        return Trail("delta", max(steps), len(steps))
    size = _step(right)
    if isinstance(op, (ast.Add, ast.Sub)) and (size or (b and b.kind == "step")):
        step = b.step if b and b.kind == "step" else size
        return Trail("shift", step)
    if isinstance(op, ast.Mult) and not (a or b):
        scale = _step(left) or size
        return Trail("step", scale) if scale else None
    if a and a.kind == "delta" and isinstance(op, (ast.Div, ast.Mult)):
        number = _number(right)
        if number:
            ratio = number / a.step if isinstance(op, ast.Div) else 1 / (number * a.step)
            if any(math.isclose(ratio, k, rel_tol=1e-6) for k in (1, 2)):
                return Trail("quotient", a.step, a.sides)
    return next((t for t in (a, b) if t is not None and t.kind in ("shift", "quotient")), None)


def _number(value: Value) -> float | None:
    if isinstance(value, Const):
        return as_float(value.value)
    return value.uniform if isinstance(value, Array) else None


def _step(value: Value) -> float:
    number = _number(value)
    return abs(number) if number is not None and 0 < abs(number) <= LARGEST_STEP else 0.0
