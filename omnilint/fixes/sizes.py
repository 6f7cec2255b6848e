"""CONC: `nonzero` and its kin get a fixed size, where it can be told what the entries that fill the result do."""

from __future__ import annotations

import ast

from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.filled import At, filled, updated
from omnilint.fixes.kinds import SCALAR, kind
from omnilint.fixes.needs import where
from omnilint.fixes.static_values import is_number
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding

_INDICES = ("nonzero", "flatnonzero", "argwhere", "where")
_SIZED = (*_INDICES, "unique", "union1d", "setdiff1d", "intersect1d")


def propose(finding: Finding, book: Book) -> Repair:
    """The repair that gives `size=`; refuses where what fills the result would count, or how many isn't written."""
    page, node = where(finding, book)
    module, _, name = (page.dotted(node.func) or "").rpartition(".") if isinstance(node, ast.Call) else ("", "", "")
    if not isinstance(node, ast.Call) or module != "jax.numpy" or name not in _SIZED or len(node.args) != 1:
        raise Refusal("a fixed size for its result can't be told")
    if any(k.arg in ("size", "fill_value", None) for k in node.keywords):
        raise Refusal("its size is given in another way")
    at = page.text.span(node.args[0])[1]
    if page.text.text[at : at + 1] == ")" and at + 1 < page.text.span(node)[1]:
        raise Refusal("the argument stands in parentheses")
    uses = filled(page, node)
    if At.COUNTED in uses:
        raise Refusal("how many there are is asked for, which a fixed size doesn't tell")
    size = _size(page, node.args[0])
    one = _takes_one(page, node, name)
    if size is None and one is not None:
        size = str(one + 1)
    if size is None:
        raise Refusal("how many there can be isn't written in the code")
    if At.READ in uses and one is None:
        raise Refusal("the entries that fill a fixed size would be read as well; a mask and `jnp.where` keep the shape")
    if At.UPDATED in uses and one is None:
        return _dropped(page, node, at, size, uses)
    means = "0, which indexing takes for the first entry" if name in _INDICES else "the smallest value again"
    description = f"give the result a fixed size, {size}: what isn't there becomes {means} (or fill_value=)"
    applicability = Applicability.DISPLAY if one is None else Applicability.UNSAFE
    return Repair(applicability, description, [(page, Span(at, at, f", size={size}"))])


def _dropped(page: Page, node: ast.Call, at: int, size: str, uses: frozenset[At]) -> Repair:
    """What fills the indices is out of bounds of the array: JAX drops updates there."""
    array = updated(page, node) if uses == {At.UPDATED} else None
    if array is None:
        raise Refusal("the entries that fill a fixed size would be updated as well")
    description = (
        f"give the indices a fixed size, {size}: those that fill it are out of bounds, where updates are dropped"
    )
    return Repair(Applicability.UNSAFE, description, [(page, Span(at, at, f", size={size}, fill_value={array}.size"))])


def _size(page: Page, mask: ast.expr) -> str | None:
    """How many there can be: the size of an array, which what it is compared with doesn't make larger."""
    array = mask
    while isinstance(array, (ast.UnaryOp, ast.Compare)):
        if isinstance(array, ast.UnaryOp):
            array = array.operand
            continue
        if not all(is_number(page, n) or kind(page, n).shape == SCALAR for n in array.comparators):
            return None
        array = array.left
    return f"{page.text.cut(array)}.size" if isinstance(array, (ast.Name, ast.Attribute)) else None


def _takes_one(page: Page, node: ast.Call, name: str) -> int | None:
    """Which single entry of the result is used, so that what it is filled with doesn't go anywhere."""
    tuples = name in ("nonzero", "where") or any((k.arg or "").startswith("return_") for k in node.keywords)
    at: ast.AST = node
    found: int | None = None
    for last in (False, True) if tuples else (True,):
        parent = page.parent(at)
        index = parent.slice if isinstance(parent, ast.Subscript) and parent.value is at else None
        if not last and isinstance(index, ast.UnaryOp) and isinstance(index.operand, ast.Constant):
            index = index.operand  # of the tuple, any
        if not (isinstance(index, ast.Constant) and type(index.value) is int):
            return None
        found = index.value
        assert parent is not None
        at = parent
    return found
