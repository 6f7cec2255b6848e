"""Where NumPy and Python leave JAX's numbers: floats, indices out of bounds, zero divisors, what leaves 32 bits."""

from __future__ import annotations

import ast

from omnilint.fixes.context import Page

FLOATS = "NumPy computes it in float64, where JAX used float32"
MAYBE_FLOATS = "if these aren't whole numbers, NumPy computes in float64, where JAX used float32"
BOUNDS = "where the index is out of bounds, NumPy raises and JAX didn't"
DIVISOR = "JAX gives a number where the divisor is zero"
NARROW = "what a number beyond its dtype gives depends on the versions of NumPy and JAX"
WRAPS = "in JAX numbers beyond 32 bits wrap around"
_LARGE = 2**15
_SAME_LENGTH = frozenset(f"jax.numpy.{f}" for f in ("array", "asarray", "cumsum", "cumprod", "sort", "argsort"))
_SMALL = 4  # an exponent, or a shift


def literal(node: ast.expr) -> int | None:
    """The whole number that is written there."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = literal(node.operand)
        return None if value is None else -value
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Pow, ast.LShift)):
        base, by = literal(node.left), literal(node.right)
        if base is None or by is None or not 0 <= by <= 64:
            return None
        return base**by if isinstance(node.op, ast.Pow) else base << by
    known = isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool)
    return node.value if known else None  # type: ignore[attr-defined]


def is_nonzero(node: ast.expr) -> bool:
    """Whether a divisor is certainly not zero."""
    floating = isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value != 0
    return bool(literal(node)) or floating


def is_small(node: ast.expr) -> bool:
    """Whether an exponent or a shift is certainly small, and not negative."""
    value = literal(node)
    return value is not None and 0 <= value <= _SMALL


def is_large(node: ast.expr) -> bool:
    """Whether a number is written that takes others out of 32 bits."""
    value = literal(node)
    return value is not None and abs(value) >= _LARGE


def within(page: Page, node: ast.Subscript) -> bool:
    """Whether an index can't be out of bounds where there is an element at all: first or last, or a slice.

    Where there is none, JAX raises as well.
    """
    if isinstance(node.slice, ast.Slice) or (isinstance(node.slice, ast.Constant) and node.slice.value in (None, ...)):
        return True
    index, length = literal(node.slice), _length(page, node.value)
    if index is not None and length is not None:
        return -length <= index < length
    return index in (0, -1)


def _length(page: Page, node: ast.expr) -> int | None:
    """How many elements an array is seen to have."""
    if isinstance(node, ast.Name):
        hit = page.bindings(node)
        value = hit[1][0].value if hit is not None and len(hit[1]) == 1 else None
        return _length(page, value) if value is not None and not isinstance(value, ast.Name) else None
    if isinstance(node, ast.Call):
        keeps = page.dotted(node.func) in _SAME_LENGTH and len(node.args) == 1
        return _length(page, node.args[0]) if keeps else None
    if isinstance(node, (ast.Tuple, ast.List)) and not any(isinstance(e, ast.Starred) for e in node.elts):
        return len(node.elts)
    return None
