"""CONC: `max` and `min` of traced values, which compare with `if`, become jnp's."""

from __future__ import annotations

import ast

from omnilint.fixes.context import Book, Refusal, Repair
from omnilint.fixes.imports import module_alias
from omnilint.fixes.needs import what, where
from omnilint.fixes.static_values import is_number
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding

_PAIRS = {"max": "maximum", "min": "minimum"}


def propose(finding: Finding, book: Book) -> Repair:
    """The repair of `max(a, b)` and of `max` handed to a reduction; refuses longer argument lists and keys."""
    page, node = where(finding, book)
    name = what(finding).removesuffix("()")
    if name not in _PAIRS or not isinstance(node, ast.Call):
        raise Refusal("the comparison isn't written out here")
    alias, added = module_alias(page, "jax.numpy")
    spots = [node.func, *node.args] if not node.keywords else []
    found = [n for n in spots if isinstance(n, ast.Name) and n.id == name and page.bindings(n) is None]
    if len(found) != 1 or (found[0] is node.func and len(node.args) != 2):
        raise Refusal(f"`{name}` is given more than two values")
    if any(is_number(page, n) for n in node.args if isinstance(n, ast.Name)):
        raise Refusal(f"`{name}` compares Python numbers here")
    start, end = page.text.span(found[0])
    spans = [Span(start, end, f"{alias}.{_PAIRS[name]}"), *added]
    return Repair(
        Applicability.UNSAFE, f"use `{alias}.{_PAIRS[name]}`, which compares arrays", [(page, s) for s in spans]
    )
