"""What stands in one function, looked at once for all of its findings."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cached_property


class Inside:
    """The nodes of a function, itself among them, and what fixers ask about them."""

    def __init__(self, function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        self.function = function
        self.nodes = tuple(ast.walk(function))

    @cached_property
    def yields(self) -> bool:
        """Whether it is a generator, or holds one."""
        return any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in self.nodes)

    @cached_property
    def declared(self) -> list[ast.Global | ast.Nonlocal]:
        """The declarations of outer names."""
        return [n for n in self.nodes if isinstance(n, (ast.Global, ast.Nonlocal))]

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that it reads, binds or takes as parameters."""
        found = {n.id for n in self.nodes if isinstance(n, ast.Name)}
        return frozenset(found | {n.arg for n in self.nodes if isinstance(n, ast.arg)})

    @cached_property
    def attributes(self) -> Mapping[str, set[str]]:
        """The attributes that are read from names, by name."""
        found: dict[str, set[str]] = {}
        for node in self.nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                found.setdefault(node.value.id, set()).add(node.attr)
        return found

    @cached_property
    def stores(self) -> Mapping[str, list[ast.Name]]:
        """Where names are bound, changed in place or deleted, by name."""
        found: dict[str, list[ast.Name]] = {}
        for node in self.nodes:
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                found.setdefault(node.id, []).append(node)
        return found

    @cached_property
    def _written(self) -> dict[str, list[ast.expr]]:
        found: dict[str, list[ast.expr]] = {}
        for node in self.nodes:
            if isinstance(node, ast.expr):
                found.setdefault(ast.unparse(node), []).append(node)
        return found

    def written(self, text: str) -> Sequence[ast.expr]:
        """The expressions that Python itself would write so."""
        return self._written.get(text, ())

    @cached_property
    def returns(self) -> list[ast.Return]:
        """The function's own return statements."""
        found: list[ast.Return] = []
        pending: list[ast.AST] = [] if isinstance(self.function, ast.Lambda) else list(self.function.body)
        while pending:
            node = pending.pop()
            if isinstance(node, ast.Return):
                found.append(node)
            elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
                pending += ast.iter_child_nodes(node)
        return found
