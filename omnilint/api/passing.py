"""Names of JAX that modules of the project pass on: `from mypkg.compat import jnp`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from omnilint.api.guards import Test
from omnilint.api.live import liveness
from omnilint.api.scopes import Dotted, Scope, resolve
from omnilint.api.shims import Shim, shims
from omnilint.api.spots import Walk
from omnilint.api.walk import walk_module
from omnilint.index.module import ModuleIndex
from omnilint.index.project import Project

_MAX_STEPS = 6


def walked(module: ModuleIndex, project: Project | None) -> Walk:
    """The walk over a module, done once for a project; its names are followed through the project's modules."""
    kept = {} if project is None else project.kept
    key = ("walk", module.path)
    if key not in kept:
        own = project is not None and project.find(module, "jax.numpy") is not None
        # Relative imports name JAX in JAX itself alone, not in somebody's folder of that name.
        foreign = module.package.partition(".")[0] in ("", "jax") and not own
        walk = walk_module(module.tree, "." + module.package if foreign else module.package, bool(module.stars))
        walk.scope.living = lambda index: liveness(walk, index).conditions
        if project is not None:
            follower = _Follower(module, project)
            walk.scope.follow, walk.scope.place = follower.follow, follower.place
            walk.scope.own, walk.scope.unseen = follower.own, follower.unseen
        kept[key] = walk
    found: Walk = kept[key]
    return found


class _Follower:
    """Follows the names of one module."""

    def __init__(self, module: ModuleIndex, project: Project) -> None:
        self.module = module
        self.project = project
        self.roots = (module.roots | {module.package.partition(".")[0]}) - {"jax", ""}
        self.known: dict[str, tuple[Dotted, ...]] = {}
        self.places: dict[str, tuple[Scope, list[str]] | None] = {}

    def place(self, name: str) -> tuple[Scope, list[str]] | None:
        """The module of the project that a dotted name starts with, read, and the rest of the name."""
        if not self.module.package and name.startswith(".."):
            name = name.lstrip(".")  # a module beside this one, in a folder without `__init__.py`
        elif name.partition(".")[0] not in self.roots:
            return None
        if name not in self.places:
            whole = self.project.find(self.module, name)
            found = None if whole is not None else _split(self.project, self.module, name)
            at = None if found is None or found[0] is self.module else found
            self.places[name] = None if at is None else (walked(at[0], self.project).scope, at[1])
        return self.places[name]

    def own(self, name: str) -> bool:
        """Whether a name is one of the module's own package, or imported by a relative import."""
        root = name.partition(".")[0]
        return not root or (root != "jax" and root == self.module.package.partition(".")[0])

    def unseen(self, name: str) -> bool:
        """Whether a name is one of the package, in a module that isn't among the files."""
        return self.own(name) and self._unseen(name.lstrip("."), set())

    def _unseen(self, name: str, passed: set[str]) -> bool:
        if name in passed or self.project.find(self.module, name) is not None:
            return False
        found = _split(self.project, self.module, name)
        if found is None:
            return True
        other, rest = found
        if other.is_package and len(rest) > 1 and rest[0] not in other.imports:
            return True  # a package of the files, and a module of it that isn't
        return any(self._unseen(".".join([star, *rest]), passed | {name}) for star in other.stars if self.own(star))

    def follow(self, name: str) -> tuple[Dotted, ...]:
        """What a dotted name leads to in JAX by way of the project's modules; empty for any other name."""
        if name.partition(".")[0] not in self.roots:
            return ()
        if name not in self.known:
            self.known[name] = ()  # modules that import each other end here
            self.known[name] = self._follow(name)
        return self.known[name]

    def _follow(self, name: str) -> tuple[Dotted, ...]:
        if not _leads(self.project, self.module, name, 0):
            return ()  # most names: found out without walking the module
        found = _split(self.project, self.module, name)
        if found is None or found[0] is self.module:
            return ()
        other, rest = found
        first, *more = rest
        scope = walked(other, self.project).scope
        names = resolve(ast.Name(first), scope)
        for part in more:
            names = tuple(d.child(part) for d in names)
        return names if names and all(d.name.partition(".")[0] == "jax" for d in names) else ()


def _tops(project: Project) -> set[str]:
    """The first parts of the names of the project's modules: nothing else needs to be looked for."""
    if ("tops", "") not in project.kept:
        project.kept["tops", ""] = {m.name.partition(".")[0] for m in project.modules()}
    found: set[str] = project.kept["tops", ""]
    return found


def _split(project: Project, module: ModuleIndex, name: str) -> tuple[ModuleIndex, list[str]] | None:
    """The module of the project that a dotted name starts with, and the rest of the name; None without either."""
    parts = name.split(".")
    for n in range(len(parts) - 1, 0, -1):
        other = project.find(module, ".".join(parts[:n]))
        if other is not None:
            return other, parts[n:]
    return None


def may_use_jax(module: ModuleIndex, project: Project | None) -> bool:
    """Whether a module names JAX, or imports something of the project by which it may."""
    if "jax" in module.source.text:
        return True
    if project is None:
        return False
    deep = [a.name for s in module.tree.body if isinstance(s, ast.Import) for a in s.names if "." in a.name]
    names = [*module.imports.values(), *deep, *(f"{s}.*" for s in module.stars)]
    return any(_leads(project, module, n, 0) for n in names)


def _leads(project: Project, module: ModuleIndex, name: str, steps: int) -> bool:
    root = name.partition(".")[0]
    if root == "jax":
        return True
    if steps > _MAX_STEPS or root not in _tops(project):
        return False
    whole = project.find(module, name)
    if whole is not None:
        return whole is not module and "jax" in whole.roots
    found = _split(project, module, name)
    if found is None or found[0] is module:
        return False
    other, (first, *_) = found
    if first == "*":
        return "jax" in other.roots
    passed = other.imports.get(first)
    if passed is not None:
        return _leads(project, other, passed, steps + 1)
    # Not imported there: an alias such as `xp = jax.numpy`, if anything.
    return "jax" in other.roots and first not in other.definitions


def shims_of(module: ModuleIndex, project: Project | None) -> list[Shim]:
    """What a module sets on JAX, found once for a project."""
    kept = {} if project is None else project.kept
    key = ("shims", module.path)
    if key not in kept:
        kept[key] = shims(walked(module, project))
    found: list[Shim] = kept[key]
    return found


def shims_around(module: ModuleIndex, project: Project | None) -> Iterator[Shim]:
    """What the packages that hold a module, and the modules that it imports, set on JAX before it runs."""
    if project is None:
        return
    seen: set[int] = {id(module)}
    parents = [module.package.rsplit(".", n)[0] for n in range(module.package.count(".") + 1)] if module.package else []
    tops = _tops(project)
    for name in [*parents, *module.imports.values(), *module.stars]:
        if name.partition(".")[0] not in tops:
            continue
        other = project.find(module, name)
        if other is None:
            found = _split(project, module, name)
            other = found[0] if found else None
        if other is None or id(other) in seen or "jax" not in other.roots:
            continue
        seen.add(id(other))
        for shim in shims_of(other, project):
            # Attempts are known by their place in the module that makes them: only tests can be asked from here.
            yield Shim(shim.name, tuple(g for g in shim.guards if isinstance(g, Test)))
