"""The signs that all lowered nodes share."""

from __future__ import annotations

import ast
from collections.abc import Callable

from omnilint.analysis import nodes as cst


def _signs(*classes: Callable[[], cst.CSTNode]) -> list[cst.CSTNode]:
    return [c() for c in classes]


ASYNC, DOT = cst.Asynchronous(), cst.Dot()
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
