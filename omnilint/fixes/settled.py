"""One choice for each function and parameter: what a repair makes static, no other one takes for an array."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from omnilint.fixes.context import Book, Page, Repair
from omnilint.model import Finding, Place

_DEPTH = 6
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)

Choice = tuple[Place, str]


def settle(proposed: Sequence[tuple[Finding, Repair | None]], book: Book) -> list[Repair | None]:
    """The repairs; what needs nothing but parameters that another one makes static gets that one instead."""
    made: dict[Choice, Repair] = {}
    for finding, repair in proposed:
        for name in repair.static if repair is not None and len(repair.static) == 1 else ():
            for place in _places(finding):
                made.setdefault((place, name), repair)  # type: ignore[arg-type]
    return [
        _instead(finding, book, made) or repair if made and finding.code.startswith("OMN5") else repair
        for finding, repair in proposed
    ]


def _places(finding: Finding) -> set[Place]:
    """Where the functions are traced that need the value."""
    return {place for need in finding.data.get("needs", ()) for place, _ in need["transforms"][-1:]}


def _instead(finding: Finding, book: Book, made: dict[Choice, Repair]) -> Repair | None:
    places = _places(finding)
    if len(places) != 1:
        return None
    (place,) = places
    read: set[str] = set()
    for need in finding.data.get("needs", ()):
        names = _needed(need, book)
        if not names:
            return None
        read |= names
    found = [made.get((place, name)) for name in read]
    return found[0] if len(found) == 1 else None


def _needed(need: dict[str, Any], book: Book) -> set[str]:
    """The parameters that a needed value is computed from; none where something else is read as well."""
    if need["param"] is not None:
        return {str(need["param"])}
    page = book.page(need["place"].path)
    node = page.expression(need["place"]) if page is not None else None
    if page is None or node is None:
        return set()
    return _parameters(page, node.test if isinstance(node, ast.IfExp) else node, 0) or set()


def _parameters(page: Page, node: ast.expr, depth: int) -> set[str] | None:
    """The parameters of the function around that an expression reads; None where it reads other values."""
    found: set[str] = set()
    for name in (n for n in ast.walk(node) if isinstance(n, ast.Name)):
        hit = page.bindings(name)
        if hit is None or hit[0].parent is None:  # a builtin, or of the module
            continue
        function = hit[0].node
        if depth > _DEPTH or function is not page.function(name) or not isinstance(function, _FUNCTIONS):
            return None
        a = function.args
        if name.id in {p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)} and len(hit[1]) == 1:
            found.add(name.id)
            continue
        values = [b.value for b in hit[1] if b.imported is None]
        for value in values:
            read = _parameters(page, value, depth + 1) if value is not None else None
            if read is None:
                return None
            found |= read
    return found
