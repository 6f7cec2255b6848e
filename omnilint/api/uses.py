"""What a module uses of JAX: dotted names and calls, each with its place and what guards it."""

from __future__ import annotations

import ast
import re
from abc import ABCMeta
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from omnilint.api.arguments import methods
from omnilint.api.attributes import called, object_in, of_traces, plain, steady
from omnilint.api.fold import imported_module, importer, literal
from omnilint.api.guards import Guard, asks_about, last_name
from omnilint.api.objects import object_of, of_tracer
from omnilint.api.scopes import Dotted, Scope, class_of, from_stars, resolve
from omnilint.api.spots import Spot, Walk
from omnilint.index.module import absolute

ROOT = "jax"
_OPTION = re.compile(r"jax\.config(?:\.config)?\.(jax_\w+)")
_ASKED = {"update", "read"}
_PATCHERS = {"patch", "setattr", "delattr"}
_OBJECT_PATCHERS = {("patch", "object"), ("monkeypatch", "setattr"), ("monkeypatch", "delattr")}


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """One use: what it can stand for (all of it, or nothing, must be wrong to be reported), and where.

    `node` is the expression or statement; `index` is the spot's index in the walk. `kind` is "import", "from",
    "attribute", "getattr", "text" (a name in a string), "dynamic" (import_module), "star", "option" (of jax.config),
    "object" (an attribute of one of JAX's objects) or "class" (one of such an object's class). `names` holds, for
    "from", one name for each imported alias; else it holds alternatives. `idle`: nothing evaluates it; `inside`: it
    stands in a function, where an array may be a tracer.
    """

    kind: str
    names: tuple[Dotted, ...]
    node: ast.AST
    guards: tuple[Guard, ...]
    index: int
    statement: ast.stmt
    text: ast.Constant | None = None
    idle: bool = False
    inside: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A call of a JAX function: its arguments, as far as they stand in the code."""

    names: tuple[Dotted, ...]
    node: ast.Call
    positional: tuple[ast.expr, ...]
    keywords: tuple[ast.keyword, ...]
    open: bool
    scope: Scope
    guards: tuple[Guard, ...]
    index: int
    statement: ast.stmt

    def kind_of(self, value: ast.expr) -> str:
        """Which of JAX's objects an argument is; "" where the code doesn't show it."""
        return plain(object_of(value, self.scope))

    def given(self) -> dict[str, ast.expr | None]:
        """The keywords with their values; None where a value can't be told."""
        return {str(k.arg): _value_of(k.value, self.scope) for k in self.keywords}


def _value_of(value: ast.expr, scope: Scope) -> ast.expr | None:
    """The value of an argument; for a parameter that is handed on, its default, or None where it can't be told."""
    if isinstance(value, ast.Attribute) and not _may_lead(base_of(value), scope):
        return None  # `self.backend`, which somebody else sets
    if not isinstance(value, ast.Name):
        return value
    hit = scope.lookup(value.id)
    if hit is None or len(hit[1]) != 1 or not isinstance(hit[0].node, ast.FunctionDef | ast.AsyncFunctionDef):
        return value
    a = hit[0].node.args
    positional = [*a.posonlyargs, *a.args]
    defaults = [*[None] * (len(positional) - len(a.defaults)), *a.defaults, *a.kw_defaults]
    for parameter, default in zip([*positional, *a.kwonlyargs], defaults, strict=True):
        if parameter.arg == value.id:
            return default
    return value


def is_jax(name: str) -> bool:
    """Whether a dotted name lies in the jax package."""
    return name == ROOT or name.startswith(ROOT + ".")


def uses(walk: Walk) -> Iterator[Use | Call]:
    """Every use of JAX in the walk's order."""
    foreign = _keeps_traces(walk)
    for i, spot in enumerate(walk.spots):
        node = spot.node
        if isinstance(node, ast.Attribute):
            yield from _attribute(node, spot, i)
            if not foreign:
                yield from _chains(node, spot, i)
                yield from _own_trace(node, spot, i)
        elif isinstance(node, ast.Call):
            yield from _call(node, spot, i)
        elif isinstance(node, ast.Name):
            if walk.scope.stars:
                yield from _star(node, spot, i)
        elif isinstance(node, ast.Import):
            yield from _import(node, spot, i)
        elif isinstance(node, ast.ImportFrom):
            yield from _import_from(node, spot, i, walk.package)


def _use(kind: str, names: tuple[Dotted, ...], spot: Spot, index: int) -> Use:
    return Use(kind, names, spot.node, spot.guards, index, spot.statement, spot.text, spot.idle)


def _import(node: ast.Import, spot: Spot, index: int) -> Iterator[Use]:
    for a in node.names:
        if is_jax(a.name):
            yield Use("import", (Dotted(a.name),), a, spot.guards, index, spot.statement)


def _import_from(node: ast.ImportFrom, spot: Spot, index: int, package: str) -> Iterator[Use]:
    module = absolute(package, node.module, node.level)
    if not is_jax(module):
        return
    names = tuple(Dotted(module if a.name == "*" else f"{module}.{a.name}") for a in node.names)
    yield _use("from", names, spot, index)


def base_of(node: ast.expr) -> ast.expr:
    """What a chain of attributes starts with."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def _may_lead(base: ast.expr, scope: Scope) -> bool:
    """Whether what a chain of attributes starts with may be known: most start with a parameter or a local value."""
    if not isinstance(base, ast.Name):
        return True
    hit = scope.lookup(base.id)
    if hit is None:
        return bool(scope.module.stars)
    return all(b.imported is not None or b.value is not None or b.function is not None for b in hit[1])


def _is_own(node: ast.expr, scope: Scope) -> bool:
    """Whether a chain of attributes starts with one of the method's object that some code here sets: `self.xp.sum`."""
    while isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute):
        node = node.value
    if not isinstance(node, ast.Attribute):
        return False
    owner = class_of(node.value, scope)
    return owner is not None and (node.attr in owner.bindings or node.attr in scope.module.attributes)


def _may_be_object(base: ast.expr, scope: Scope) -> bool:
    """Whether a chain of attributes may start with one of JAX's objects though nothing assigns it: by annotations."""
    hit = scope.lookup(base.id) if isinstance(base, ast.Name) else None
    if hit is None:
        return False
    own = hit[0].parent is not None and isinstance(hit[0].parent.node, ast.ClassDef)
    return own or any(b.annotation is not None for b in hit[1])


def _attribute(node: ast.Attribute, spot: Spot, index: int) -> Iterator[Use]:
    base = base_of(node)
    names: tuple[Dotted, ...] = ()
    if _may_lead(base, spot.scope) or _is_own(node, spot.scope):
        names = resolve(node, spot.scope)
        if names and all(is_jax(d.name) for d in names):
            option = _OPTION.match(names[0].name)
            if option and len(names) == 1:
                yield Use("option", (Dotted(option.group(1)),), node, spot.guards, index, spot.statement, spot.text)
            yield _use("attribute", names, spot, index)
    elif not _may_be_object(base, spot.scope):
        return
    if names and not (len(names) == 1 and names[0].name.startswith("jax.config")):
        yield from _of_class(node, names, spot, index)
        return  # a name of a module: no object that could lack something
    part: ast.expr = node
    while isinstance(part, ast.Attribute):
        if part.attr not in steady() and isinstance(part.ctx, ast.Load):
            kind = object_of(part.value, spot.scope)
            is_option = kind == "config" and part.attr.startswith("jax_")
            if kind and not is_option and not _is_asked_about(node, spot):
                yield _of_object("object", f"{kind}.{part.attr}", part, spot, index)
        part = part.value


def _is_asked_about(node: ast.expr, spot: Spot) -> bool:
    """Whether the code around a chain asks what the variable that it starts with is, or has."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return isinstance(node, ast.Name) and asks_about(node.id, spot.guards)


def _of_object(kind: str, name: str, node: ast.expr, spot: Spot, index: int) -> Use:
    inside = spot.scope.parent is not None
    return Use(kind, (Dotted(name),), node, spot.guards, index, spot.statement, spot.text, spot.idle, inside)


def _of_class(node: ast.Attribute, names: tuple[Dotted, ...], spot: Spot, index: int) -> Iterator[Use]:
    """`jax.Array.device_buffer`: what the objects of a class lack, the class lacks too."""
    part, name = node, names[0].name if len(names) == 1 else ""
    while name:
        kind, attribute = object_in(name)
        if kind and attribute not in dir(ABCMeta) and isinstance(part.ctx, ast.Load):
            yield _of_object("class", f"{kind}.{attribute}", part, spot, index)
        if not isinstance(part.value, ast.Attribute):
            return
        part, name = part.value, name.rpartition(".")[0]


def _keeps_traces(walk: Walk) -> bool:
    """Whether the module's own objects have something in `_trace`, and none of them is a tracer of JAX."""
    sets = any(isinstance(s.node, ast.Attribute) and s.node.attr == "_trace" for s in walk.sets)
    classes = [n for n in ast.walk(walk.scope.node) if isinstance(n, ast.ClassDef)] if sets else []
    return sets and not any(last_name(b).endswith("Tracer") for c in classes for b in c.bases)


def _chains(node: ast.Attribute, spot: Spot, index: int) -> Iterator[Use]:
    """`x._trace.level` and its like in a chain of attributes, whatever `x` is."""
    part: ast.expr = node
    while isinstance(part, ast.Attribute):
        chain = of_tracer(part)
        if chain:
            found = (Dotted(f"tracer.{chain}"),)
            yield Use("object", found, part, spot.guards, index, spot.statement, spot.text)
        part = part.value


def _own_trace(node: ast.Attribute, spot: Spot, index: int) -> Iterator[Use]:
    """`self.master` in a method of a class that derives from JAX's Trace."""
    part: ast.expr = node
    while isinstance(part, ast.Attribute):
        inner = part.value
        if part.attr in of_traces() and isinstance(inner, ast.Name) and _is_trace(inner.id, spot.scope):
            found = (Dotted(f"trace.{part.attr}"),)
            yield Use("object", found, part, spot.guards, index, spot.statement, spot.text)
        part = part.value


def _is_trace(name: str, scope: Scope) -> bool:
    """Whether a name is the first parameter of a method of such a class."""
    method: Scope | None = scope
    while method is not None and name not in method.bindings:
        method = method.parent
    if method is None or method.parent is None or method.parameters[:1] != [name]:
        return False
    cls = method.parent.node
    if not isinstance(cls, ast.ClassDef) or method.parent.parent is None:
        return False
    return any(d.name == "jax.core.Trace" for b in cls.bases for d in resolve(b, method.parent.parent))


def _star(node: ast.Name, spot: Spot, index: int) -> Iterator[Use]:
    if isinstance(node.ctx, ast.Load) and spot.scope.lookup(node.id) is None:
        names = from_stars(node.id, spot.scope.module)
        if names:
            yield _use("star", names, spot, index)


def _call(node: ast.Call, spot: Spot, index: int) -> Iterator[Use | Call]:
    function = node.func
    if isinstance(function, ast.Name) and function.id == "getattr" and len(node.args) == 2:
        # With a default a missing name can't raise.
        names = resolve(node, spot.scope)
        if names and all(is_jax(d.name) for d in names):
            yield _use("getattr", names, spot, index)
        return
    if isinstance(function, ast.Attribute | ast.Name) and node.args and _last(function) in _PATCHERS:
        # mock.patch("jax.x.y") and monkeypatch.setattr("jax.x.y", …) fail for a name that isn't there.
        target = literal(node.args[0])
        if isinstance(target, str) and is_jax(target) and all(p.isidentifier() for p in target.split(".")):
            yield Use("text", (Dotted(target),), node.args[0], spot.guards, index, spot.statement)
    if isinstance(function, ast.Attribute) and len(node.args) > 1 and _patches_object(function):
        attribute = literal(node.args[1])
        names = resolve(node.args[0], spot.scope) if isinstance(attribute, str) and attribute.isidentifier() else ()
        if names and all(is_jax(d.name) for d in names):
            yield _use("getattr", tuple(d.child(str(attribute)) for d in names), spot, index)
            return
    which = importer(node, spot.scope)
    if which is not None:
        if which != "pytest.importorskip" and node.args:
            for name in _folded_modules(node, spot):
                if is_jax(name):
                    yield _use("dynamic", (Dotted(name),), spot, index)
        return
    if isinstance(function, ast.Attribute) and (function.attr in called() or function.attr in _ruled()):
        yield from _method(function, node, spot, index)
    if not _may_lead(base_of(function), spot.scope) and not _is_own(function, spot.scope):
        return
    names = resolve(function, spot.scope)
    if names and all(is_jax(d.name) for d in names):
        yield from _options(names, node, spot, index)
        yield _called(names, node, list(node.args), spot, index)
    elif any(d.name == "functools.partial" for d in names) and node.args:
        inner = resolve(node.args[0], spot.scope)
        if inner and all(is_jax(d.name) for d in inner):
            yield _called(inner, node, list(node.args[1:]), spot, index, more=True)


@cache
def _ruled() -> frozenset[str]:
    return frozenset(m.rpartition(".")[2] for m in methods())


def _method(function: ast.Attribute, node: ast.Call, spot: Spot, index: int) -> Iterator[Use | Call]:
    """A call of a method of one of JAX's objects that the tables know something of."""
    kind = object_of(function.value, spot.scope)
    if not kind or _is_asked_about(function, spot):
        return
    if function.attr in called():
        yield _of_object("object", f"{kind}.{function.attr}()", function, spot, index)
    if f"{plain(kind)}.{function.attr}" in methods():
        yield _called((Dotted(f"{plain(kind)}.{function.attr}"),), node, list(node.args), spot, index)


def _patches_object(function: ast.Attribute) -> bool:
    """Whether a method is `patch.object`, `monkeypatch.setattr` or `monkeypatch.delattr`: they want the name there."""
    holder = function.value
    last = holder.attr if isinstance(holder, ast.Attribute) else getattr(holder, "id", "")
    return (last, function.attr) in _OBJECT_PATCHERS


def _last(function: ast.Attribute | ast.Name) -> str:
    return function.attr if isinstance(function, ast.Attribute) else function.id


def _folded_modules(node: ast.Call, spot: Spot) -> Iterator[str]:
    if isinstance(node.func, ast.Name) and node.func.id == "__import__" and node.args:
        name = literal(node.args[0])
        if isinstance(name, str):
            yield name
        return
    yield from imported_module(node, spot.scope)


def _called(
    names: tuple[Dotted, ...], node: ast.Call, args: list[ast.expr], spot: Spot, index: int, more: bool = False
) -> Call:
    given = [_spread(k, spot.scope) if k.arg is None else [k] for k in node.keywords]
    starred = more or any(isinstance(a, ast.Starred) for a in args) or None in given
    keywords = tuple(k for some in given for k in some or ())
    return Call(names, node, tuple(args), keywords, starred, spot.scope, spot.guards, index, spot.statement)


def _spread(keyword: ast.keyword, scope: Scope) -> list[ast.keyword] | None:
    """The keywords of `**{"a": 1}`, `**dict(a=1)` and a name for such a dict; None where the keys can't be told."""
    value = keyword.value
    if isinstance(value, ast.Name):
        named = _dict_of(value, scope)
        found = None if named is None else _spread(ast.keyword(None, named), scope)
        at = {"lineno": value.lineno, "col_offset": value.col_offset}
        at |= {"end_lineno": value.end_lineno or value.lineno, "end_col_offset": value.end_col_offset or 0}
        return None if found is None else [ast.keyword(k.arg, k.value, **at) for k in found]
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "dict":
        return None if value.args or any(k.arg is None for k in value.keywords) else value.keywords
    if not isinstance(value, ast.Dict):
        return None
    found = []
    for key, given in zip(value.keys, value.values, strict=True):
        name = None if key is None else literal(key)
        if key is None or not isinstance(name, str):
            return None
        span = {"lineno": key.lineno, "col_offset": key.col_offset}
        found.append(ast.keyword(name, given, **span, end_lineno=given.end_lineno, end_col_offset=given.end_col_offset))
    return found


def _dict_of(node: ast.Name, scope: Scope) -> ast.expr | None:
    """The dict that a name is bound to once, where nothing in the module can change its keys."""
    hit = scope.lookup(node.id)
    if hit is None or len(hit[1]) != 1 or not isinstance(hit[1][0].value, ast.Dict | ast.Call):
        return None
    changed = scope.module.changed
    if changed is None:
        changed = scope.module.changed = frozenset(_changed(scope.module.node))
    return None if node.id in changed else hit[1][0].value


def _changed(tree: ast.AST) -> Iterator[str]:
    """Names of which the code sets or deletes an item, or calls a method that may, or that it hands on as they are."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=ast.Name(name), ctx=ast.Store() | ast.Del()):
                yield name
            case ast.Attribute(value=ast.Name(name), attr="update" | "pop" | "popitem" | "clear" | "setdefault"):
                yield name
            case ast.AugAssign(target=ast.Name(name)):
                yield name
            case ast.Call(args=args):
                yield from (a.id for a in args if isinstance(a, ast.Name))


def _options(names: tuple[Dotted, ...], node: ast.Call, spot: Spot, index: int) -> Iterator[Use]:
    """The option that `jax.config.update` or `jax.config.read` is asked for."""
    heads = {d.name.rpartition(".")[0] for d in names}
    if not heads <= {"jax.config", "jax.config.config"} or {d.name.rpartition(".")[2] for d in names} - _ASKED:
        return
    asked = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg == "name"), None)
    option: Any = literal(asked) if asked is not None else None
    if isinstance(option, str) and asked is not None:
        yield Use("option", (Dotted(option),), asked, spot.guards, index, spot.statement)
