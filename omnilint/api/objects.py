"""Which of JAX's objects an expression is, as far as the code shows it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from typing import Any

from omnilint import knowledge
from omnilint.api.attributes import ANY, plain
from omnilint.api.readers import expression_in
from omnilint.api.scopes import Binding, Scope, class_of, resolve

_MAX_DEPTH = 6
_ARRAYS = {"Array", ANY}
_NUMBERS = (int, float, complex)


@cache
def _facts() -> Mapping[str, Mapping[str, Any]]:
    """What makes objects: functions by name, then methods, members and calls of objects, each as `object.name`."""
    table = knowledge.table("internal_attributes")
    return {
        "functions": {f: kind for kind, functions in table["made_by"].items() for f in functions},
        "unless": table["made_unless"],
        "methods": table["methods"],
        "members": table["members"],
        "items": table["items"],
        "annotations": {**table["classes"], **dict.fromkeys(table["annotated"]["arrays"], ANY)},
        "wrappers": dict.fromkeys(table["annotated"]["wrappers"], True),
        "calls": table["calls"],
    }


def of_tracer(node: ast.Attribute) -> str | None:
    """`_trace.level` or `_trace.main.level`: nothing but a tracer of JAX has these, whatever the code calls it on."""
    inner = node.value
    if isinstance(inner, ast.Attribute) and inner.attr == "_trace":
        return f"_trace.{node.attr}"
    if isinstance(inner, ast.Attribute) and inner.attr == "main" and isinstance(inner.value, ast.Attribute):
        return f"_trace.main.{node.attr}" if inner.value.attr == "_trace" else None
    return None


def object_of(node: ast.expr, scope: Scope, depth: int = 0) -> str | None:
    """The kind of object that `node` is (see the table of attributes); None where the code doesn't show it."""
    if depth > _MAX_DEPTH:
        return None
    match node:
        case ast.Call():
            return _result_of(node, scope, depth)
        case ast.Subscript():
            return _facts()["items"].get(plain(object_of(node.value, scope, depth + 1)))
        case ast.Name():
            return _bound(node, scope, depth)
        case ast.Attribute():
            if node.attr == "config" and _is_config({d.name for d in resolve(node, scope)}):
                return "config"
            kind = plain(object_of(node.value, scope, depth + 1))
            return _facts()["members"].get(f"{kind}.{node.attr}") or _own_attribute(node, scope, depth)
        case ast.NamedExpr():
            return object_of(node.value, scope, depth + 1)
        case ast.IfExp():
            return _one({object_of(n, scope, depth + 1) for n in (node.body, node.orelse)})
    return _computed(node, scope, depth)


def _computed(node: ast.expr, scope: Scope, depth: int) -> str | None:
    """An array, where `node` is arithmetic on arrays and numbers: what else takes part may have its own idea of it."""
    match node:
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot | ast.In | ast.NotIn):
                return None
            parts = [left, right]
        case ast.UnaryOp(operand=operand) if not isinstance(node.op, ast.Not):
            parts = [operand]
        case _:
            return None
    rest = [p for p in parts if not _is_number(p)]
    return "Array" if rest and all(object_of(p, scope, depth + 1) in _ARRAYS for p in rest) else None


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and isinstance(node.value, _NUMBERS)


def annotated(node: ast.expr | None, scope: Scope) -> str | None:
    """The kind of object that an annotation promises; None for anything but one of JAX's classes, or None beside it."""
    match node:
        case ast.Constant(value=str()):
            return annotated(expression_in(node), scope)
        case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
            return annotated(left, scope)
        case ast.BinOp(left=ast.Constant(value=None), op=ast.BitOr(), right=right):
            return annotated(right, scope)
        case ast.Subscript(value=value, slice=inside):
            names = {d.name for d in resolve(value, scope)}
            first = inside.elts[0] if isinstance(inside, ast.Tuple) and inside.elts else inside
            return annotated(first, scope) if names and names <= _facts()["wrappers"].keys() else None
        case ast.Name() | ast.Attribute():
            kind = _one({_facts()["annotations"].get(d.name) for d in resolve(node, scope)})
            return ANY if kind == "Array" else kind
    return None


def _own_attribute(node: ast.Attribute, scope: Scope, depth: int) -> str | None:
    """The kind of `self.x`, where the class declares it, or all that the module sets any `x` to is of that kind."""
    owner = class_of(node.value, scope)
    module = scope.module
    if owner is None or "*" in module.attributes:
        return None
    declared = owner.bindings.get(node.attr, [])
    if any(b.annotation is None for b in declared):
        return None  # a method, a property or a value of the class
    if not declared and (not isinstance(owner.node, ast.ClassDef) or owner.node.bases or owner.node.keywords):
        return None  # a base class may have made a property of it
    kinds = {annotated(b.annotation, owner) for b in declared}
    for binding, where in module.attributes.get(node.attr, ()):
        kinds.add(_of_binding(binding, where, depth))
    return _one(kinds)


def _is_config(names: set[str]) -> bool:
    return bool(names) and names <= {"jax.config", "jax.config.config"}


def _bound(node: ast.Name, scope: Scope, depth: int) -> str | None:
    hit = scope.lookup(node.id)
    if hit is None:
        return None
    where, bindings = hit
    known, asked = where.kinds, (node.id, depth)
    if asked not in known:
        known[asked] = _of_all(bindings, where, depth)
    return known[asked]


def _of_all(bindings: list[Binding], where: Scope, depth: int) -> str | None:
    """What all the ways in which a scope binds a name agree on."""
    imported = {b.imported.name for b in bindings if b.imported is not None}
    if imported:
        return "config" if _is_config(imported) and len(imported) == len(bindings) else None
    return _one({_of_binding(b, where, depth) for b in bindings})


def _one(kinds: set[str | None]) -> str | None:
    """The kind that several ways agree on."""
    if len(kinds) > 1 and kinds <= _ARRAYS:
        return ANY
    return kinds.pop() if len(kinds) == 1 else None


def _of_binding(binding: Binding, where: Scope, depth: int) -> str | None:
    if binding.value is not None:
        kind = object_of(binding.value, where, depth + 1)
        return kind or annotated(binding.annotation, where)
    if binding.annotation is not None:
        return annotated(binding.annotation, where)
    if binding.function is not None and isinstance(binding.function.node, ast.FunctionDef):
        decorators = binding.function.node.decorator_list
        if len(decorators) == 1:
            return _decorated(decorators[0], where)
    return None


def _decorated(decorator: ast.expr, scope: Scope) -> str | None:
    """What a function becomes by `@jax.jit`, `@jax.jit(…)` or `@partial(jax.jit, …)`."""
    if isinstance(decorator, ast.Call):
        names = {d.name for d in resolve(decorator.func, scope)}
        if names == {"functools.partial"} and decorator.args:
            return _decorated(decorator.args[0], scope)
        return _decorated(decorator.func, scope)
    names = {d.name for d in resolve(decorator, scope)}
    kinds = {_facts()["functions"].get(n) for n in names}
    return "jitted" if kinds == {"jitted"} else None


def _result_of(node: ast.Call, scope: Scope, depth: int) -> str | None:
    names = {d.name for d in resolve(node.func, scope)}
    if isinstance(node.func, ast.Name) and not names:
        return _returned(node.func, scope)
    if len(names) == 1:
        (name,) = names
        kind = _facts()["functions"].get(name)
        return kind if kind is not None and _usual(name, node, scope, depth) else None
    if isinstance(node.func, ast.Attribute):
        kind = plain(object_of(node.func.value, scope, depth + 1))
        return _facts()["methods"].get(f"{kind}.{node.func.attr}")
    if isinstance(node.func, ast.Call):
        return _facts()["calls"].get(object_of(node.func, scope, depth + 1) or "")
    return None


def _returned(function: ast.Name, scope: Scope) -> str | None:
    """What a function of the module says that it returns, where nothing decorates it."""
    hit = scope.lookup(function.id)
    if hit is None or len(hit[1]) != 1 or hit[1][0].function is None:
        return None
    node = hit[1][0].function.node
    if not isinstance(node, ast.FunctionDef) or node.decorator_list:
        return None
    return annotated(node.returns, hit[0])


def _usual(name: str, node: ast.Call, scope: Scope, depth: int) -> bool:
    """Whether a call gives what the function gives as a rule: some give a tuple, or what they were given."""
    limits = _facts()["unless"].get(name)
    if limits is None:
        return True
    if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
        return False
    if any(k.arg in limits.get("keywords", ()) for k in node.keywords):
        return False
    if len(node.args) < limits.get("fewer_than", 0):
        return False
    if limits.get("passes_on"):
        first = node.args[0] if node.args else None
        number = isinstance(first, ast.Constant) and isinstance(first.value, int | float | complex)
        return number or (first is not None and object_of(first, scope, depth + 1) in _ARRAYS)
    return True
