"""CONC: a NumPy or SciPy function on traced values becomes the function of the same name of JAX."""

from __future__ import annotations

import ast

from omnilint import knowledge
from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.needs import where
from omnilint.fixes.replacements import write
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding

_HOMES = {"numpy": "jax.numpy", "scipy": "jax.scipy"}


def propose(finding: Finding, book: Book) -> Repair:
    """The repair of a call of NumPy's; refuses functions that JAX lacks, and keywords that it doesn't take."""
    page, node = where(finding, book)
    if not isinstance(node, ast.Call):
        raise Refusal("it isn't a call")
    spans = _exchanged(page, node, book)
    for around in page.above(node):  # what is given the result gets a traced value as well
        if isinstance(around, ast.Call) and (page.dotted(around.func) or "").startswith(("numpy.", "scipy.")):
            spans += _exchanged(page, around, book)
        elif not isinstance(around, (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.keyword, ast.Attribute)):
            break
    dotted = page.dotted(node.func)
    description = f"use JAX's function, which takes traced values; its dtypes may be narrower than those of `{dotted}`"
    return Repair(Applicability.UNSAFE, description, [(page, s) for s in spans])


def _exchanged(page: Page, node: ast.Call, book: Book) -> list[Span]:
    dotted = page.dotted(node.func) or ""
    root, _, rest = dotted.partition(".")
    if root not in _HOMES or not rest:
        raise Refusal("which library's function it is isn't written out here")
    new = f"{_HOMES[root]}.{rest}"
    row = knowledge.table("jax_functions").get(new)
    if row is None:
        raise Refusal(f"JAX has no `{new}`")
    takes = {*row.get("params", ()), *row.get("kwonly", ())}
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg not in takes:
            raise Refusal(f"`{new}` doesn't take `{keyword.arg or '**'}`")
    start, end = page.text.span(node.func)
    text, added = write(page, new, book.indices)
    return [Span(start, end, text), *added]
