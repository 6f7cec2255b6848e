"""CONC: a list or tuple of numbers that is indexed by a traced value becomes an array first."""

from __future__ import annotations

import ast

from omnilint.fixes.context import Book, Refusal, Repair
from omnilint.fixes.imports import module_alias
from omnilint.fixes.needs import what, where
from omnilint.fixes.operands import argument
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding


def propose(finding: Finding, book: Book) -> Repair:
    """The repair of `table[i]`; refuses what isn't a plain sequence with one index."""
    page, node = where(finding, book)
    if not isinstance(node, ast.Subscript) or isinstance(node.slice, (ast.Slice, ast.Tuple)):
        raise Refusal("it isn't one index of a sequence")
    if what(finding) not in ("indexing a tuple", "indexing a list", "indexing a range"):
        raise Refusal("what is indexed isn't a sequence of numbers")
    alias, added = module_alias(page, "jax.numpy")
    start, end = page.text.span(node.value)
    spans = [Span(start, end, f"{alias}.array({argument(page, node.value)})"), *added]
    return Repair(Applicability.UNSAFE, "index an array; an index out of bounds is clamped", [(page, s) for s in spans])
