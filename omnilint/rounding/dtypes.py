"""Dtypes: their order, what promotion makes of them, which numbers they hold exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence

from omnilint.rounding.frame import Frame
from omnilint.rounding.values import Array

# Numbers beyond float32's range say nothing about rounding.
HUGE = 1e38
RANK = {"bool": 0, "int": 1, "bfloat16": 2, "float16": 2, "float32": 3, "float64": 4}


FLOATS = frozenset({"bfloat16", "float16", "float32", "float64"})


def default_float(frame: Frame) -> str | None:
    """The dtype that JAX gives Python floats, None when that depends on a switch that was not seen."""
    return {"off": "float32", "on": "float64"}.get(frame.x64)


def as_float(value: object, below: float = HUGE) -> float | None:
    """A Python number as a float; None for anything else, and for what isn't smaller than a bound."""
    if isinstance(value, int):  # by itself: it may be too large for a float
        return float(value) if abs(value) < int(below) else None
    return value if isinstance(value, float) and abs(value) < below else None


def dyadic(value: object) -> bool:
    """Whether a number is a small multiple of 1/1024, so that sums and products of such stay exact."""
    if isinstance(value, (bool, int)):
        return abs(value) <= 1 << 16
    return isinstance(value, float) and math.isfinite(value) and abs(value) <= 4096 and (value * 1024).is_integer()


def nearest(value: float, eps: float) -> float:
    """The closest number of a dtype with this eps (range ignored)."""
    if not value or not math.isfinite(value):
        return value
    spacing = math.ldexp(eps, math.frexp(value)[1] - 1)
    return round(value / spacing) * spacing


def widest(operands: Sequence[Array]) -> str | None:
    """The dtype that holds them all, None when one is unknown."""
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
        best = widest(known)
        if library == "python" and floating:
            return "float64"  # whatever array a number was taken from
        narrow = [a.dtype for a in typed if a.dtype in FLOATS]
        if floating and best not in FLOATS:
            return "float64"
        # Integers widen NumPy's half floats to double or single; that much detail is "don't know".
        return None if narrow and any(a.dtype == "int" for a in typed) and best in ("float16", "bfloat16") else best
    default = default_float(frame)
    if len(known) < len(typed):
        return default if floating else None
    best = widest(known)
    if best == "float64" and frame.x64 != "on":
        best = default
    return default if floating and best is not None and best not in FLOATS else best
