"""Makers of lowered nodes, and the signs that all of them share."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from omnilint.analysis import nodes as cst
from omnilint.analysis.lowering.fields import FIELDS

Maker = Callable[..., Any]
Put = Callable[[cst.CSTNode, Any], None]
new: Callable[[type[cst.CSTNode]], cst.CSTNode] = object.__new__


def _maker(cls: type[cst.CSTNode]) -> Maker:
    """What makes a node of a class from the values of its fields; most have one to three."""
    put = tuple(getattr(cls, name).__set__ for name in FIELDS.get(cls, ()))
    if len(put) == 1:
        return _one(cls, *put)
    if len(put) == 2:
        return _two(cls, *put)
    return _three(cls, *put) if len(put) == 3 else _many(cls, *put)


def _one(cls: type[cst.CSTNode], first: Put) -> Maker:
    def make(a: Any) -> cst.CSTNode:
        node = new(cls)
        first(node, a)
        return node

    return make


def _two(cls: type[cst.CSTNode], first: Put, second: Put) -> Maker:
    def make(a: Any, b: Any) -> cst.CSTNode:
        node = new(cls)
        first(node, a)
        second(node, b)
        return node

    return make


def _three(cls: type[cst.CSTNode], first: Put, second: Put, third: Put) -> Maker:
    def make(a: Any, b: Any, c: Any) -> cst.CSTNode:
        node = new(cls)
        first(node, a)
        second(node, b)
        third(node, c)
        return node

    return make


def _many(cls: type[cst.CSTNode], *put: Put) -> Maker:
    def make(*values: Any) -> cst.CSTNode:
        node = new(cls)
        for store, value in zip(put, values):  # noqa: B905 - strict costs time, and makers are private
            store(node, value)
        return node

    return make


NEW: dict[type[cst.CSTNode], Maker] = {cls: _maker(cls) for cls in FIELDS}
NAME, ARG, ATTRIBUTE, CALL, ELEMENT = (NEW[c] for c in (cst.Name, cst.Arg, cst.Attribute, cst.Call, cst.Element))
LINE, BLOCK, STRING = NEW[cst.SimpleStatementLine], NEW[cst.IndentedBlock], NEW[cst.SimpleString]


def _signs(*classes: type[cst.CSTNode]) -> list[cst.CSTNode]:
    return [_maker(c)() for c in classes]


ASYNC, DOT = _signs(cst.Asynchronous, cst.Dot)
BINARY: dict[type[ast.operator], cst.CSTNode] = dict(
    zip(
        (
            *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult),
            *(ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift),
        ),
        _signs(
            *(cst.Add, cst.Subtract, cst.Multiply, cst.Divide, cst.FloorDivide, cst.Modulo, cst.Power),
            *(cst.MatrixMultiply, cst.BitAnd, cst.BitOr, cst.BitXor, cst.LeftShift, cst.RightShift),
        ),
        strict=True,
    )
)
AUGMENTED: dict[type[ast.operator], cst.CSTNode] = dict(
    zip(
        BINARY,
        _signs(
            *(cst.AddAssign, cst.SubtractAssign, cst.MultiplyAssign, cst.DivideAssign, cst.FloorDivideAssign),
            *(cst.ModuloAssign, cst.PowerAssign, cst.MatrixMultiplyAssign, cst.BitAndAssign, cst.BitOrAssign),
            *(cst.BitXorAssign, cst.LeftShiftAssign, cst.RightShiftAssign),
        ),
        strict=True,
    )
)
UNARY: dict[type[ast.unaryop], cst.CSTNode] = dict(
    zip((ast.Not, ast.USub, ast.UAdd, ast.Invert), _signs(cst.Not, cst.Minus, cst.Plus, cst.BitInvert), strict=True)
)
COMPARE: dict[type[ast.cmpop], cst.CSTNode] = dict(
    zip(
        (*(ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.IsNot, ast.In, ast.NotIn),),
        _signs(
            *(cst.Equal, cst.NotEqual, cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual),
            *(cst.Is, cst.IsNot, cst.In, cst.NotIn),
        ),
        strict=True,
    )
)
AND, OR = _signs(cst.And, cst.Or)
