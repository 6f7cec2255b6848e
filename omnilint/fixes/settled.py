"""One choice for each function and parameter: what a repair makes static, no other one takes for an array.

And one edit for each function: several parameters of one become static together.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from omnilint.fixes import static_arguments
from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.parameters import parameter
from omnilint.model import Finding, Place

_DEPTH = 6
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def settle(proposed: Sequence[tuple[Finding, Repair | None]], book: Book) -> list[Repair | None]:
    """The repairs; what needs nothing but parameters that other ones make static gets their repair instead."""
    named: dict[Place, dict[str, None]] = {}
    for finding, repair in proposed:
        for place in _places(finding) if repair is not None and repair.static else ():
            named.setdefault(place, {}).update(dict.fromkeys(repair.static if repair is not None else ()))
    made = {place: _together(place, list(names), proposed, book) for place, names in named.items()}
    return [
        _instead(finding, repair, book, made) if made and finding.code.startswith("OMN5") else repair
        for finding, repair in proposed
    ]


def _together(
    place: Place, names: Sequence[str], proposed: Sequence[tuple[Finding, Repair | None]], book: Book
) -> Repair | None:
    """The repair that makes all of these static; None where not all of them can be at once."""
    for finding, repair in proposed:
        if repair is not None and place in _places(finding) and sorted(repair.static) == sorted(names):
            return repair
    try:
        return static_arguments.made_static(place, names, book)
    except Refusal:
        return None


def _places(finding: Finding) -> set[Place]:
    """Where the functions are traced that need the value."""
    return {place for need in finding.data.get("needs", ()) for place, _ in need["transforms"][-1:]}


def _instead(finding: Finding, repair: Repair | None, book: Book, made: dict[Place, Repair | None]) -> Repair | None:
    places = _places(finding)
    if len(places) != 1:
        return repair
    (place,) = places
    together = made.get(place)
    if together is None or (repair is not None and repair.static):
        return together or repair
    for need in finding.data.get("needs", ()):
        names = _needed(need, book)
        if not names or not names <= set(together.static):
            return repair
    return together


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
        if parameter(function, name.id) is not None and len(hit[1]) == 1:
            found.add(name.id)
            continue
        values = [b.value for b in hit[1] if b.imported is None]
        for value in values:
            read = _parameters(page, value, depth + 1) if value is not None else None
            if read is None:
                return None
            found |= read
    return found
