"""Which names have another meaning where a repair would write them: bound by a function, a class, or the module."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_PARAMETERS = ("TypeVar", "ParamSpec", "TypeVarTuple")  # of Python 3.12's generic functions

# What binds a name: the node, and for an import the dotted name that it stands for.
Bound = tuple[ast.AST, str | None]


def binds(node: ast.AST) -> Iterator[tuple[str, str | None]]:
    """The names that a node itself binds, deletes, or declares global or nonlocal; of imports what they stand for."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name, None
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id, None
    elif isinstance(node, ast.arg):
        yield node.arg, None
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name, None
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest, None
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from ((name, None) for name in node.names)
    elif isinstance(node, ast.Import):
        for alias in node.names:
            root = alias.name.partition(".")[0]
            yield (alias.asname, alias.name) if alias.asname else (root, root)
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name, f"{'.' * node.level}{node.module or ''}.{alias.name}"
    elif type(node).__name__ in _PARAMETERS:
        yield node.name, None  # type: ignore[attr-defined]


class Shadows:
    """The names that a module and its functions and classes bind.

    What a function or a class at the top level binds anywhere within counts for all of it: a name that is assigned
    further down, or in a function around, is a local name as well.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._known: dict[int, Mapping[str, list[Bound]]] = {}

    @cached_property
    def module(self) -> Mapping[str, list[Bound]]:
        """What the module itself binds, or a function in its stead."""
        nodes: list[ast.AST] = [n for n in ast.walk(self._tree) if isinstance(n, ast.Global)]
        pending: list[ast.AST] = list(self._tree.body)
        while pending:
            node = pending.pop()
            nodes.append(node)
            if not isinstance(node, _INNER):
                pending.extend(ast.iter_child_nodes(node))
        return _by_name(nodes)

    def _within(self, statement: ast.stmt) -> Mapping[str, list[Bound]]:
        if id(statement) not in self._known:
            children = ast.iter_child_nodes(statement)
            self._known[id(statement)] = _by_name(n for child in children for n in ast.walk(child))
        return self._known[id(statement)]

    def around(self, node: ast.AST) -> Iterator[Mapping[str, list[Bound]]]:
        """What the functions and classes at the top level that hold a node bind."""
        line = getattr(node, "lineno", 0)
        for statement in self._tree.body:
            if _first(statement) <= line <= (statement.end_lineno or statement.lineno):
                yield self._within(statement)

    def is_builtin(self, name: str, node: ast.AST) -> bool:
        """Whether a builtin's name still means the builtin where a node stands."""
        return name not in self.module and all(name not in names for names in self.around(node))

    def hides(self, name: str, target: str, node: ast.AST | None) -> bool:
        """Whether a name may stand for something else than `target` at a node; without one, anywhere."""
        if any(of != target for _, of in self.module.get(name, ())):
            return True
        if node is None:
            inner = [names.get(name, ()) for names in map(self._within, self._tree.body)]
            return any(of != target for bound in inner for _, of in bound)
        line = getattr(node, "lineno", 0)
        return any(
            of != target or getattr(at, "lineno", 0) > line
            for names in self.around(node)
            for at, of in names.get(name, ())
        )

    def is_shared(self, name: str, node: ast.AST) -> bool:
        """Whether functions beside the one that a node stands in may set a name of it."""
        shared = (ast.Global, ast.Nonlocal)
        return any(isinstance(at, shared) for names in self.around(node) for at, _ in names.get(name, ()))

    @cached_property
    def _mentioning(self) -> Mapping[str, list[ast.stmt]]:
        found: dict[str, list[ast.stmt]] = {}
        for statement in self._tree.body:
            for name in {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}:
                found.setdefault(name, []).append(statement)
        return found

    def can_import(self, name: str, node: ast.AST) -> bool:
        """Whether the module may import something by this name for a node: no other code there reads such a name."""
        if name in self.module or any(name in names for names in self.around(node)):
            return False
        return all(isinstance(s, _INNER) and name in self._within(s) for s in self._mentioning.get(name, ()))


def _by_name(nodes: Iterable[ast.AST]) -> Mapping[str, list[Bound]]:
    found: dict[str, list[Bound]] = {}
    for node in nodes:
        for name, target in binds(node):
            found.setdefault(name, []).append((node, target))
    return found


def _first(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(d.lineno for d in decorators)])
