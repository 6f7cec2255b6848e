"""A condition as an array has it: `a < b < c` in two parts, `and`, `or` and `not` element by element."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from omnilint.fixes.context import Page, Refusal
from omnilint.fixes.homes import ARRAYS
from omnilint.fixes.imports import module_alias
from omnilint.fixes.kinds import kind
from omnilint.fixes.needs import builtin_call
from omnilint.fixes.operands import argument, operand
from omnilint.fixes.static_values import is_number
from omnilint.fixes.text import Span
from omnilint.fixes.twins import twins

_SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


class Condition:
    """How a condition is written for arrays, and the imports that this needs."""

    def __init__(self, page: Page, needed: ast.expr) -> None:
        self.page = page
        self.needed = needed
        self.added: list[Span] = []

    def written(self, node: ast.expr) -> str:
        """The text; refuses what decides in Python, and what must not be computed in every case."""
        inner = builtin_call(self.page, node, "bool")
        if inner is not None and len(inner.args) == 1 and not inner.keywords:
            return self.written(inner.args[0])
        if isinstance(node, ast.Compare):
            return self._compare(node)
        if isinstance(node, ast.BoolOp):
            if not any(n is self.needed for n in ast.walk(node.values[0])):
                raise Refusal("what stands before it decides in Python whether it is computed")
            if not all(is_cheap(self.page, n) for n in node.values[1:]):
                raise Refusal("a part of the condition may not run in every case")
            sign = " & " if isinstance(node.op, ast.And) else " | "
            return sign.join(f"({self._boolean(n)})" for n in node.values)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            alias, added = module_alias(self.page, "jax.numpy")
            self.added += added
            return f"{alias}.logical_not({self.written(node.operand)})"
        if (array := self._array(node)) is not None:
            return array
        return argument(self.page, node)

    def _array(self, node: ast.expr) -> str | None:
        """The array that `float()`, `int()` or `.item()` makes a number of, where that is what a condition compares."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "item":
            return None if node.args or node.keywords else self.page.text.cut(node.func.value)
        call = builtin_call(self.page, node, "float", "int")
        if call is None or len(call.args) != 1 or call.keywords or is_number(self.page, call.args[0]):
            return None
        if isinstance(call.args[0], (ast.Starred, ast.GeneratorExp, ast.NamedExpr)):
            return None
        text = operand(self.page, call.args[0])
        assert isinstance(call.func, ast.Name)
        return f"{text}.astype(int)" if call.func.id == "int" else text

    def _boolean(self, node: ast.expr) -> str:
        """The text of what is true or false, and no other value."""
        inner = builtin_call(self.page, node, "bool")
        if isinstance(node, ast.BoolOp) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
            return self.written(node)
        if kind(self.page, inner.args[0] if inner is not None and inner.args else node).dtype != "bool":
            raise Refusal("whether all parts of the condition are true or false isn't seen")
        return self.written(node)

    def _compare(self, node: ast.Compare) -> str:
        if not all(type(op) in _SIGNS for op in node.ops):
            raise Refusal("`in` and `is` compare in Python")
        arrays = {n: text for n in (node.left, *node.comparators) if (text := self._array(n)) is not None}
        if len(node.ops) == 1:
            return self._cut(node, arrays)
        if not all(is_cheap(self.page, n) for n in node.comparators):
            raise Refusal("a part of the comparison would be computed twice")
        sides = [arrays.get(n) or self._side(n) for n in (node.left, *node.comparators)]
        return " & ".join(f"({a} {_SIGNS[type(op)]} {b})" for a, op, b in zip(sides, node.ops, sides[1:], strict=False))

    def _cut(self, node: ast.expr, parts: Mapping[ast.expr, str]) -> str:
        """The text of an expression, with other texts in the places of parts of it."""
        start, end = self.page.text.span(node)
        text, at = "", start
        for part, written in sorted(parts.items(), key=lambda entry: self.page.text.span(entry[0])):
            first, last = self.page.text.span(part)
            text, at = text + self.page.text.text[at:first] + written, last
        return text + self.page.text.text[at:end]

    def _side(self, node: ast.expr) -> str:
        text = self.page.text.cut(node)
        loose = (ast.Compare, ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr, ast.UnaryOp)
        return f"({text})" if isinstance(node, loose) and not isinstance(getattr(node, "op", None), ast.USub) else text


def is_cheap(page: Page, node: ast.expr) -> bool:
    """Whether an expression may as well be computed when it isn't chosen: arithmetic, and functions of JAX."""
    for n in ast.walk(node):
        if isinstance(n, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)):
            return False
        if isinstance(n, ast.Call) and builtin_call(page, n, "bool") is None:
            of_jax = (page.dotted(n.func) or "").startswith(ARRAYS)
            if not of_jax and not (isinstance(n.func, ast.Attribute) and n.func.attr in twins()["methods"]):
                return False
    return True


def of_one_value(test: ast.expr) -> Iterator[str]:
    """The texts of what a condition compares or asks itself: it has no dimensions, or Python could not ask it."""
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from of_one_value(value)
    elif isinstance(test, ast.UnaryOp):
        yield from of_one_value(test.operand)
    elif isinstance(test, ast.BinOp):
        yield from of_one_value(test.left)
        yield from of_one_value(test.right)
    elif isinstance(test, ast.Compare):
        for side in (test.left, *test.comparators):
            yield from of_one_value(side)
    else:
        yield ast.unparse(test)
