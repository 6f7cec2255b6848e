"""Whether a `try` may fail by JAX's release: one whose body has nothing of JAX says nothing of it."""

from __future__ import annotations

import ast
import builtins

from omnilint.api.guards import Attempt
from omnilint.api.scopes import Scope, resolve


def may_fail_by_the_release(attempt: Attempt) -> bool:
    """Whether the body of a `try` has something that is of JAX, of the project, or of what isn't known."""
    if attempt.foreign is None:
        scope = attempt.scope
        nodes = [n for statement in attempt.body for n in ast.walk(statement)]
        attempt.foreign = scope is not None and all(_foreign(n, scope) for n in nodes)
    return not attempt.foreign


def _foreign(node: ast.AST, scope: Scope) -> bool:
    match node:
        case ast.Import():
            return all(_of_others(a.name, scope) for a in node.names)
        case ast.ImportFrom():
            return not node.level and _of_others(node.module or "", scope)
        case ast.Name(ctx=ast.Load()) if scope.lookup(node.id) is None:
            return hasattr(builtins, node.id)
        case ast.Name(ctx=ast.Load()):
            names = resolve(node, scope)
            return bool(names) and all(_of_others(d.name, scope) for d in names)
        case ast.Constant(value=str() as text):
            return "jax" not in text.lower()  # `import_module("jax.experimental.maps")`
    return True


def _of_others(name: str, scope: Scope) -> bool:
    """Whether a dotted name is of neither JAX, nor what is called after it (jaxlib), nor the project."""
    own, place = scope.module.own, scope.module.place
    if "jax" in name.lower() or name.startswith("."):
        return False
    return (own is None or not own(name)) and (place is None or place(name) is None)
