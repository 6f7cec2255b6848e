"""Statements by line: how far one reaches, and its text without the author's layout and comments."""

from __future__ import annotations

import ast
import copy

# The parts of a compound statement that are statements of their own.
_INNER = ("body", "orelse", "finalbody", "handlers", "cases")


class Statements:
    """The statements of one module; of a compound one, its header (decorators included) stands for it."""

    def __init__(self, tree: ast.Module) -> None:
        self._by_line: dict[int, tuple[int, int, ast.stmt]] = {}
        self._clauses: dict[int, tuple[int, int]] = {}
        # Only through the parts that hold statements: expressions are most of a tree.
        holders: list[ast.AST] = [tree]
        for holder in holders:
            for part in _INNER:
                for node in getattr(holder, part, ()):
                    holders.append(node)
                    if isinstance(node, ast.stmt):
                        self._add(node)
                    else:
                        first = _first_line(node)
                        span = (first, max(first, _first_line(node.body[0]) - 1))
                        self._clauses |= dict.fromkeys(range(first, span[1] + 1), span)

    def _add(self, node: ast.stmt) -> None:
        first = _first_line(node)
        inner = getattr(node, "body", None) or getattr(node, "cases", None)
        last = max(first, _first_line(inner[0]) - 1 if inner else node.end_lineno or first)
        for line in range(first, last + 1):
            known = self._by_line.get(line)
            # Of two on one line (`if x: y`) the inner one, which comes later.
            if known is None or last - first >= known[1] - known[0]:
                self._by_line[line] = (first, last, node)

    def span(self, line: int) -> tuple[int, int]:
        """First and last line of the statement on this line."""
        first, last, _ = self._by_line.get(line, (line, line, None))
        return first, last

    def around(self, line: int) -> tuple[int, int]:
        """First and last line of what Python reads as one with this line: a statement, or the header of a clause."""
        return self.span(line) if line in self._by_line else self._clauses.get(line, (line, line))

    def text(self, line: int) -> str | None:
        """The statement on this line as Python itself would write it; None between statements."""
        known = self._by_line.get(line)
        if known is None:
            return None
        bare = copy.copy(known[2])
        for part in _INNER:
            if hasattr(bare, part):
                setattr(bare, part, [])
        return ast.unparse(bare)


def _first_line(node: ast.stmt | ast.match_case | ast.ExceptHandler) -> int:
    if isinstance(node, ast.match_case):
        return node.pattern.lineno
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)])
