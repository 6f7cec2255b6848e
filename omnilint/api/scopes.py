"""What a name stands for in each scope of a module: imported things, aliases of them, or something unknown."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from omnilint.api import history

if TYPE_CHECKING:
    from omnilint.api.conditions import Conditions
    from omnilint.api.guards import Guard

_MAX_DEPTH = 12


@dataclass(frozen=True, slots=True)
class Dotted:
    """A dotted name; its first `known` parts were named by an import statement, which is judged by itself."""

    name: str
    known: int = 0

    def child(self, attribute: str) -> Dotted:
        return Dotted(f"{self.name}.{attribute}", self.known)


@dataclass(frozen=True, slots=True)
class Binding:
    """One way in which a scope binds a name: an import, an assignment, a function, or (all None) something unknown.

    `part` is the expression for one bound by unpacking or by a pattern: only tests of the release are read through it.
    `annotation` is that of a parameter, or of an assignment; `body` the namespace of a class.
    """

    imported: Dotted | None = None
    value: ast.expr | None = None
    guards: tuple[Guard, ...] = ()
    function: Scope | None = None
    part: ast.expr | None = None
    annotation: ast.expr | None = None
    body: Scope | None = None


@dataclass(slots=True, eq=False)
class Scope:
    """A namespace of the module: the module itself, a function, a class, a lambda or a comprehension.

    A module's `follow` says what a name that another module of the project passes on stands for, and `place` where such
    a module binds a name: its scope, and the parts of the name to read there; `own` tells whether a name is one of the
    project's, found or not, `unseen` whether it is one of a module of its package that isn't among the files; `living`
    gives the conditions by which the module runs in a release. Its `attributes` are
    what the code sets on any object, by the attribute's name ("*": a name that can't be told), with the scope of each.
    `resolved` is what expressions of the module stand for, once all of it is read, `held` where other modules bind what
    its names lead to, `asking` which of its scopes look at the release. A function's `returns` are what it gives back,
    in their order. `changed` are names of a module's dicts whose keys the code may change, `kinds` which of JAX's
    objects names are (with how deep the question was), once somebody asked.
    """

    node: ast.AST
    parent: Scope | None = None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    outer: dict[str, Scope] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    follow: Callable[[str], tuple[Dotted, ...]] | None = None
    place: Callable[[str], tuple[Scope, list[str]] | None] | None = None
    own: Callable[[str], bool] | None = None
    unseen: Callable[[str], bool] | None = None
    living: Callable[[int], Conditions] | None = None
    returns: list[tuple[ast.expr, tuple[Guard, ...]]] = field(default_factory=list)
    asking: dict[int, bool] = field(default_factory=dict)
    held: dict[str, tuple[Scope, ast.expr] | None] = field(default_factory=dict)
    parameters: list[str] = field(default_factory=list)
    attributes: dict[str, list[tuple[Binding, Scope]]] = field(default_factory=dict)
    resolved: dict[ast.expr, tuple[Dotted, ...]] = field(default_factory=dict)
    changed: frozenset[str] | None = None
    kinds: dict[tuple[str, int], str | None] = field(default_factory=dict)
    module: Scope = field(init=False)

    def __post_init__(self) -> None:
        self.module = self if self.parent is None else self.parent.module

    def bind(self, name: str, binding: Binding) -> None:
        """Record that `name` gets bound here, or in the scope that a global or nonlocal statement names."""
        self.outer.get(name, self).bindings.setdefault(name, []).append(binding)

    def set_attribute(self, name: str, binding: Binding) -> None:
        """Record that the code here sets an attribute of this name on something."""
        self.module.attributes.setdefault(name, []).append((binding, self))

    def lookup(self, name: str) -> tuple[Scope, list[Binding]] | None:
        """The scope that `name` is found in when read here, by Python's rules, with all its bindings there."""
        if name in self.outer:
            target = self.outer[name]
            return (target, target.bindings[name]) if name in target.bindings else None
        scope: Scope | None = self
        while scope is not None:
            if name in scope.bindings and (scope is self or not isinstance(scope.node, ast.ClassDef)):
                return scope, scope.bindings[name]
            scope = scope.parent
        return None


def written(node: ast.expr, scope: Scope) -> tuple[Dotted, ...]:
    """What `resolve` gives, by the names that the module itself uses: what others pass on isn't followed."""
    return _resolve(node, scope, 0)


def resolve(node: ast.expr, scope: Scope, depth: int = 0) -> tuple[Dotted, ...]:
    """Every dotted name that `node` can stand for; empty when one of the ways is unknown."""
    known = scope.module.resolved.get(node)
    if known is not None:
        return known
    names = _resolve(node, scope, depth)
    follow = scope.module.follow
    if follow is not None and names:
        names = tuple(dict.fromkeys(f for d in names for f in (follow(d.name) or (d,))))
    if depth == 0:
        scope.module.resolved[node] = names
    return names


def _resolve(node: ast.expr, scope: Scope, depth: int) -> tuple[Dotted, ...]:
    if depth > _MAX_DEPTH:
        return ()
    if isinstance(node, ast.Name):
        return _resolve_name(node.id, scope, depth)
    if isinstance(node, ast.Attribute):
        found = _resolve(node.value, scope, depth + 1)
        return tuple(d.child(node.attr) for d in found) if found else _own_attribute(node, scope, depth)
    if isinstance(node, ast.NamedExpr):
        return _resolve(node.value, scope, depth + 1)
    if isinstance(node, ast.IfExp):
        return _all_of([node.body, node.orelse], scope, depth)
    if isinstance(node, ast.BoolOp):
        return _all_of(node.values, scope, depth)
    if isinstance(node, ast.Call):
        return _resolve_call(node, scope, depth)
    return ()


def _all_of(nodes: list[ast.expr], scope: Scope, depth: int) -> tuple[Dotted, ...]:
    found: dict[Dotted, None] = {}
    for node in nodes:
        if isinstance(node, ast.Constant) and node.value is None:
            continue
        some = _resolve(node, scope, depth + 1)
        if not some:
            return ()
        found.update(dict.fromkeys(some))
    return tuple(found)


def class_of(node: ast.expr, scope: Scope) -> Scope | None:
    """The class whose instance `node` is, for the first parameter of a method; None for anything else."""
    hit = scope.lookup(node.id) if isinstance(node, ast.Name) else None
    if hit is None or len(hit[1]) != 1 or hit[0].parent is None:
        return None
    method, owner = hit[0], hit[0].parent
    if not isinstance(method.node, ast.FunctionDef) or not isinstance(owner.node, ast.ClassDef):
        return None
    decorators = {d.id for d in method.node.decorator_list if isinstance(d, ast.Name)}
    first = method.parameters[:1] == [node.id] if isinstance(node, ast.Name) else False
    return owner if first and decorators.isdisjoint({"staticmethod", "classmethod"}) else None


def _own_attribute(node: ast.Attribute, scope: Scope, depth: int) -> tuple[Dotted, ...]:
    """What `self.xp` stands for, where the class and all that set any `xp` in the module say the same: `xp = jnp`."""
    owner = class_of(node.value, scope)
    module = scope.module
    if owner is None or not isinstance(owner.node, ast.ClassDef) or "*" in module.attributes:
        return ()
    declared = owner.bindings.get(node.attr, [])
    if not declared and (owner.node.bases or owner.node.keywords):
        return ()  # a base class may have made a property of it
    ways = [(b, owner) for b in declared] + module.attributes.get(node.attr, [])
    for b in _all(module):
        if b.body is not None and b.body is not owner:  # a class that derives from this one may have another
            ways += [(way, b.body) for way in b.body.bindings.get(node.attr, [])]
    return _of_bindings(ways, depth) if ways else ()


def _all(scope: Scope) -> Iterator[Binding]:
    for bindings in scope.bindings.values():
        yield from bindings


def _resolve_name(name: str, scope: Scope, depth: int) -> tuple[Dotted, ...]:
    hit = scope.lookup(name)
    if hit is None:
        return _passed_on_by_star(name, scope.module)
    where, bindings = hit
    return _of_bindings([(b, where) for b in bindings], depth)


def _of_bindings(ways: list[tuple[Binding, Scope]], depth: int) -> tuple[Dotted, ...]:
    found: dict[Dotted, None] = {}
    for b, where in ways:
        if b.imported is not None:
            found[b.imported] = None
        elif b.value is None:
            return ()
        elif not (isinstance(b.value, ast.Constant) and b.value.value is None):
            # `except ImportError: thing = None` doesn't make `thing` unknown: None has no such attributes.
            some = _resolve(b.value, where, depth + 1)
            if not some:
                return ()
            # An alias is judged where it is made, so that every part of it counts as known.
            found.update({Dotted(d.name, d.name.count(".") + 1): None for d in some})
    return tuple(found)


def _passed_on_by_star(name: str, module: Scope) -> tuple[Dotted, ...]:
    """What a name stands for that a star import may have bound: of JAX's own modules, or of one that passes it on."""
    if module.follow is not None:
        found = (module.follow(f"{star}.{name}") for star in reversed(module.stars))
        passed = next((names for names in found if names), ())
        if passed:
            return passed
    names = from_stars(name, module)
    # Of several modules that had it the last one counts, where it has it in every release.
    sure = names[-1:] if len(names) == 1 or (names and history.always(names[-1].name)) else ()
    return tuple(Dotted(d.name, d.known + 1) for d in sure)


def from_stars(name: str, module: Scope) -> tuple[Dotted, ...]:
    """What `name` may be by star imports of JAX's modules, in their order, so that the last one counts.

    None beside star imports of others, and of names that no release had: those are builtins, or undefined.
    """
    stars = module.stars
    if name.startswith("_") or any(star.partition(".")[0] != "jax" for star in stars):
        return ()
    names = (Dotted(f"{star}.{name}", star.count(".") + 1) for star in dict.fromkeys(stars))
    return tuple(d for d in names if history.ever(d.name))


def _resolve_call(node: ast.Call, scope: Scope, depth: int) -> tuple[Dotted, ...]:
    from omnilint.api.fold import imported_module, literal

    if isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) >= 2:
        attribute = literal(node.args[1])
        if isinstance(attribute, str) and attribute.isidentifier():
            return tuple(d.child(attribute) for d in _resolve(node.args[0], scope, depth + 1))
        return ()
    names = imported_module(node, scope, depth)
    return tuple(Dotted(n, n.count(".") + 1) for n in names)


def enclosing(scope: Scope, name: str) -> Scope:
    """The scope that a nonlocal statement means by `name`."""
    outer = scope.parent
    while outer is not None and (isinstance(outer.node, ast.ClassDef) or name not in outer.bindings):
        outer = outer.parent
    return outer or scope.module


def function_scope(scope: Scope) -> Scope:
    """The scope that `:=` binds in: comprehensions have none of their own for it."""
    while isinstance(scope.node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) and scope.parent:
        scope = scope.parent
    return scope
