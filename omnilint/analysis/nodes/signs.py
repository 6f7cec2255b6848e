"""Operators, each as a class without anything in it."""

from __future__ import annotations

from omnilint.analysis.nodes.base import CSTNode


class Add(CSTNode):
    __slots__ = ()


class Subtract(CSTNode):
    __slots__ = ()


class Multiply(CSTNode):
    __slots__ = ()


class Divide(CSTNode):
    __slots__ = ()


class FloorDivide(CSTNode):
    __slots__ = ()


class Modulo(CSTNode):
    __slots__ = ()


class Power(CSTNode):
    __slots__ = ()


class MatrixMultiply(CSTNode):
    __slots__ = ()


class BitAnd(CSTNode):
    __slots__ = ()


class BitOr(CSTNode):
    __slots__ = ()


class BitXor(CSTNode):
    __slots__ = ()


class LeftShift(CSTNode):
    __slots__ = ()


class RightShift(CSTNode):
    __slots__ = ()


class AddAssign(CSTNode):
    __slots__ = ()


class SubtractAssign(CSTNode):
    __slots__ = ()


class MultiplyAssign(CSTNode):
    __slots__ = ()


class DivideAssign(CSTNode):
    __slots__ = ()


class FloorDivideAssign(CSTNode):
    __slots__ = ()


class ModuloAssign(CSTNode):
    __slots__ = ()


class PowerAssign(CSTNode):
    __slots__ = ()


class MatrixMultiplyAssign(CSTNode):
    __slots__ = ()


class BitAndAssign(CSTNode):
    __slots__ = ()


class BitOrAssign(CSTNode):
    __slots__ = ()


class BitXorAssign(CSTNode):
    __slots__ = ()


class LeftShiftAssign(CSTNode):
    __slots__ = ()


class RightShiftAssign(CSTNode):
    __slots__ = ()


class Not(CSTNode):
    __slots__ = ()


class Minus(CSTNode):
    __slots__ = ()


class Plus(CSTNode):
    __slots__ = ()


class BitInvert(CSTNode):
    __slots__ = ()


class And(CSTNode):
    __slots__ = ()


class Or(CSTNode):
    __slots__ = ()


class Equal(CSTNode):
    __slots__ = ()


class NotEqual(CSTNode):
    __slots__ = ()


class LessThan(CSTNode):
    __slots__ = ()


class LessThanEqual(CSTNode):
    __slots__ = ()


class GreaterThan(CSTNode):
    __slots__ = ()


class GreaterThanEqual(CSTNode):
    __slots__ = ()


class Is(CSTNode):
    __slots__ = ()


class IsNot(CSTNode):
    __slots__ = ()


class In(CSTNode):
    __slots__ = ()


class NotIn(CSTNode):
    __slots__ = ()
