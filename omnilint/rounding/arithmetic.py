"""How arithmetic changes an array: dtype, rounding, exactness. The model behind "the sides can differ by N ulps"."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from omnilint.rounding.frame import Frame
from omnilint.rounding.values import Array, Const, Error, Opaque, Seq, Trail, Value, arrays

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine

RANK = {"bool": 0, "int": 1, "bfloat16": 2, "float16": 2, "float32": 3, "float64": 4}
FLOATS = frozenset({"bfloat16", "float16", "float32", "float64"})
# Functions through which the difference of two values stays recognisable as their distance.
_DISTANCES = "abs absolute square sqrt max amax item float bool norm mean sum asarray array squeeze all any"
DISTANCES = frozenset(_DISTANCES.split())
NORMS = frozenset({"abs", "absolute", "norm"})
# Roundings that are kept apart in one value.
MOST_ERRORS = 24
# A step this large is no finite-difference step.
LARGEST_STEP = 0.1


def default_float(frame: Frame) -> str | None:
    """The dtype that JAX gives Python floats, None when that depends on a switch that was not seen."""
    return {"off": "float32", "on": "float64"}.get(frame.x64)


def dyadic(value: object) -> bool:
    """Whether a number is a small multiple of 1/1024, so that sums and products of such stay exact."""
    if isinstance(value, bool | int):
        return abs(value) <= 1 << 16
    return isinstance(value, float) and math.isfinite(value) and abs(value) <= 4096 and (value * 1024).is_integer()


def nearest(value: float, eps: float) -> float:
    """The closest number of a dtype with this eps (range ignored)."""
    if not value or not math.isfinite(value):
        return value
    spacing = math.ldexp(eps, math.frexp(value)[1] - 1)
    return round(value / spacing) * spacing


def as_array(m: Machine, value: Value, frame: Frame) -> Array:
    """The value seen as an operand: constants and nested lists become arrays, the unknown an array of no library."""
    if isinstance(value, Array):
        return value
    if isinstance(value, Const) and isinstance(value.value, bool | int | float):
        kind = "bool" if isinstance(value.value, bool) else "int" if isinstance(value.value, int) else "float64"
        return Array(
            key=value.key,
            form=value.form,
            depth=value.depth,
            trail=value.trail,
            library="python",
            dtype=kind,
            grid=dyadic(value.value),
            uniform=float(value.value) if abs(value.value) < 1e30 else None,
            edge=(float(value.value), 0.0) if 0 < abs(1 - value.value) < 0.01 else None,
        )
    if isinstance(value, Seq):
        return _stacked(m, value, frame)
    return Array(
        key=value.key,
        form=value.form,
        depth=value.depth,
        trail=value.trail,
        library="unknown",
        dtype=None,
        grid=True,
    )


def _stacked(m: Machine, value: Seq, frame: Frame) -> Array:
    leaves = [as_array(m, leaf, frame) for leaf in arrays(value)]
    if not leaves:
        return Array(key=value.key, form=value.form, depth=value.depth, library="python", dtype="float64", grid=True)
    first = leaves[0]
    worst = max(leaves, key=lambda a: a.noise)
    uniform = first.uniform if all(a.uniform == first.uniform for a in leaves) else None
    libraries = {a.library for a in leaves}
    return Array(
        key=value.key,
        form=value.form,
        depth=min([value.depth, *(a.depth for a in leaves)]),
        trail=next((a.trail for a in leaves if a.trail), None),
        library=next((x for x in ("unknown", "jax", "numpy") if x in libraries), "python"),
        dtype=_widest(leaves),
        errors=worst.errors,
        grid=all(a.grid for a in leaves),
        uniform=uniform,
        operations=max(a.operations for a in leaves),
        bent=max(a.bent for a in leaves),
        traced=any(a.traced for a in leaves),
        staged=any(a.staged for a in leaves),
        edge=min((a.edge for a in leaves if a.edge), key=lambda e: abs(1 - e[0]), default=None),
        tail=max(a.tail for a in leaves),
    )


def _widest(operands: Sequence[Array]) -> str | None:
    known = [a.dtype for a in operands if a.dtype is not None]
    if len(known) < len(operands):
        return None
    best = max(known, key=RANK.__getitem__)
    return "float32" if {"bfloat16", "float16"} <= set(known) and RANK[best] < 3 else best


def promote(operands: Sequence[Array], library: str, frame: Frame, to_float: bool) -> str | None:
    """The result's dtype. With an unknown operand JAX's result is at most as fine as this; NumPy's is unknown."""
    typed = [a for a in operands if a.library != "python"] or list(operands)
    floating = to_float or any(a.dtype in FLOATS for a in operands)
    known = [a for a in typed if a.dtype is not None]
    if library != "jax":
        if len(known) < len(typed):
            return None
        best = _widest(known)
        narrow = [a.dtype for a in typed if a.dtype in FLOATS]
        if floating and best not in FLOATS:
            return "float64"
        # Integers widen NumPy's half floats to double or single; that much detail is "don't know".
        return None if narrow and any(a.dtype == "int" for a in typed) and best in ("float16", "bfloat16") else best
    default = default_float(frame)
    if len(known) < len(typed):
        return default if floating else None
    best = _widest(known)
    if best == "float64" and frame.x64 != "on":
        best = default
    return default if floating and best is not None and best not in FLOATS else best


def entered(m: Machine, operand: Array, dtype: str | None, library: str, node: ast.AST, frame: Frame) -> Array:
    """The operand as an array of `library` with this dtype: what conversion does to its elements."""
    if operand.dtype == dtype and (operand.library == library or dtype is None):
        return operand
    if operand.dtype is None or operand.dtype == dtype:
        return replace(operand, library=library, dtype=dtype)
    errors, edge = operand.errors, operand.edge
    if dtype in FLOATS and RANK[dtype or ""] < RANK.get(operand.dtype, 4):
        eps = m.table.eps[dtype or ""]
        if not operand.grid:
            moved = Error(eps / 2, dtype or "", library == "jax", frame.module, node, "conversion of the input")
            errors = {**errors, m.key("cast", operand.key, dtype): moved}
        if edge is not None:
            edge = (edge[0], abs(nearest(edge[0], eps) - edge[0]) / abs(1 - edge[0]))
    return replace(operand, library=library, dtype=dtype, errors=errors, edge=edge)


def combined(m: Machine, seen: Sequence[Array]) -> dict[int, Error]:
    """The roundings of all operands; beyond a number of them, the small ones as one."""
    errors: dict[int, Error] = {}
    for operand in seen:
        errors.update(operand.errors)
    if len(errors) > MOST_ERRORS:
        ordered = sorted(errors.items(), key=lambda item: -item[1].amount)
        rest = ordered[MOST_ERRORS - 1 :]
        total = math.hypot(*(e.amount for _, e in rest))
        errors = dict(ordered[: MOST_ERRORS - 1])
        errors[m.key("rest", *sorted(k for k, _ in rest))] = replace(rest[0][1], amount=total)
    return errors


def result(
    m: Machine,
    node: ast.AST,
    frame: Frame,
    name: str,
    operands: Sequence[Value],
    *,
    library: str,
    kind: str,
    spread: float,
    dtype: str | None = None,
    text: str = "",
) -> Array:
    """The array that operation `name` gives: rounding of `spread` eps added to that of its operands.

    `dtype` is an explicit one; `kind` is an operation's kind of the table.
    """
    seen = [as_array(m, v, frame) for v in operands]
    to_float = kind in ("smooth", "average", "solve") or name in ("div", "divide", "true_divide")
    if library == "jax" or dtype is None:
        dtype = dtype or promote(seen, library, frame, to_float)
    seen = [
        entered(m, a, dtype, library, node, frame) if a.library != "python" or a.uniform is None else a for a in seen
    ]
    own, grid = _own(name, kind, spread, seen)
    if dtype is not None and dtype not in FLOATS:
        own, grid = 0.0, True
    key = m.key(library, name, *(v.key for v in operands))
    errors = combined(m, seen) if kind != "discrete" else {}
    eps = m.table.eps.get(dtype or "", 0.0)
    if own and eps:
        errors[key] = Error(own * eps, dtype or "", library == "jax", frame.module, node, text)
    edge = next((a.edge for a in seen if a.edge), None)
    tail = max((a.tail for a in seen), default=0.0)
    if edge is not None and name in m.table.near_one and not tail:
        # The functions of the table change by about the relative change of the distance over at most 32.
        tail = edge[1] / 32
    return Array(
        key=key,
        form=m.key(library, name, *(v.form for v in operands)),
        depth=min([frame.depth, *(v.depth for v in operands)]),
        trail=_trail(seen),
        library=library,
        dtype=dtype,
        errors=errors,
        grid=grid,
        uniform=seen[0].uniform if kind == "exact" and len(seen) == 1 else None,
        peak=seen[0].peak if kind == "exact" and len(seen) == 1 else None,
        operations=sum(a.operations for a in seen) + (own > 0),
        bent=sum(a.bent for a in seen) + (own > 0 and kind not in ("exact", "basic", "reduce")),
        traced=library == "jax" or any(a.traced for a in seen),
        staged=any(a.staged for a in seen),
        edge=edge if kind == "exact" or tail else None,
        tail=tail,
        gap=seen[0].gap if seen and name in DISTANCES else None,
        distance=_distance(name, seen[0]) if seen else 0.0,
        scaled=bool(seen) and seen[0].scaled,
    )


def _distance(name: str, operand: Array) -> float:
    """Which power of a distance `name` of the operand is, 0 for none."""
    if name == "square":
        return 2 * (operand.distance or 1.0)
    if name == "sqrt":
        return operand.distance / 2
    return operand.distance or (1.0 if name in NORMS else 0.0)


def _own(name: str, kind: str, spread: float, seen: Sequence[Array]) -> tuple[float, bool]:
    """(eps that the operation itself adds, whether its result stays on the grid)."""
    grid = all(a.grid for a in seen)
    if kind == "exact":
        return 0.0, grid
    if kind == "discrete":
        return 0.0, True
    if kind in ("basic", "reduce"):
        return (0.0, True) if grid and "div" not in name and name != "reciprocal" else (spread, False)
    if kind == "smooth":
        trivial = bool(seen) and all(a.uniform in (0.0, 1.0) for a in seen)
        return (0.0, True) if trivial else (spread, False)
    if kind == "average":
        return (min(spread, 0.5) if grid else spread), False
    return (0.0 if grid else spread), False


def _trail(seen: Sequence[Array]) -> Trail | None:
    return next((a.trail for a in seen if a.trail is not None and a.trail.kind in ("shift", "quotient")), None)


def binary(m: Machine, op: ast.operator, left: Value, right: Value, node: ast.AST, frame: Frame) -> Value:
    """`left op right`."""
    if isinstance(left, Const) and isinstance(right, Const):
        folded = _fold(m, op, left, right)
        if folded is not None:
            return folded
    name, kind, spread = _OPERATORS.get(type(op), ("operator", "unknown", 0.0))
    sides = [as_array(m, left, frame), as_array(m, right, frame)]
    libraries = {a.library for a in sides}
    depth = min(frame.depth, left.depth, right.depth)
    trail = step_trail(op, sides[0], sides[1])
    if kind == "unknown" or ("jax" not in libraries and "unknown" in libraries):
        key = m.key(name, left.key, right.key)
        return Opaque(key=key, form=m.key(name, left.form, right.form), depth=depth, trail=trail)
    library = "jax" if "jax" in libraries else "numpy" if "numpy" in libraries else "python"
    if name == "power" and sides[1].uniform in (1.0, 2.0):
        kind, spread, name = "basic", 0.5, "square"
    if name in ("multiply", "divide"):
        scales = [a.uniform for a in (sides if name == "multiply" else sides[1:])]
        if any(s and math.frexp(abs(s))[0] == 0.5 for s in scales):  # a power of two only moves the exponent
            kind, name = "exact", f"{name} by a power of two"
    value = result(m, node, frame, name, [left, right], library=library, kind=kind, spread=spread)
    bent = value.bent + (name in ("multiply", "divide") and all(a.uniform is None for a in sides))
    value = replace(value, trail=trail, bent=bent)
    if isinstance(op, ast.Sub):
        return replace(value, gap=(left, right), distance=0.0)
    if isinstance(op, ast.Div) and sides[0].gap is not None and sides[0].distance:
        return replace(value, gap=sides[0].gap, distance=sides[0].distance, scaled=True)
    return value


_OPERATORS: dict[type[ast.operator], tuple[str, str, float]] = {
    ast.Add: ("add", "basic", 0.5),
    ast.Sub: ("subtract", "basic", 0.5),
    ast.Mult: ("multiply", "basic", 0.5),
    ast.Div: ("divide", "basic", 0.5),
    ast.Pow: ("power", "smooth", 0.5),
    ast.MatMult: ("matmul", "reduce", 3.0),
    ast.FloorDiv: ("floor_divide", "discrete", 0.0),
    ast.Mod: ("remainder", "basic", 0.5),
}


def _fold(m: Machine, op: ast.operator, left: Const, right: Const) -> Const | None:
    a, b = left.value, right.value
    numbers = isinstance(a, int | float) and isinstance(b, int | float)
    try:
        if isinstance(op, ast.Add) and (numbers or (isinstance(a, str) and isinstance(b, str))):
            value = a + b
        elif not numbers:
            return None
        elif isinstance(op, ast.Sub):
            value = a - b
        elif isinstance(op, ast.Mult):
            value = a * b
        elif isinstance(op, ast.Div):
            value = a / b
        elif isinstance(op, ast.FloorDiv):
            value = a // b
        elif isinstance(op, ast.Pow) and abs(a) < 1e6 and abs(b) < 64:
            value = a**b
        else:
            return None
    except (ArithmeticError, ValueError):
        return None
    if isinstance(value, complex):
        return None
    folded = m.const(value, min(left.depth, right.depth))
    return replace(folded, trail=step_trail(op, left, right))


def step_trail(op: ast.operator, left: Value, right: Value) -> Trail | None:
    """The finite-difference trace that an operator leaves: `x + h`, `f(x + h) - f(x - h)`, `(...) / (2 * h)`."""
    a, b = left.trail, right.trail
    if isinstance(op, ast.Sub) and ((a and a.kind == "shift") or (b and b.kind == "shift")):
        steps = [t.step for t in (a, b) if t is not None and t.kind == "shift"]
        return Trail("delta", max(steps), len(steps))
    size = _step(right)
    if isinstance(op, ast.Add | ast.Sub) and (size or (b and b.kind == "step")):
        step = b.step if b and b.kind == "step" else size
        return Trail("shift", step)
    if isinstance(op, ast.Mult) and not (a or b):
        scale = _step(left) or size
        return Trail("step", scale) if scale else None
    if a and a.kind == "delta" and isinstance(op, ast.Div | ast.Mult):
        number = _number(right)
        if number:
            ratio = number / a.step if isinstance(op, ast.Div) else 1 / (number * a.step)
            if any(math.isclose(ratio, k, rel_tol=1e-6) for k in (1, 2)):
                return Trail("quotient", a.step, a.sides)
    return next((t for t in (a, b) if t is not None and t.kind in ("shift", "quotient")), None)


def _number(value: Value) -> float | None:
    if isinstance(value, Const) and isinstance(value.value, int | float) and abs(value.value) < 1e38:
        return float(value.value)
    return value.uniform if isinstance(value, Array) else None


def _step(value: Value) -> float:
    number = _number(value)
    return abs(number) if number is not None and 0 < abs(number) <= LARGEST_STEP else 0.0
