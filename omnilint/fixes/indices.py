"""CONC: a list or tuple of numbers that is indexed by a traced value becomes an array first."""

from __future__ import annotations

import ast

from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.imports import module_alias
from omnilint.fixes.needs import what, where
from omnilint.fixes.operands import argument
from omnilint.fixes.static_values import is_number
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding


def propose(finding: Finding, book: Book) -> Repair:
    """The repair of `table[i]`; refuses what isn't a plain sequence with one index."""
    page, node = where(finding, book)
    if not isinstance(node, ast.Subscript) or isinstance(node.slice, (ast.Slice, ast.Tuple)):
        raise Refusal("it isn't one index of a sequence")
    if what(finding) not in ("indexing a tuple", "indexing a list", "indexing a range"):
        raise Refusal("what is indexed isn't a sequence of numbers")
    if not _alike(_elements(page, node.value)):
        raise Refusal("whether it holds numbers of one kind isn't seen")
    if isinstance(node.slice, ast.Name) and is_number(page, node.slice):
        raise Refusal("the index is a Python number here")
    alias, added = module_alias(page, "jax.numpy", node)
    start, end = page.text.span(node.value)
    spans = [Span(start, end, f"{alias}.array({argument(page, node.value)})"), *added]
    return Repair(Applicability.UNSAFE, "index an array; an index out of bounds is clamped", [(page, s) for s in spans])


def _elements(page: Page, node: ast.expr) -> list[ast.expr]:
    """The elements of a sequence that is written out, there or where its name is assigned, once."""
    if isinstance(node, ast.Name):
        hit = page.bindings(node)
        value = hit[1][0].value if hit is not None and len(hit[1]) == 1 and hit[1][0].imported is None else None
        return _elements(page, value) if value is not None else []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        return [ast.Constant(0)]
    return node.elts if isinstance(node, (ast.Tuple, ast.List)) else []


def _alike(elements: list[ast.expr]) -> bool:
    """Whether all are numbers of one type, or sequences of such of one length."""
    inner = [n.elts for n in elements if isinstance(n, (ast.Tuple, ast.List))]
    if inner:
        same = len(inner) == len(elements) and len({len(n) for n in inner}) == 1
        return same and _alike([n for nodes in inner for n in nodes])
    plain = [n.operand if isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.USub) else n for n in elements]
    types = {type(n.value) if isinstance(n, ast.Constant) else None for n in plain}
    return len(types) == 1 and types <= {int, float, bool}
