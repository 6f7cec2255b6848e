"""Values seen as operands: constants and lists as arrays, arrays in the dtype of the operation."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from omnilint.rounding.copying import replace
from omnilint.rounding.dtypes import FLOATS, RANK, as_float, default_float, dyadic, nearest, widest
from omnilint.rounding.frame import Frame
from omnilint.rounding.trees import rebuilt
from omnilint.rounding.values import Array, Const, Error, Seq, Value, arrays, least

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine

# What the rounding of an input's conversion to a narrower dtype is called.
CONVERSION = "conversion of the input"
# Roundings that are kept apart in one value.
MOST_ERRORS = 24


def as_array(m: Machine, value: Value, frame: Frame) -> Array:
    """The value seen as an operand: constants and nested lists become arrays, the unknown an array of no library."""
    if isinstance(value, Array):
        return value
    if isinstance(value, Const) and isinstance(value.value, (bool, int, float)):
        return _number(m, value)
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


def _number(m: Machine, value: Const) -> Array:
    """A number as an array; the same one each time."""
    at = (value.key, value.form, value.depth, value.trail)
    found = m.numbers.get(at)
    if found is None:
        given = value.value
        kind = "bool" if isinstance(given, bool) else "int" if isinstance(given, int) else "float64"
        number = as_float(given, 1e30)
        found = m.numbers[at] = Array(
            key=value.key,
            form=value.form,
            depth=value.depth,
            trail=value.trail,
            library="python",
            dtype=kind,
            grid=dyadic(given),
            uniform=number,
            peak=None if number is None else abs(number),
            edge=(number, 0.0) if number is not None and 0 < abs(1 - number) < 0.01 else None,
        )
    return found


def _stacked(m: Machine, value: Seq, frame: Frame) -> Array:
    leaves = [as_array(m, leaf, frame) for leaf in arrays(value)]
    if not leaves:
        return Array(key=value.key, form=value.form, depth=value.depth, library="python", dtype="float64", grid=True)
    first = leaves[0]
    noisy = [a for a in leaves if a.errors]
    uniform = first.uniform if all(a.uniform == first.uniform for a in leaves) else None
    libraries = {a.library for a in leaves}
    return Array(
        key=value.key,
        form=value.form,
        depth=least(value.depth, leaves),
        trail=next((a.trail for a in leaves if a.trail), None),
        library=next((x for x in ("unknown", "jax", "numpy") if x in libraries), "python"),
        dtype=widest(leaves),
        errors=max(noisy, key=lambda a: a.noise).errors if noisy else {},
        grid=all(a.grid for a in leaves),
        uniform=uniform,
        held=first.held if all(a.held == first.held for a in leaves) else None,
        peak=max((a.peak for a in leaves if a.peak is not None), default=None) if len(leaves) < 64 else None,
        fuses=any(a.fuses for a in leaves),
        wavers=any(a.wavers for a in leaves),
        steep=any(a.steep for a in leaves),
        bent=max([a.bent for a in leaves]),
        traced=any(a.traced for a in leaves),
        staged=any(a.staged for a in leaves),
        edge=min((a.edge for a in leaves if a.edge), key=lambda e: abs(1 - e[0]), default=None),
        tail=max([a.tail for a in leaves]),
    )


def entered(m: Machine, operand: Array, dtype: str | None, library: str, node: ast.AST, frame: Frame) -> Array:
    """The operand as an array of `library` with this dtype: what conversion does to its elements."""
    if operand.dtype == dtype and (operand.library == library or dtype is None):
        return operand
    if operand.dtype is None or operand.dtype == dtype:
        return replace(operand, library=library, dtype=dtype)
    errors, edge = operand.errors, operand.edge
    held: str | None = operand.held or operand.dtype
    if held not in FLOATS or dtype not in FLOATS:
        held = None
    if dtype in FLOATS and RANK[dtype or ""] < RANK.get(operand.dtype, 4):
        eps = m.table.eps[dtype or ""]
        if not operand.grid and RANK[dtype or ""] < RANK.get(held or operand.dtype, 4):
            moved = Error(eps / 2, dtype or "", library == "jax", frame.module, node, CONVERSION)
            errors = {**errors, m.key("cast", operand.key, dtype): moved}
        if edge is not None:
            edge = (edge[0], abs(nearest(edge[0], eps) - edge[0]) / abs(1 - edge[0]))
    if held is not None and RANK[dtype or ""] < RANK[held]:
        held = dtype
    return replace(operand, library=library, dtype=dtype, errors=errors, edge=edge, held=held)


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
        errors[m.key("rest", *sorted(k for k, _ in rest))] = replace(
            rest[0][1], amount=total, grows=any(e.grows for _, e in rest)
        )
    return errors


def traced(m: Machine, value: Value, fold: bool, node: ast.AST, frame: Frame) -> Value:
    """An argument as a transformed function sees it: NumPy arrays become JAX's.

    `fold`: so do Python floats; under jit they may be static arguments and stay what they are.
    """

    def leaf(v: Value) -> Value:
        number = isinstance(v, Const) and isinstance(v.value, float) and fold
        if number or (isinstance(v, Array) and v.library == "numpy"):
            array = as_array(m, v, frame)
            dtype = default_float(frame) if array.dtype == "float64" else array.dtype
            return replace(entered(m, array, dtype, "jax", node, frame), traced=True)
        return v

    return rebuilt(m, value, leaf)
