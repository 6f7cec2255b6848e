"""CONC: `nonzero` and its kin get a fixed size; the rest of the result is filled."""

from __future__ import annotations

import ast

from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.needs import where
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding

_SIZED = ("jax.numpy.nonzero", "jax.numpy.flatnonzero", "jax.numpy.argwhere", "jax.numpy.where", "jax.numpy.unique",
          "jax.numpy.union1d", "jax.numpy.setdiff1d", "jax.numpy.intersect1d")  # fmt: skip


def propose(finding: Finding, book: Book) -> Repair:
    """The repair that gives `size=`; refuses where how many there can be isn't written in the code."""
    page, node = where(finding, book)
    if not isinstance(node, ast.Call) or page.dotted(node.func) not in _SIZED or len(node.args) != 1:
        raise Refusal("a fixed size for its result can't be told")
    if any(k.arg in ("size", None) for k in node.keywords):
        raise Refusal("its size is given in another way")
    array = node.args[0]
    if isinstance(array, ast.Compare) and len(array.ops) == 1:
        array = array.left
    while isinstance(array, ast.UnaryOp):
        array = array.operand
    if not isinstance(array, (ast.Name, ast.Attribute)):
        raise Refusal("how many there can be isn't written in the code")
    at = page.text.span(node.args[0])[1]
    if page.text.text[at : at + 1] == ")" and at + 1 < page.text.span(node)[1]:
        raise Refusal("the argument stands in parentheses")
    size = f"{page.text.cut(array)}.size"
    filler = "0, which indexing takes for the first entry" if _gives_indices(page, node) else "an entry of its own"
    description = f"give the result a fixed size, {size}: what isn't there becomes {filler} (or fill_value=)"
    applicability = Applicability.UNSAFE if _takes_one(page, node) else Applicability.DISPLAY
    return Repair(applicability, description, [(page, Span(at, at, f", size={size}"))])


def _gives_indices(page: Page, node: ast.Call) -> bool:
    return (page.dotted(node.func) or "").rpartition(".")[2] in ("nonzero", "flatnonzero", "argwhere", "where")


def _takes_one(page: Page, node: ast.Call) -> bool:
    """Whether only one entry of the result is used, so that what it is filled with doesn't go anywhere."""
    at: ast.AST = node
    tuples = page.dotted(node.func) in ("jax.numpy.nonzero", "jax.numpy.where")
    for _ in range(2 if tuples else 1):
        parent = page.parent(at)
        index = parent.slice if isinstance(parent, ast.Subscript) and parent.value is at else None
        if not (isinstance(index, ast.Constant) and isinstance(index.value, int)):
            return False
        assert parent is not None
        at = parent
    return True
