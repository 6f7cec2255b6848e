"""The one walk over a module's tree that finds its definitions, imports and names."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from omnilint.index.module import Definition, FunctionNode, ModuleIndex, absolute

# Words that say something only together with what stands before the dot: `lax.map`, not `map`.
_COMMON_WORDS = frozenset(("map", "reduce"))


# Nodes without names below them.
_LEAVES = frozenset(
    c
    for base in (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop)
    for c in (base, *base.__subclasses__())
) | {ast.Constant, ast.Pass, ast.Break, ast.Continue, ast.alias}


class _Pass:
    """One walk over a module. It is written out, for `ast.NodeVisitor` takes twice the time."""

    def __init__(self, index: ModuleIndex) -> None:
        self.index = index
        self.scope: list[str] = []
        self.function_depth = 0
        self.names: set[str] = index.identifiers  # what the innermost open definition mentions
        self.stored: set[str] = set()

    def visit(self, node: ast.AST) -> None:
        """Index `node` and what is below it."""
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            handler(self, node)
        else:
            self.below(node)

    def below(self, node: ast.AST) -> None:
        """Index what is below `node`."""
        for name in node._fields:
            value = getattr(node, name, None)
            if type(value) is list:
                for item in value:
                    if type(item) not in _LEAVES and isinstance(item, ast.AST):
                        self.visit(item)
            elif type(value) not in _LEAVES and isinstance(value, ast.AST):
                self.visit(value)

    def imports(self, node: ast.Import) -> None:
        for a in node.names:
            root = a.name.partition(".")[0]
            self.index.roots.add(root)
            self.index.imports.setdefault(a.asname or root, a.name if a.asname else root)

    def imports_from(self, node: ast.ImportFrom) -> None:
        module = absolute(self.index.package, node.module, node.level)
        self.index.roots.add(module.partition(".")[0])
        for a in node.names:
            if a.name == "*":
                self.index.stars.append(module)
            else:
                self.index.imports.setdefault(a.asname or a.name, f"{module}.{a.name}" if module else a.name)

    def defines(self, node: FunctionNode | ast.ClassDef) -> None:
        definitions = self.index.definitions
        owner = ".".join(self.scope)
        qualname = f"{owner}.{node.name}" if owner else node.name
        d = Definition(qualname, node, owner, self.function_depth > 0)
        if qualname in definitions:  # redefinition: keep both, the last under the plain name
            old = definitions.pop(qualname)
            definitions[f"{qualname}@{old.node.lineno}"] = old
        definitions[qualname] = d
        function = not isinstance(node, ast.ClassDef)
        outer, stored = self.names, self.stored
        if not self.function_depth:
            self.names, self.stored = d.identifiers, d.stored
        self.scope.append(node.name)
        self.function_depth += function
        self.below(node)
        self.function_depth -= function
        self.scope.pop()
        if self.names is not outer:
            outer |= self.names
            self.names, self.stored = outer, stored

    def rebinds(self, node: ast.Global | ast.Nonlocal) -> None:
        self.index.rebound.update(node.names)

    def names_(self, node: ast.Name) -> None:
        self.names.add(node.id)

    def reads(self, node: ast.Attribute) -> None:
        base: ast.AST = node
        if type(node.ctx) is ast.Store and type(node.value) is ast.Name:
            self.stored.add(node.attr)
        while type(base) is ast.Attribute:
            self.names.add(base.attr)
            if base.attr in _COMMON_WORDS and isinstance(base.value, (ast.Name, ast.Attribute)):
                before = base.value.id if isinstance(base.value, ast.Name) else base.value.attr
                self.names.add(f"{before}.{base.attr}")
            base = base.value
        if type(base) is ast.Name:
            self.names.add(base.id)
        else:
            self.visit(base)


_HANDLERS: dict[type[ast.AST], Callable[[_Pass, Any], None]] = {
    ast.Import: _Pass.imports,
    ast.ImportFrom: _Pass.imports_from,
    ast.FunctionDef: _Pass.defines,
    ast.AsyncFunctionDef: _Pass.defines,
    ast.ClassDef: _Pass.defines,
    ast.Global: _Pass.rebinds,
    ast.Nonlocal: _Pass.rebinds,
    ast.Name: _Pass.names_,
    ast.Attribute: _Pass.reads,
}


def walk(index: ModuleIndex) -> None:
    """Note in the index of a module what its tree says."""
    _Pass(index).visit(index.tree)
