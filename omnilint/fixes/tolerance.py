"""TOL: the tolerance that the arithmetic asks for, written where the comparison is made."""

from __future__ import annotations

import ast

from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.distances import by_bound, by_places
from omnilint.fixes.text import Span
from omnilint.fixes.tolerances import COARSE, given, repair, told
from omnilint.model import Finding

# Comparisons with a relative tolerance: the keyword, and where it stands when it is given by position.
_RELATIVE: dict[str, tuple[str, int | None]] = {
    **dict.fromkeys(("numpy.testing.assert_allclose", "numpy.allclose", "numpy.isclose"), ("rtol", 2)),
    **dict.fromkeys(("jax.numpy.allclose", "jax.numpy.isclose"), ("rtol", 2)),
    **dict.fromkeys(("chex.assert_trees_all_close", "chex.assert_tree_all_close"), ("rtol", None)),
    "math.isclose": ("rel_tol", None),
    "pytest.approx": ("rel", 1),
}
_EXACT = ("numpy.testing.assert_array_equal", "numpy.testing.assert_equal")


def propose(finding: Finding, book: Book) -> Repair:
    """The repair of a comparison that is written out; refuses tolerances that are decided elsewhere."""
    page = book.of(finding)
    suggested = finding.data.get("suggested_rtol")
    node = page.expression(finding.place)
    if suggested is None or node is None:
        raise Refusal("the tolerance isn't decided where the comparison stands")
    if finding.data.get("grows"):
        raise Refusal("how far rounding grows along a loop isn't known")
    if finding.code == "OMN304":
        raise Refusal("the step of the finite difference is what is too small")
    if isinstance(node, ast.Compare):
        node = _approx(page, node) or node
    if isinstance(node, ast.Call) and (page.dotted(node.func) or "") in (*_RELATIVE, *_EXACT):
        return _relative(page, node, float(suggested))
    allowed = float(finding.data.get("tolerance") or 0.0)
    if not allowed:
        raise Refusal("the comparison is made in another function")
    size = finding.data.get("size")
    if isinstance(node, ast.Call):
        return by_places(page, node, float(suggested), allowed, size)
    if isinstance(node, ast.Compare):
        return by_bound(page, node, [node.left, *node.comparators], float(suggested), allowed, size)
    raise Refusal("the tolerance isn't decided where the comparison stands")


def _approx(page: Page, node: ast.Compare) -> ast.Call | None:
    """The `pytest.approx(…)` that a comparison is with."""
    found = [n for n in (node.left, *node.comparators) if isinstance(n, ast.Call)]
    return next((n for n in found if page.dotted(n.func) == "pytest.approx"), None)


def _relative(page: Page, node: ast.Call, suggested: float) -> Repair:
    dotted = page.dotted(node.func) or ""
    text = f"{suggested:g}"
    spans: list[Span] = []
    if dotted in _EXACT:
        if len(node.args) != 2 or not isinstance(node.func, ast.Attribute):
            raise Refusal("the comparison is called by a name of its own")
        _, end = page.text.span(node.func)
        spans.append(Span(end - len(node.func.attr), end, "assert_allclose"))
    name, at = _RELATIVE.get(dotted, ("rtol", 2))
    written = given(node, name, at)
    values = [*node.args, *(k.value for k in node.keywords)]
    if not values:
        raise Refusal("nothing is compared")
    end = max(page.text.span(n)[1] for n in values)
    added = ""
    if written is not None:
        spans.append(Span(*page.text.span(written), text))
    else:
        added += f", {name}={text}"
    if name == "rtol" and suggested < COARSE:  # near zero, rounding of elements is as large as elsewhere
        absolute = given(node, "atol", None if at is None else at + 1)
        if absolute is None:
            added += f", atol={text}"
        elif (known := _number(page, absolute)) is not None and known < suggested:
            spans.append(Span(*page.text.span(absolute), text))
    if added:
        spans.append(Span(end, end, added))
    return repair(page, spans, told(suggested) if name == "rtol" else f"compare with a relative tolerance of {text}")


def _number(page: Page, node: ast.expr) -> float | None:
    """The number that is written, there or where its name is assigned, once."""
    hit = page.bindings(node) if isinstance(node, ast.Name) else None
    value = hit[1][0].value if hit is not None and len(hit[1]) == 1 else node
    if isinstance(value, ast.Constant) and isinstance(value.value, (int, float)):
        return float(value.value)
    return None
