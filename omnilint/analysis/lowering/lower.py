"""From `ast` to nodes."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from omnilint.analysis import nodes as cst
from omnilint.analysis.lowering.expressions import EXPRESSIONS
from omnilint.analysis.lowering.statements import SMALL, STATEMENTS


def module_of(body: tuple[Any, ...]) -> Any:
    """A module of lowered statements."""
    return cst.Module(body)


class Lowering:
    """Makes nodes, and keeps in `origins` the `ast` node that each stands for, by identity: hashing a node is slow."""

    __slots__ = ("origins",)

    def __init__(self) -> None:
        self.origins: dict[int, ast.AST] = {}

    def statement(self, node: ast.stmt) -> Any:
        """A statement; a simple one comes in a line of its own."""
        handler = STATEMENTS.get(type(node))
        if handler is not None:
            out = handler(self, node)
            self.origins[id(out)] = node
            return out
        small = SMALL[type(node)](self, node) if type(node) in SMALL else cst.Pass()
        self.origins[id(small)] = node
        line = cst.SimpleStatementLine((small,))
        self.origins[id(line)] = node
        return line

    def block(self, body: Iterable[ast.stmt]) -> Any:
        """Statements below a header."""
        return cst.IndentedBlock(tuple(map(self.statement, body)))

    def expression(self, node: ast.expr) -> Any:
        """An expression."""
        handler = EXPRESSIONS.get(type(node))
        out = handler(self, node) if handler is not None else cst.Ellipsis()
        self.origins[id(out)] = node
        return out

    def optional(self, node: ast.expr | None) -> Any:
        """An expression, or None."""
        return None if node is None else self.expression(node)
