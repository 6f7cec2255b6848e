"""CONC: what a boolean mask picks or sets becomes `jnp.where`, or a reduction with `where=`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

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
_EXTREMES = ("min", "max")  # these need a value to begin with


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
    """Every reduction of what the mask picks, at once: one that is left would need it still."""
    uses: list[ast.expr] = [node]
    spans: list[Span] = []
    parent = page.parent(node)
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1 and isinstance(parent.targets[0], ast.Name):
        scope = page.scope_within(parent)
        uses = list(page.loads(parent.targets[0].id, scope)) if scope is not None else []
        if not uses or any(page.function(use) is not page.function(node) for use in uses):
            raise Refusal("what the mask picks is used elsewhere")
        if len(uses) > 1 and not isinstance(node.slice, ast.Name):
            raise Refusal("the mask would be computed more than once")
        spans.append(statement_gone(page, parent))
    calls = [_reduction(page, use) for use in uses]
    _covers(page, node.slice, node.value)
    alias, added = module_alias(page, "jax.numpy")
    array, mask = argument(page, node.value), argument(page, node.slice)
    doubts: dict[str, None] = {}
    for call, name in calls:
        more = ""
        if name in _EXTREMES:
            initial, doubt = _initial(page, node.value, name, alias)
            more, doubts[doubt] = f", initial={initial}", None
        spans.append(Span(*page.text.span(call), f"{alias}.{name}({array}, where={mask}{more})"))
    told = "".join(f"; {doubt}" for doubt in doubts)
    return Repair(Applicability.UNSAFE, f"reduce under the mask{told}", [(page, s) for s in (*spans, *added)])


def _reduction(page: Page, used: ast.expr) -> tuple[ast.Call, str]:
    """The call of a reduction that a selection goes into, and its name."""
    method = page.parent(used)
    call = page.parent(method) if method is not None else None
    called = isinstance(method, ast.Attribute) and isinstance(call, ast.Call) and call.func is method
    if not called or method.attr not in (*_REDUCTIONS, *_EXTREMES) or call.args or call.keywords:  # type: ignore[union-attr]
        raise Refusal("what the mask picks goes on as an array of unknown size")
    return call, method.attr  # type: ignore[return-value, union-attr]


def _initial(page: Page, array: ast.expr, name: str, alias: str) -> tuple[str, str]:
    """Where `min` or `max` begins, and what comes of it where the mask picks nothing, in words."""
    if kind(page, array).dtype == "float":
        value = f"{alias}.inf" if name == "min" else f"-{alias}.inf"
        return value, f"where it picks nothing, which fails without `jit`, it gives {value.replace(alias + '.', '')}"
    if not isinstance(array, (ast.Name, ast.Attribute)):
        raise Refusal("the array would be computed twice")
    other = "nanmax" if name == "min" else "nanmin"  # the infinity of an integer is a number of its own
    told = "largest" if name == "min" else "smallest"
    return f"{alias}.{other}({page.text.cut(array)})", (
        f"where it picks nothing, which fails without `jit`, it gives the {told} of all"
    )
