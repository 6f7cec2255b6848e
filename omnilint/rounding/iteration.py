"""Python's own functions on containers: building, pairing, folding and counting them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from omnilint.rounding.binding import elements
from omnilint.rounding.frame import Frame
from omnilint.rounding.values import Check, Const, Function, Partial, Seq, Symbol, Value, Wrapped

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine

# Elements of a long container that a function is called with.
CALLED = 8


def call(m: Machine, dotted: str, arguments: Sequence[Value], node: ast.AST, frame: Frame) -> Value | None:
    """The value of calling a function of Python's on containers, None for anything else."""
    known = _FUNCTIONS.get(dotted)
    return known(m, arguments, node, frame) if known is not None and arguments else None


def _range(m: Machine, arguments: Sequence[Value], node: ast.AST, frame: Frame) -> Value | None:
    bounds = [v.value for v in arguments if isinstance(v, Const) and isinstance(v.value, int)]
    if len(bounds) != len(arguments) or len(bounds) > 3 or bounds[2:] == [0]:
        return None
    steps = range(*bounds)
    return m.seq([m.const(i, frame.depth) for i in steps[:9]], frame.depth, is_open=len(steps) > 9)


def _same(m: Machine, arguments: Sequence[Value], node: ast.AST, frame: Frame) -> Value | None:
    return elements(m, arguments[0], frame)


def _zip(m: Machine, arguments: Sequence[Value], node: ast.AST, frame: Frame) -> Value | None:
    sequences = [held for v in arguments if (held := elements(m, v, frame)) is not None]
    if len(sequences) < len(arguments):
        return None
    groups = zip(*(v.items for v in sequences), strict=False)
    return m.seq([m.seq(g, frame.depth) for g in groups], frame.depth, any(v.open for v in sequences))


def _enumerate(m: Machine, arguments: Sequence[Value], node: ast.AST, frame: Frame) -> Value | None:
    first = elements(m, arguments[0], frame)
    if first is None:
        return None
    if first is not arguments[0] and first.open:  # an array: the example stands for any of its rows
        index = m.opaque("index", id(node), depth=frame.depth)
        return m.seq([m.seq([index, *first.items], frame.depth)], frame.depth, is_open=True)
    items = [m.seq([m.const(i, frame.depth), v], frame.depth) for i, v in enumerate(first.items)]
    return m.seq(items, frame.depth, first.open)


def _map(m: Machine, arguments: Sequence[Value], node: ast.AST, frame: Frame) -> Value | None:
    sequences = [held for v in arguments[1:] if (held := elements(m, v, frame)) is not None]
    if not isinstance(arguments[0], (Function, Partial, Wrapped, Symbol)) or len(sequences) < len(arguments) - 1:
        return None
    rest = [v.items for v in sequences]
    found = [m.call(arguments[0], group, {}, node, frame) for group in list(zip(*rest, strict=False))[:CALLED]]
    return m.seq(found, frame.depth, is_open=True)


def _reduce(m: Machine, arguments: Sequence[Value], node: ast.AST, frame: Frame) -> Value | None:
    function, listed = arguments[0], arguments[1] if len(arguments) > 1 else None
    if not isinstance(function, (Function, Partial, Wrapped)) or not isinstance(listed, Seq):
        return None
    operands = [*arguments[2:], *listed.items]
    folded = operands[0] if operands else None
    for value in operands[1:CALLED]:
        assert folded is not None
        folded = m.call(function, [folded, value], {}, node, frame)
    return folded


def _all(m: Machine, arguments: Sequence[Value], node: ast.AST, frame: Frame) -> Value | None:
    return arguments[0] if isinstance(arguments[0], (Check, Seq)) else None


def _all_elements(m: Machine, arguments: Sequence[Value], node: ast.AST, frame: Frame) -> Value | None:
    return arguments[0] if isinstance(arguments[0], Check) else None


def _len(m: Machine, arguments: Sequence[Value], node: ast.AST, frame: Frame) -> Value | None:
    first = arguments[0]
    return m.const(len(first.items), frame.depth) if isinstance(first, Seq) and not first.open else None


_FUNCTIONS: dict[str, Callable[[Machine, Sequence[Value], ast.AST, Frame], Value | None]] = {
    "builtins.range": _range,
    "builtins.list": _same,
    "builtins.tuple": _same,
    "builtins.iter": _same,
    "builtins.reversed": _same,
    "builtins.sorted": _same,
    "builtins.zip": _zip,
    "builtins.enumerate": _enumerate,
    "builtins.map": _map,
    "builtins.all": _all,
    "builtins.bool": _all,
    "builtins.len": _len,
    "functools.reduce": _reduce,
    "numpy.all": _all_elements,
    "jax.numpy.all": _all_elements,
}
