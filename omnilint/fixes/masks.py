"""CONC: what a boolean mask picks or sets becomes `jnp.where`, or a reduction with `where=`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.import_parts import statement_gone
from omnilint.fixes.imports import module_alias
from omnilint.fixes.kinds import SCALAR, kind, once_assigned
from omnilint.fixes.needs import where
from omnilint.fixes.operands import argument
from omnilint.fixes.static_values import is_number
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding

_UPDATES = {"set": "{v}", "add": "{x} + {v}", "multiply": "{x} * {v}", "divide": "{x} / {v}", "min": "", "max": ""}
_REDUCTIONS = ("sum", "mean", "prod", "any", "all", "var", "std")


def propose(finding: Finding, book: Book) -> Repair:
    """The repair of `x.at[mask].set(v)` and of `x[mask].sum()`; refuses a selection that goes elsewhere."""
    page, node = where(finding, book)
    if not isinstance(node, ast.Subscript) or isinstance(node.slice, (ast.Tuple, ast.Slice)):
        raise Refusal("the mask is one index of several")
    if "#" in page.text.cut(node):
        raise Refusal("a comment stands inside")
    if isinstance(node.value, ast.Attribute) and node.value.attr == "at":
        return _update(page, node, node.value.value)
    return _selection(page, node)


def _update(page: Page, node: ast.Subscript, array: ast.expr) -> Repair:
    method = page.parent(node)
    call = page.parent(method) if method is not None else None
    if not (isinstance(method, ast.Attribute) and isinstance(call, ast.Call) and call.func is method):
        raise Refusal("what is done with the mask can't be told")
    written = _UPDATES.get(method.attr)
    if not written or len(call.args) != 1 or call.keywords:
        raise Refusal(f"`.{method.attr}()` has no form with jnp.where")
    value = call.args[0]
    if not (is_number(page, value) or _is_number_of_jax(page, value)):
        raise Refusal("the new values may be as many as the mask picks")
    if not isinstance(array, (ast.Name, ast.Attribute)) and "{x}" in written:
        raise Refusal("the array would be computed twice")
    _covers(page, node.slice, array)
    alias, added = module_alias(page, "jax.numpy")
    x, v = argument(page, array), argument(page, value)
    new = f"{alias}.where({argument(page, node.slice)}, {written.format(x=x, v=v)}, {x})"
    start, end = page.text.span(call)
    if "\n" in new:
        raise Refusal("it stands on several lines")
    spans = [Span(start, end, new), *added]
    return Repair(Applicability.UNSAFE, "choose element by element", [(page, s) for s in spans])


def _covers(page: Page, mask: ast.expr, array: ast.expr) -> None:
    """Refuses a mask that isn't seen to have the array's own shape: of rows, it would be laid along the last axis."""
    whole = kind(page, array).shape
    if whole in (None, SCALAR) or not any(kind(page, part).shape == whole for part in _parts(page, mask)):
        raise Refusal("whether the mask has the shape of the array isn't seen")


def _parts(page: Page, mask: ast.expr) -> Iterator[ast.expr]:
    """The operands that a mask is computed from, element by element."""
    value = once_assigned(page, mask) if isinstance(mask, ast.Name) else None
    if value is not None:
        yield from _parts(page, value)
    yield mask
    sides = {ast.Compare: ("left", "comparators"), ast.BinOp: ("left", "right"), ast.UnaryOp: ("operand",)}
    for field in sides.get(type(mask), ()):
        found = getattr(mask, field)
        for side in found if isinstance(found, list) else [found]:
            yield from _parts(page, side)


def _is_number_of_jax(page: Page, node: ast.expr) -> bool:
    """`jnp.nan`, `-jnp.inf`: numbers by name."""
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return page.dotted(inner) in ("jax.numpy.nan", "jax.numpy.inf", "jax.numpy.pi", "numpy.nan", "numpy.inf")


def _selection(page: Page, node: ast.Subscript) -> Repair:
    used: ast.expr = node
    spans: list[Span] = []
    parent = page.parent(node)
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1 and isinstance(parent.targets[0], ast.Name):
        target = parent.targets[0]
        scope = page.scope_within(parent)
        loads = list(page.loads(target.id, scope)) if scope is not None else []
        if len(loads) != 1 or page.function(loads[0]) is not page.function(node):
            raise Refusal("the selection is used more than once")
        used = loads[0]
        spans.append(statement_gone(page, parent))
    method: Any = page.parent(used)
    call: Any = page.parent(method) if method is not None else None
    called = isinstance(method, ast.Attribute) and isinstance(call, ast.Call) and call.func is method
    if not called or method.attr not in _REDUCTIONS or call.args or call.keywords:
        raise Refusal("what the mask picks goes on as an array of unknown size")
    _covers(page, node.slice, node.value)
    alias, added = module_alias(page, "jax.numpy")
    new = f"{alias}.{method.attr}({argument(page, node.value)}, where={argument(page, node.slice)})"
    spans += [Span(*page.text.span(call), new), *added]
    return Repair(Applicability.UNSAFE, "reduce under the mask", [(page, s) for s in spans])
