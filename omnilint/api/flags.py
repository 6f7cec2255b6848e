"""Where the code keeps what it found out about the release: in other modules, on classes, in functions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from omnilint.api.guards import BROAD_ERRORS, IMPORT_ERRORS, caught, last_name, skips
from omnilint.api.scopes import Binding, Scope, resolve, written

VERSIONS = {"jax.__version__", "jax.version.__version__", "jax._src.version.__version__"}
INFOS = {"jax.__version_info__", "jax.version.__version_info__"}
SIGNATURES = {"signature", "getfullargspec", "getargspec"}

_ASKED = {"hasattr", "getattr", "dir", "vars"} | SIGNATURES
_NAMED = {"find_spec", "version"}
_MAX_DEPTH = 8
_FLAG = re.compile(r"_*(has|have|supports?|can|needs?|use|legacy|old|new|pre)(_|$)", re.I)
# Flags that say what else they are about.
_OTHER = re.compile(r"(^|_)(debug|debugging|verbose|verbosity|testing|training|logging|profiling)$", re.I)
Held = tuple[Scope, ast.expr]


def held(name: str, scope: Scope) -> Held | None:
    """Where a module of the project binds a dotted name: that module's scope, and the expression to read in it."""
    module = scope.module
    if name not in module.held:
        module.held[name] = None  # modules that star-import each other end here
        module.held[name] = _held(name, module)
    return module.held[name]


def _held(name: str, module: Scope) -> Held | None:
    found = None if module.place is None else module.place(name)
    if found is None:
        return None
    there, (first, *more) = found
    if first not in there.bindings:
        passed = (held(".".join([star, first, *more]), there) for star in reversed(there.stars))
        return next((p for p in passed if p is not None), None)
    node: ast.expr = ast.Name(first, ast.Load())
    for part in more:
        node = ast.Attribute(node, part, ast.Load())
    return there, node


def elsewhere(node: ast.Name | ast.Attribute, scope: Scope) -> Held | None:
    """What an expression names in another module of the project; None when it names nothing there."""
    if scope.module.place is None:
        return None
    # By the name that leads there, though what is bound there is JAX's: it may be None in some releases.
    names = [d.name for d in written(node, scope)]
    if isinstance(node, ast.Name) and scope.lookup(node.id) is None:
        names += [f"{star}.{node.id}" for star in reversed(scope.module.stars)]
    return next((h for h in (held(n, scope) for n in names) if h is not None), None)


def may_be_a_flag(node: ast.Name | ast.Attribute, scope: Scope) -> bool:
    """Whether an expression names something of the project that isn't among the files, and may say what JAX has."""
    last = node.attr if isinstance(node, ast.Attribute) else node.id
    names = [d.name for d in resolve(node, scope)]
    if not names and scope.lookup(last) is None:
        names = [f"{star}.{last}" for star in scope.module.stars]
    return any(_may_be_a_flag(n, last, scope) for n in names)


def may_answer(call: ast.Call, scope: Scope) -> bool:
    """Whether a call asks such a function for what JAX has: by constants, not by values as `has_shape(x)` does."""
    plain = (ast.Constant, ast.Tuple, ast.Load)
    constants = all(isinstance(p, plain) for a in call.args for p in ast.walk(a))
    return constants and isinstance(call.func, ast.Name | ast.Attribute) and may_be_a_flag(call.func, scope)


def brings_a_flag(binding: Binding, name: str, where: Scope) -> bool:
    """Whether an import binds `name` to something of the project that isn't among the files, and may be a flag."""
    return binding.imported is not None and _may_be_a_flag(binding.imported.name, name, where)


def _may_be_a_flag(dotted: str, called: str, scope: Scope) -> bool:
    own, unseen = scope.module.own, scope.module.unseen
    words = (called, dotted.rpartition(".")[2])
    if own is None or unseen is None or not own(dotted):
        return False
    return any(map(_FLAG.match, words)) or (not any(map(_OTHER.search, words)) and unseen(dotted))


def class_of(node: ast.expr, scope: Scope, depth: int = 0) -> Scope | None:
    """The namespace of the class that an expression is, or is an object of; None where the code doesn't show it."""
    if depth > _MAX_DEPTH:
        return None
    if isinstance(node, ast.Call):
        is_type = isinstance(node.func, ast.Name) and node.func.id == "type" and len(node.args) == 1
        return class_of(node.args[0] if is_type else node.func, scope, depth + 1)
    if isinstance(node, ast.Attribute) and node.attr == "__class__":
        return class_of(node.value, scope, depth + 1)
    if not isinstance(node, ast.Name | ast.Attribute):
        return None
    hit = scope.lookup(node.id) if isinstance(node, ast.Name) else None
    if hit is not None and isinstance(node, ast.Name):
        where, bindings = hit
        owner = where.parent
        if owner is not None and isinstance(owner.node, ast.ClassDef) and where.parameters[:1] == [node.id]:
            return owner
        last = bindings[-1]
        if last.body is not None:
            return last.body
        if last.value is not None:
            return class_of(last.value, where, depth + 1)
    there = elsewhere(node, scope)
    return None if there is None else class_of(there[1], there[0], depth + 1)


def members(node: ast.Attribute, scope: Scope, depth: int = 0) -> list[tuple[Scope, list[Binding]]]:
    """What binds an attribute of a class of the project, each with its scope: the class, its methods, or its bases."""
    cls = class_of(node.value, scope)
    seen: list[Scope] = []
    while cls is not None and cls not in seen:
        seen.append(cls)
        found = [(cls, cls.bindings[node.attr])] if node.attr in cls.bindings else []
        for binding, where in cls.module.attributes.get(node.attr, ()):
            if where.parent is cls:
                found.append((where, [binding]))
        if found:
            return found
        bases = cls.node.bases if isinstance(cls.node, ast.ClassDef) and cls.parent is not None else []
        known = [class_of(b, cls.parent) for b in bases if cls.parent is not None]
        cls = next((c for c in known if c is not None), None)
    return []


def functions_of(node: ast.expr, scope: Scope) -> Iterator[Scope]:
    """The functions of the project that a call of an expression may run."""
    if not isinstance(node, ast.Name | ast.Attribute):
        return
    hit = scope.lookup(node.id) if isinstance(node, ast.Name) else None
    own = [(hit[0], hit[1])] if hit is not None else members(node, scope) if isinstance(node, ast.Attribute) else []
    found = [b.function for _, bindings in own for b in bindings if b.function is not None]
    yield from found
    if not found:
        there = elsewhere(node, scope)
        if there is not None:
            yield from functions_of(there[1], there[0])


def mark_of(node: ast.expr, scope: Scope) -> Iterator[Held]:
    """The condition of the mark of pytest or unittest that a name keeps, with the scope to read it in."""
    if not isinstance(node, ast.Name | ast.Attribute):
        return
    hit = scope.lookup(node.id) if isinstance(node, ast.Name) else None
    for binding in hit[1] if hit is not None else ():
        condition = None if binding.value is None else skips(binding.value)
        if hit is not None and condition is not None:
            yield hit[0], condition
    there = elsewhere(node, scope)
    if there is not None:
        yield from mark_of(there[1], there[0])


def parameters_of(function: Scope) -> Sequence[str]:
    """The parameters that a caller gives: all but the object that a method is called on."""
    owner, node = function.parent, function.node
    if owner is None or not isinstance(owner.node, ast.ClassDef) or not isinstance(node, ast.FunctionDef):
        return function.parameters
    static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)
    return function.parameters if static else function.parameters[1:]


def is_property(function: Scope) -> bool:
    """Whether a method is read as an attribute."""
    decorators = getattr(function.node, "decorator_list", [])
    return any(last_name(d) in ("property", "cached_property") for d in decorators)


def looks(node: ast.AST, scope: Scope) -> bool:
    """Whether some part of the code asks for JAX's version, or tries whether JAX has something."""
    return any(_asks(part, scope) for part in ast.walk(node))


def asks(scope: Scope) -> bool:
    """Whether a module or function asks for JAX's version, or tries whether JAX has something."""
    known = scope.module.asking
    if id(scope) not in known:
        known[id(scope)] = looks(scope.node, scope)
    return known[id(scope)]


def _asks(part: ast.AST, scope: Scope) -> bool:
    if isinstance(part, ast.Try):
        errors = set[str]().union(*(caught(h) for h in part.handlers))
        tries = errors & (IMPORT_ERRORS | BROAD_ERRORS | {"AttributeError"})
        return bool(tries) and any(_imports_jax(s) for s in part.body)
    if isinstance(part, ast.Call):
        name = part.func.attr if isinstance(part.func, ast.Attribute) else getattr(part.func, "id", "")
        if name in _NAMED and part.args and isinstance(part.args[0], ast.Constant):
            return str(part.args[0].value).partition(".")[0] == "jax"
        return name in _ASKED and bool(part.args) and _is_jax(part.args[0], scope)
    if isinstance(part, ast.Name | ast.Attribute):
        word = part.id if isinstance(part, ast.Name) else part.attr
        return "version" in word.lower() and (
            any(d.name in VERSIONS | INFOS for d in resolve(part, scope))
            or (isinstance(part, ast.Attribute) and word.startswith("__version") and _is_jax(part.value, scope))
        )
    return False


def _imports_jax(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.ImportFrom):
        return not statement.level and (statement.module or "").partition(".")[0] == "jax"
    return isinstance(statement, ast.Import) and any(a.name.startswith("jax.") for a in statement.names)


def _is_jax(node: ast.expr, scope: Scope) -> bool:
    """Whether an expression leads to JAX; a plain `jax` that some function imports for itself does."""
    names = resolve(node, scope)
    if names:
        return all(d.name.partition(".")[0] == "jax" for d in names)
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id == "jax" and scope.lookup("jax") is None
