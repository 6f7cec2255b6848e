"""How arithmetic changes an array: rounding, exactness, distance. The model behind "they can differ by N ulps"."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from omnilint.rounding.copying import replace
from omnilint.rounding.dtypes import FLOATS, promote
from omnilint.rounding.frame import Frame
from omnilint.rounding.operands import as_array, combined, entered
from omnilint.rounding.steps import step_trail
from omnilint.rounding.table import Fusion
from omnilint.rounding.values import Array, Const, Error, Opaque, Trail, Value, least

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine

# Functions through which the difference of two values stays recognisable as their distance.
_DISTANCES = "abs absolute fabs square sqrt max amax item float bool norm mean sum asarray array squeeze all any"


DISTANCES = frozenset(_DISTANCES.split())


# Sizes beyond this are not followed: they are guesses by then.
LARGEST_SIZE = 1e12
NORMS = frozenset({"abs", "absolute", "fabs", "norm"})


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
    by = computed_by(library, kind, dtype)
    key, form = m.keys((by, name), operands)
    errors = combined(m, seen) if kind != "discrete" else {}
    eps = m.table.eps.get(dtype or "", 0.0)
    if own and eps:
        errors[key] = Error(own * eps, dtype or "", library == "jax", frame.module, node, text)
    first = seen[0] if seen else None
    sole = first if len(seen) == 1 else None
    last, fuses = sole.last if sole else "", True in [a.fuses for a in seen]
    if own:
        last = _last(name, seen)
        fuses = fuses or _fuses(last, seen, m.table.fusion)
    edge = next((a.edge for a in seen if a.edge), None)
    tail = max([a.tail for a in seen], default=0.0)
    if edge is not None and name in m.table.near_one and not tail:
        # The functions of the table change by about the relative change of the distance over at most 32.
        tail = edge[1] / 32
    return Array(
        key=key,
        form=form,
        depth=least(frame.depth, operands),
        trail=_trail(seen),
        library=library,
        dtype=dtype,
        errors=errors,
        grid=grid,
        uniform=sole.uniform if sole and kind == "exact" else None,
        peak=_peak(name, kind, seen),
        bent=sum([a.bent for a in seen]) + (own > 0 and kind not in ("exact", "basic", "reduce")),
        traced=library == "jax" or True in [a.traced for a in seen],
        staged=True in [a.staged for a in seen],
        last=last,
        fuses=fuses,
        wavers=_wavers(name, seen, m.table.fusion) or True in [a.wavers for a in seen],
        steep=name in m.table.fusion.steep or True in [a.steep for a in seen],
        edge=edge if kind == "exact" or tail else None,
        tail=tail,
        gap=first.gap if first and name in DISTANCES else None,
        held=sole.held if sole and kind == "exact" else None,
        sized=_sized(name, first) if first else None,
        distance=_distance(name, first) if first else 0.0,
        scaled=first is not None and first.scaled,
    )


def _peak(name: str, kind: str, seen: Sequence[Array]) -> float | None:
    """The largest size of the result's elements, where the operands' tell it."""
    sizes = [a.peak for a in seen if a.peak is not None]
    if len(sizes) < len(seen) or max(sizes, default=0.0) > LARGEST_SIZE:
        return None
    if len(sizes) == 2 and name in ("multiply", "add"):
        return sizes[0] * sizes[1] if name == "multiply" else sizes[0] + sizes[1]
    if sizes and name == "square":
        return sizes[0] * sizes[0]
    if len(sizes) == 1 and name == "sqrt":
        return math.sqrt(sizes[0])
    return sizes[0] if kind == "exact" and len(seen) == 1 else None


def computed_by(library: str, kind: str, dtype: str | None) -> str:
    """What decides an operation's bits: its library, or its dtype alone where rounding is prescribed."""
    return str(dtype) if kind in ("exact", "basic") else library


def _last(name: str, seen: Sequence[Array]) -> str:
    sides = seen[1:] if name == "divide" else seen
    constant = name not in ("square", "power") and any(a.library == "python" and a.uniform is not None for a in sides)
    return f"{name} constant" if constant else name


def _fuses(name: str, seen: Sequence[Array], rules: Fusion) -> bool:
    """Whether XLA rounds this operation and the one before it differently when it compiles both."""
    plain, _, constant = name.partition(" ")
    before = {a.last for a in seen}
    if plain in rules.sums and (before & rules.products or (constant and before & rules.quotients)):
        return True
    if plain in rules.weighted and before & rules.products:
        return True
    if plain in ("divide", "div") and len(seen) > 1 and seen[1].last in rules.inverted:
        return True
    return any({name, a.last} <= chain for a in seen for chain in rules.folded)


def _wavers(name: str, seen: Sequence[Array], rules: Fusion) -> bool:
    """Whether, for some inputs, XLA rounds this reduction and what it reduces differently when it compiles both."""
    before = {a.last for a in seen}
    return bool(
        (name in ("sum", "mean", "average") and before & rules.summed) or (name == "var" and before & rules.centred)
    )


def _sized(name: str, operand: Array) -> int | None:
    """The key of the value whose size `name` of the operand is, None when it is the size of none."""
    return (operand.key if operand.sized is None else operand.sized) if name in DISTANCES else None


def is_size_of(value: Array, sides: tuple[Value, Value]) -> bool:
    """Whether a value is one of the two, or a norm of one."""
    return any(side.key in (value.key, value.sized) for side in sides)


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
    # It is new, so it may be changed in place.
    value.trail = trail
    value.bent += name in ("multiply", "divide") and all(a.uniform is None for a in sides)
    if isinstance(op, ast.Sub):
        value.gap, value.distance = (left, right), 0.0
    elif isinstance(op, ast.Div) and sides[0].gap is not None:
        if sides[0].distance or is_size_of(sides[1], sides[0].gap):
            value.gap, value.distance, value.scaled = sides[0].gap, sides[0].distance, True
    elif isinstance(op, ast.Mult):
        share, size = (left, sides[1]) if isinstance(left, Const) else (right, sides[0])
        if isinstance(share, Const) and isinstance(share.value, float):
            value.share, value.sized = share, size.key if size.sized is None else size.sized
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
    numbers = isinstance(a, (int, float)) and isinstance(b, (int, float))
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
    trail = step_trail(op, left, right)
    return folded if trail is None else replace(folded, trail=trail)
