"""Calls that the project itself makes, with arguments that can be written at module level."""

from __future__ import annotations

import ast
import copy
import doctest
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from omnilint.confirm.places import real_file
from omnilint.confirm.reach import is_main_guard, top_level
from omnilint.index.module import ModuleIndex


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to run: the module to import, what to do with it, and how to tell people.

    `source` is where the inputs come from: see Verdict.
    """

    module: ModuleIndex
    spec: dict[str, Any] = field(hash=False)
    label: str
    source: str

    @property
    def key(self) -> str:
        """Identity of the run."""
        return f"{real_file(self.module)}\0{sorted(self.spec.items(), key=lambda kv: kv[0])!r}"


def closed(node: ast.expr, known: frozenset[str]) -> bool:
    """Whether an expression needs nothing but module-level names, literals and its own bound names."""
    bound = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    bound |= {
        a.arg for n in ast.walk(node) if isinstance(n, ast.arguments) for a in [*n.posonlyargs, *n.args, *n.kwonlyargs]
    }
    for n in ast.walk(node):
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id not in known and n.id not in bound:
            return False
        if isinstance(n, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr):
            return False
    return True


def module_names(module: ModuleIndex) -> frozenset[str]:
    """Names that exist in a module after import, builtins too."""
    import builtins

    found = set(dir(builtins))
    for node in top_level(module.tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.update(a.asname or a.name.partition(".")[0] for a in node.names)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For | ast.With):
            found.update(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return frozenset(found)


def _single_assignments(scope: ast.AST) -> dict[str, ast.expr]:
    """Local names of a function that are assigned exactly once, by a plain `name = expression`."""
    counts: dict[str, int] = {}
    values: dict[str, ast.expr] = {}
    for n in ast.walk(scope):
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
            counts[n.id] = counts.get(n.id, 0) + 1
        if isinstance(n, ast.Assign) and len(n.targets) == 1 and isinstance(n.targets[0], ast.Name):
            values[n.targets[0].id] = n.value
    return {k: v for k, v in values.items() if counts.get(k) == 1}


class _Substitute(ast.NodeTransformer):
    def __init__(self, values: dict[str, ast.expr]) -> None:
        self.values = values
        self.budget = 60

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and node.id in self.values and self.budget > 0:
            self.budget -= 1
            return self.visit(copy.deepcopy(self.values[node.id]))  # type: ignore[no-any-return]
        return node


def _names(func: ast.expr, name: str) -> bool:
    """Whether a callee is `name`, `x.name`, or one of these within a transform: `jit(name)`."""
    if isinstance(func, ast.Call) and func.args:
        func = func.args[0]
    return (isinstance(func, ast.Name) and func.id == name) or (isinstance(func, ast.Attribute) and func.attr == name)


def literal_calls(module: ModuleIndex, name: str) -> Iterator[str]:
    """Calls of `name` in a module whose arguments can be written at module level, locals put in."""
    known = module_names(module)
    scopes: list[ast.AST] = [n for n in ast.walk(module.tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    guards = [n for n in module.tree.body if isinstance(n, ast.If) and is_main_guard(n)]
    on_import = [n for n in top_level(module.tree) if isinstance(n, ast.Expr | ast.Assign | ast.AnnAssign)]
    for scope in [*guards, *scopes, *on_import]:
        values = _single_assignments(scope)
        for node in ast.walk(scope):
            if not isinstance(node, ast.Call) or len(node.args) + len(node.keywords) == 0:
                continue
            if not _names(node.func, name):
                continue
            call = _Substitute(values).visit(copy.deepcopy(node))
            text = ast.unparse(call)
            if closed(call, known) and len(text) < 2000:
                yield text


def doctests(module: ModuleIndex) -> Iterator[tuple[str, str]]:
    """(whose docstring it is, its examples as a script) of each docstring with examples that can be parsed."""
    holders: list[tuple[str, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]] = [
        (module.name, module.tree)
    ]
    holders += [(name, d.node) for name, d in module.definitions.items() if not d.in_function]
    for name, node in holders:
        text = ast.get_docstring(node, clean=True) or ""
        if ">>>" not in text:
            continue
        try:
            script = "".join(e.source for e in doctest.DocTestParser().get_examples(text))
            ast.parse(script)
        except (ValueError, SyntaxError):
            continue
        if script:
            yield name, script
