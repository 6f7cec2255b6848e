"""Which functions of a project can reach which others, by name: an over-estimate good enough to pick calls."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from omnilint.confirm.once import once_each, once_each_node
from omnilint.index.module import FunctionNode, ModuleIndex
from omnilint.index.project import Project


@dataclass(slots=True)
class Unit:
    """A module-level function, a class, or a module-level assignment, with all identifiers inside it."""

    module: ModuleIndex
    name: str
    node: ast.stmt
    words: frozenset[str]


@once_each_node
def words(node: ast.AST) -> frozenset[str]:
    """All names and attribute names below a node."""
    found = set()
    for n in ast.walk(node):
        if isinstance(n, ast.Name):
            found.add(n.id)
        elif isinstance(n, ast.Attribute):
            found.add(n.attr)
        elif isinstance(n, ast.ImportFrom | ast.Import):
            found.update(a.asname or a.name for a in n.names)
    return frozenset(found)


def top_level(tree: ast.Module) -> Iterator[ast.stmt]:
    """Statements that run on import, those under module-level `if`, `try` and `with` too."""
    stack: list[ast.stmt] = list(reversed(tree.body))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.If) and is_main_guard(node):
            continue
        yield node
        if isinstance(node, ast.If | ast.Try | ast.With):
            inner = [*node.body, *getattr(node, "orelse", []), *getattr(node, "finalbody", [])]
            for handler in getattr(node, "handlers", []):
                inner.extend(handler.body)
            stack.extend(reversed(inner))


def is_main_guard(node: ast.If) -> bool:
    """Whether this is `if __name__ == "__main__":`."""
    test = node.test
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and any(isinstance(c, ast.Constant) and c.value == "__main__" for c in test.comparators)
    )


def _targets(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.Assign):
        targets: list[ast.expr] = node.targets
    elif isinstance(node, ast.AnnAssign | ast.AugAssign):
        targets = [node.target]
    else:
        return
    for t in targets:
        for n in ast.walk(t):
            if isinstance(n, ast.Name):
                yield n.id


def units(module: ModuleIndex) -> list[Unit]:
    """The units of a module."""
    found = []
    for node in top_level(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.append(Unit(module, node.name, node, words(node)))
        else:
            found.extend(Unit(module, name, node, words(node)) for name in _targets(node))
    return found


def imported_modules(module: ModuleIndex) -> Iterator[str]:
    """The dotted modules that a module's import statements load, relative ones made absolute."""
    from omnilint.index.module import absolute

    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = absolute(module.package, node.module, node.level)
            yield base
            for a in node.names:
                yield f"{base}.{a.name}"


@dataclass(slots=True)
class Reach:
    """Import and call relations of a project, worked out once a run."""

    project: Project
    _imports: dict[str, list[ModuleIndex]] = field(default_factory=dict)
    _importers: dict[str, list[ModuleIndex]] | None = None
    _units: dict[str, list[Unit]] = field(default_factory=dict)
    _closures: dict[str, list[ModuleIndex]] = field(default_factory=dict)
    _named: dict[int, dict[str, list[Unit]]] = field(default_factory=dict)

    @staticmethod
    def _key(module: ModuleIndex) -> str:
        return module.source.file or module.path

    def find(self, importer: ModuleIndex, dotted: str) -> ModuleIndex | None:
        """The module of the project that an import means: also one in a folder above, as tests in a folder import."""
        found = self.project.find(importer, dotted)
        above = os.path.dirname(self.project.root_of(importer))
        while found is None and dotted and "." not in dotted and above != os.path.dirname(above):
            if above in self.project.roots.values():
                found = self.project.by_file.get(os.path.join(above, f"{dotted}.py"))
            above = os.path.dirname(above)
        return found

    def imports(self, module: ModuleIndex) -> list[ModuleIndex]:
        """The project's modules that `module` imports itself."""
        key = self._key(module)
        if key not in self._imports:
            found = {}
            for dotted in imported_modules(module):
                other = self.find(module, dotted)
                if other is not None and other is not module:
                    found[self._key(other)] = other
            self._imports[key] = list(found.values())
        return self._imports[key]

    def loads(self, module: ModuleIndex) -> list[ModuleIndex]:
        """What `module` imports itself, and the packages that it and these lie in: importing runs them first."""
        found = list(self.imports(module))
        for m in (module, *self.imports(module)):
            parts = m.name.split(".")
            for i in range(1, len(parts)):
                package = self.find(module, ".".join(parts[:i]))
                if package is not None and package is not module:
                    found.append(package)
        return list({self._key(m): m for m in found}.values())

    def closure(self, module: ModuleIndex) -> list[ModuleIndex]:
        """`module` and all of the project's modules that importing it loads."""
        key = self._key(module)
        if key not in self._closures:
            self._closures[key] = self._spread(module, self.loads)
        return self._closures[key]

    def importers(self, module: ModuleIndex) -> list[ModuleIndex]:
        """`module` and all modules of the project that load it."""
        if self._importers is None:
            self._importers = {}
            for m in self.project.modules():
                for other in self.imports(m):
                    self._importers.setdefault(self._key(other), []).append(m)
        known = self._importers
        return self._spread(module, lambda m: known.get(self._key(m), []))

    def _spread(self, module: ModuleIndex, step: object) -> list[ModuleIndex]:
        assert callable(step)
        found = {self._key(module): module}
        queue = [module]
        while queue and len(found) < 400:
            for other in step(queue.pop(0)):
                if self._key(other) not in found:
                    found[self._key(other)] = other
                    queue.append(other)
        return list(found.values())

    def units(self, module: ModuleIndex) -> list[Unit]:
        """The units of a module, kept."""
        key = self._key(module)
        if key not in self._units:
            self._units[key] = units(module)
        return self._units[key]

    def _by_name(self, modules: list[ModuleIndex]) -> dict[str, list[Unit]]:
        """The units of these modules by name; kept for closures, whose lists stay the same."""
        kept = any(modules is closure for closure in self._closures.values())
        if kept and id(modules) in self._named:
            return self._named[id(modules)]
        found: dict[str, list[Unit]] = {}
        for m in modules:
            for u in self.units(m):
                found.setdefault(u.name, []).append(u)
        if kept:
            self._named[id(modules)] = found
        return found

    def distance(
        self, start: Iterable[str], modules: list[ModuleIndex], goal: tuple[ModuleIndex, frozenset[str]]
    ) -> int | None:
        """How many steps from these words to a unit of the goal's module and names; None when there is no way."""
        by_name = self._by_name(modules)
        aim, names = goal
        frontier, seen, steps = set(start), set(), 0
        while frontier and steps < 12:
            reached = [u for w in frontier for u in by_name.get(w, ()) if id(u.node) not in seen]
            if any(u.module is aim and u.name in names for u in reached):
                return steps
            for u in reached:
                seen.add(id(u.node))
            frontier = {w for u in reached for w in u.words}
            steps += 1
        return None


@once_each
def _not_at_hand(module: ModuleIndex) -> list[str]:
    """The modules that a module imports by their whole names, without those that every run has."""
    names: list[str] = []
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            names += [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names.append(node.module)
    at_hand = sys.stdlib_module_names | {"jax", "jaxlib", "numpy", "__main__"}
    return [n for n in dict.fromkeys(names) if n.partition(".")[0] not in at_hand]


def libraries(modules: Iterable[ModuleIndex], reach: Reach) -> list[str]:
    """What a set of modules imports from outside the project, for loading once before forking."""
    found = []
    for m in modules:
        for name in _not_at_hand(m):
            if reach.find(m, name.partition(".")[0]) is None and reach.find(m, name) is None:
                found.append(name)
    return list(dict.fromkeys(found))[:40]


def required(node: FunctionNode) -> list[ast.arg]:
    """The parameters of a function that have no default."""
    a = node.args
    positional = [*a.posonlyargs, *a.args]
    missing = positional[: len(positional) - len(a.defaults)]
    keyword = [arg for arg, default in zip(a.kwonlyargs, a.kw_defaults, strict=True) if default is None]
    return missing + keyword
