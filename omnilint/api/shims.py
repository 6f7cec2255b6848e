"""Names that a module gives to JAX itself: `jax.tree_map = jax.tree_util.tree_map`, and the like."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from omnilint.api.fold import literal
from omnilint.api.guards import Guard
from omnilint.api.scopes import Scope, resolve
from omnilint.api.spots import Walk

# Options of functions that replace an attribute for a while: with this value they make one that isn't there.
_MAKES = {"create": True, "raising": False}


@dataclass(frozen=True)
class Shim:
    """A dotted name that the code sets, and what guards that."""

    name: str
    guards: tuple[Guard, ...]

    def covers(self, name: str) -> bool:
        """Whether a name is the one that is set, or lies in it."""
        return name == self.name or name.startswith(self.name + ".")


def shims(walk: Walk) -> list[Shim]:
    """What the module sets on JAX's modules: by assignment, `setattr`, `sys.modules` or a patch that may create."""
    found: list[Shim] = []
    for spot in walk.sets:
        if isinstance(spot.node, ast.Attribute):
            names: Iterator[str] = (d.child(spot.node.attr).name for d in resolve(spot.node.value, spot.scope))
        else:
            names = _module_put(spot.node, spot.scope)
        found += [Shim(n, spot.guards) for n in names if _counts(n)]
    for spot in walk.spots:
        if isinstance(spot.node, ast.Call) and (spot.node.keywords or isinstance(spot.node.func, ast.Name)):
            found += [Shim(n, spot.guards) for n in _made_by(spot.node, spot.scope) if _counts(n)]
    return found


def _counts(name: str) -> bool:
    """Whether a name lies in JAX; its configuration object takes no new attributes."""
    return name.startswith("jax.") and not name.startswith("jax.config.")


def _module_put(node: ast.AST, scope: Scope) -> Iterator[str]:
    """The module that `sys.modules["…"] = …` puts there."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
        key = literal(node.slice)
        if isinstance(key, str) and any(d.name == "sys.modules" for d in resolve(node.value, scope)):
            yield key


def _made_by(node: ast.Call, scope: Scope) -> Iterator[str]:
    function = node.func
    plain = isinstance(function, ast.Name) and function.id == "setattr"
    if not plain and not any(k.arg in _MAKES and literal(k.value) is _MAKES[k.arg] for k in node.keywords):
        return
    if not node.args:
        return
    target = literal(node.args[0])
    if isinstance(target, str):
        yield target
    elif len(node.args) > 1:
        attribute = literal(node.args[1])
        if isinstance(attribute, str):
            yield from (f"{d.name}.{attribute}" for d in resolve(node.args[0], scope))
