"""Calls that the project itself makes, with arguments that can be written at module level."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from omnilint.confirm.once import once_each
from omnilint.confirm.places import real_file
from omnilint.confirm.reach import is_main_guard, top_level
from omnilint.confirm.worker.pinning import pinned
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

    def pinned(self, seen: Mapping[str, Any]) -> Entry:
        """The same with the arguments, and the instance that has the method, that a first run chose and told."""
        return replace(self, spec=pinned(self.spec, seen))


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


@once_each
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


def _called(func: ast.expr) -> str:
    """The name that a callee ends in: of `name`, `x.name`, and of these within a transform, `jit(name)`; else ""."""
    if isinstance(func, ast.Call) and func.args:
        func = func.args[0]
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""


class _Calls:
    """The calls of a module by the name of what they call, and what names stand for around them; worked out once."""

    def __init__(self, tree: ast.Module) -> None:
        scopes = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
        guards = [n for n in tree.body if isinstance(n, ast.If) and is_main_guard(n)]
        on_import = [n for n in top_level(tree) if isinstance(n, ast.Expr | ast.Assign | ast.AnnAssign)]
        self.by_name: dict[str, list[tuple[ast.AST, ast.Call]]] = {}
        self._values: dict[int, dict[str, ast.expr]] = {}
        for scope in [*guards, *scopes, *on_import]:
            for node in ast.walk(scope):
                if isinstance(node, ast.Call) and node.args + node.keywords:
                    self.by_name.setdefault(_called(node.func), []).append((scope, node))

    def values(self, scope: ast.AST) -> dict[str, ast.expr]:
        """The values of a scope's names that are assigned once."""
        if id(scope) not in self._values:
            self._values[id(scope)] = _single_assignments(scope)
        return self._values[id(scope)]


@once_each
def _calls(module: ModuleIndex) -> _Calls:
    return _Calls(module.tree)


def literal_calls(module: ModuleIndex, name: str) -> Iterator[str]:
    """Calls of `name` in a module whose arguments can be written at module level, locals put in."""
    calls = _calls(module)
    for scope, node in calls.by_name.get(name, ()):
        call = _Substitute(calls.values(scope)).visit(copy.deepcopy(node))
        text = ast.unparse(call)
        if len(text) < 2000 and closed(call, module_names(module)):
            yield text


@once_each
def doctests(module: ModuleIndex) -> list[tuple[str, str]]:
    """(whose docstring it is, its examples as a script) of each docstring with examples that can be parsed."""
    holders: list[tuple[str, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]] = [
        (module.name, module.tree)
    ]
    found = []
    holders += [(name, d.node) for name, d in module.definitions.items() if not d.in_function]
    for name, node in holders:
        text = ast.get_docstring(node, clean=True) or ""
        if ">>>" not in text:
            continue
        import doctest  # dear, and seldom needed

        try:
            script = "".join(e.source for e in doctest.DocTestParser().get_examples(text))
            ast.parse(script)
        except (ValueError, SyntaxError):
            continue
        if script:
            found.append((name, script))
    return found
