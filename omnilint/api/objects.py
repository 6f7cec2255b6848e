"""Which of JAX's objects an expression is, as far as the code shows it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from typing import Any

from omnilint import knowledge
from omnilint.api.scopes import Binding, Scope, resolve

_MAX_DEPTH = 6


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
    if isinstance(node, ast.Call):
        return _result_of(node, scope, depth)
    if isinstance(node, ast.Subscript):
        kind = object_of(node.value, scope, depth + 1) if isinstance(node.value, ast.Call | ast.Name) else None
        return _facts()["items"].get(kind or "")
    if isinstance(node, ast.Name):
        return _bound(node, scope, depth)
    if isinstance(node, ast.Attribute):
        if node.attr == "config" and _is_config({d.name for d in resolve(node, scope)}):
            return "config"
        kind = object_of(node.value, scope, depth + 1)
        return _facts()["members"].get(f"{kind}.{node.attr}")
    return None


def _is_config(names: set[str]) -> bool:
    return bool(names) and names <= {"jax.config", "jax.config.config"}


def _bound(node: ast.Name, scope: Scope, depth: int) -> str | None:
    hit = scope.lookup(node.id)
    if hit is None:
        return None
    where, bindings = hit
    imported = {b.imported.name for b in bindings if b.imported is not None}
    if imported:
        return "config" if _is_config(imported) and len(imported) == len(bindings) else None
    kinds = {_of_binding(b, where, depth) for b in bindings}
    return kinds.pop() if len(kinds) == 1 else None


def _of_binding(binding: Binding, where: Scope, depth: int) -> str | None:
    if binding.value is not None:
        return object_of(binding.value, where, depth + 1)
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
    if len(names) == 1:
        (name,) = names
        kind = _facts()["functions"].get(name)
        return kind if kind is not None and _usual(name, node, scope, depth) else None
    if isinstance(node.func, ast.Attribute):
        kind = object_of(node.func.value, scope, depth + 1)
        return _facts()["methods"].get(f"{kind}.{node.func.attr}")
    if isinstance(node.func, ast.Call):
        return _facts()["calls"].get(object_of(node.func, scope, depth + 1) or "")
    return None


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
        return number or (first is not None and object_of(first, scope, depth + 1) == "Array")
    return True
