"""CONC: a static argument gets what can be hashed: a Python number, a tuple."""

from __future__ import annotations

import ast

from omnilint.fixes.context import Book, Refusal, Repair
from omnilint.fixes.needs import builtin_call, what, where
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding


def propose(finding: Finding, book: Book) -> Repair:
    """The repair of a call outside of any trace; refuses traced values, which have no Python number."""
    page, node = where(finding, book)
    need = finding.data["needs"][0]
    if not isinstance(node, ast.Call):
        raise Refusal("it isn't a call")
    given = next((k.value for k in node.keywords if k.arg == need.get("parameter")), None)
    if given is None:
        raise Refusal("the argument isn't given by name")
    kind = {"a JAX array": "int", "a NumPy array": "tuple", "a list": "tuple"}.get(what(finding))
    if kind is None or need["transforms"] or builtin_call(page, given, "int", "tuple"):
        raise Refusal("the value is traced where it is passed")
    start, end = page.text.span(given)
    description = f"pass a Python {'number' if kind == 'int' else 'tuple'}: each new value compiles anew"
    return Repair(
        Applicability.UNSAFE, description, [(page, Span(start, start, f"{kind}(")), (page, Span(end, end, ")"))]
    )
