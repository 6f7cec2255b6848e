"""Which expressions are JAX's arrays for sure: what JAX's own functions made, and what is computed from such."""

from __future__ import annotations

import ast

from omnilint.fixes.context import Page
from omnilint.fixes.shadowing import binds
from omnilint.fixes.static_values import is_number

_DEPTH = 8
# Functions that give one array, whatever they are given.
_MAKERS = {
    "jax.numpy": "zeros ones full empty zeros_like ones_like full_like empty_like arange eye identity array asarray "
    "sum prod mean std var min max amin amax cumsum cumprod dot matmul tensordot outer concatenate stack hstack vstack "
    "reshape ravel transpose squeeze expand_dims broadcast_to tile repeat flip roll sort argsort argmax argmin clip "
    "maximum minimum exp log sqrt sin cos tanh abs add subtract multiply divide diag tril triu",
    "jax.random": "normal uniform randint bernoulli permutation categorical gamma truncated_normal",
    "jax.ops": "index_update index_add index_mul index_min index_max segment_sum",
}
_GIVES_AN_ARRAY = frozenset(f"{module}.{name}" for module, names in _MAKERS.items() for name in names.split())


def is_array(page: Page, node: ast.expr, depth: int = 0) -> bool:
    """Whether an expression is an array of JAX's, or a tracer, whenever it is computed at all."""
    if depth > _DEPTH:
        return False
    if isinstance(node, ast.Call):
        return page.dotted(node.func) in _GIVES_AN_ARRAY or _is_update(node.func)
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        first = [is_array(page, side, depth + 1) for side in sides]
        return any(first) and all(known or is_number(page, side) for known, side in zip(first, sides, strict=True))
    if isinstance(node, ast.UnaryOp):
        return not isinstance(node.op, ast.Not) and is_array(page, node.operand, depth + 1)
    if isinstance(node, ast.Name):
        return _is_array_name(page, node, depth)
    return False


def _is_update(function: ast.expr) -> bool:
    """`x.at[i].set`: only JAX's arrays have that."""
    at = function.value if isinstance(function, ast.Attribute) else None
    return isinstance(at, ast.Subscript) and isinstance(at.value, ast.Attribute) and at.value.attr == "at"


def _is_array_name(page: Page, node: ast.Name, depth: int) -> bool:
    hit = page.bindings(node)
    if hit is None:
        return False
    scope, bindings = hit
    if all(b.value is not None and b.imported is None and is_array(page, b.value, depth + 1) for b in bindings):
        return True
    own = scope.node is page.function(node) and not page.shadows.is_shared(node.id, node)
    return own and _last_assigned_array(page, node, depth)


def _last_assigned_array(page: Page, node: ast.Name, depth: int) -> bool:
    """Whether the statement before that binds a name, in the same block or the ones around, gives it an array."""
    at: ast.AST = page.statement(node)
    while True:
        parent = page.parent(at)
        blocks = [getattr(parent, field, None) for field in ("body", "orelse")]
        block = next((b for b in blocks if isinstance(b, list) and at in b), None)
        if block is None:
            return False
        for statement in reversed(block[: block.index(at)]):
            if _binds(statement, node.id):
                plain = isinstance(statement, ast.Assign) and [t for t in statement.targets if _is(t, node.id)]
                return bool(plain) and is_array(page, statement.value, depth + 1)
        if not isinstance(parent, (ast.If, ast.With)):
            return False
        at = parent


def _is(target: ast.expr, name: str) -> bool:
    return isinstance(target, ast.Name) and target.id == name


def _binds(statement: ast.stmt, name: str) -> bool:
    """Whether a statement binds a name in any way, itself or within."""
    return any(bound == name for n in ast.walk(statement) for bound, _ in binds(n))
