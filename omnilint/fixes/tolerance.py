"""TOL: the tolerance that the arithmetic asks for, written where the comparison is made."""

from __future__ import annotations

import ast
import math

from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding

# Comparisons with a relative tolerance: the keyword, and where it stands when it is given by position.
_RELATIVE: dict[str, tuple[str, int | None]] = {
    **dict.fromkeys(("numpy.testing.assert_allclose", "numpy.allclose", "numpy.isclose"), ("rtol", 2)),
    **dict.fromkeys(("jax.numpy.allclose", "jax.numpy.isclose"), ("rtol", 2)),
    **dict.fromkeys(("chex.assert_trees_all_close", "chex.assert_tree_all_close"), ("rtol", None)),
    "math.isclose": ("rel_tol", None),
    "pytest.approx": ("rel", 1),
}
_COARSE = 1e-3  # from there on (half precision) an absolute tolerance would let small arrays pass whatever they are
_EXACT = ("numpy.testing.assert_array_equal", "numpy.testing.assert_equal")
# Comparisons by decimal places, by the last part of their names: the keyword, and where it stands.
_PLACES = {
    "assert_almost_equal": ("decimal", 2),
    "assert_array_almost_equal": ("decimal", 2),
    "assertAlmostEqual": ("places", 2),
}


def propose(finding: Finding, book: Book) -> Repair:
    """The repair of a comparison that is written out; refuses tolerances that are decided elsewhere."""
    page = book.of(finding)
    suggested = finding.data.get("suggested_rtol")
    node = page.expression(finding.place)
    if suggested is None or node is None:
        raise Refusal("the tolerance isn't decided where the comparison stands")
    if finding.code == "OMN304":
        raise Refusal("the step of the finite difference is what is too small")
    if isinstance(node, ast.Compare):
        node = _approx(page, node) or node
    if isinstance(node, ast.Call) and (page.dotted(node.func) or "") in (*_RELATIVE, *_EXACT):
        return _relative(page, node, float(suggested))
    given = float(finding.data.get("tolerance") or 0.0)
    if not given:
        raise Refusal("the comparison is made in another function")
    if isinstance(node, ast.Call):
        return _by_places(page, node, float(suggested) / given)
    if isinstance(node, ast.Compare):
        return _by_bound(page, [node.left, *node.comparators], float(suggested) / given)
    raise Refusal("the tolerance isn't decided where the comparison stands")


def _approx(page: Page, node: ast.Compare) -> ast.Call | None:
    """The `pytest.approx(…)` that a comparison is with."""
    found = [n for n in (node.left, *node.comparators) if isinstance(n, ast.Call)]
    return next((n for n in found if page.dotted(n.func) == "pytest.approx"), None)


def _repair(page: Page, spans: list[Span], told: str) -> Repair:
    return Repair(
        Applicability.UNSAFE, f"{told}: about four times what rounding is expected to do", [(page, s) for s in spans]
    )


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
    given = _given(node, name, at)
    values = [*node.args, *(k.value for k in node.keywords)]
    if not values:
        raise Refusal("nothing is compared")
    end = max(page.text.span(n)[1] for n in values)
    added = ""
    if given is not None:
        spans.append(Span(*page.text.span(given), text))
    else:
        added += f", {name}={text}"
    told = f"compare with a relative tolerance of {text}"
    if (
        name == "rtol" and suggested < _COARSE
    ):  # arrays have elements near zero, where rounding is as large as elsewhere
        absolute = _given(node, "atol", None if at is None else at + 1)
        if absolute is None:
            added += f", atol={text}"
        elif (known := _number(page, absolute)) is not None and known < suggested:
            spans.append(Span(*page.text.span(absolute), text))
        told += ", and as much absolutely where elements are near zero"
    if added:
        spans.append(Span(end, end, added))
    return _repair(page, spans, told)


def _sums(node: ast.expr) -> bool:
    """Whether a distance is made of all elements, or of their largest, whose size isn't known: a norm, a sum, `max`."""
    leaves = [getattr(n.func, "attr", getattr(n.func, "id", "")) for n in ast.walk(node) if isinstance(n, ast.Call)]
    return any(leaf in ("norm", "sum", "max", "amax", "square", "dot", "vdot") for leaf in leaves)


def _number(page: Page, node: ast.expr) -> float | None:
    """The number that is written, there or where its name is assigned, once."""
    hit = page.bindings(node) if isinstance(node, ast.Name) else None
    value = hit[1][0].value if hit is not None and len(hit[1]) == 1 else node
    if isinstance(value, ast.Constant) and isinstance(value.value, (int, float)):
        return float(value.value)
    return None


def _given(node: ast.Call, name: str, at: int | None) -> ast.expr | None:
    """The argument for a parameter; refuses where it can't be told."""
    if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
        raise Refusal("its arguments can't be told apart")
    named = next((k.value for k in node.keywords if k.arg == name), None)
    return node.args[at] if named is None and at is not None and len(node.args) > at else named


def _by_places(page: Page, node: ast.Call, factor: float) -> Repair:
    """Fewer decimal places, or a larger `delta`: what is absolute grows by the same factor as what is relative."""
    leaf = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if leaf not in _PLACES:
        raise Refusal("the comparison is made in another function")
    delta = _given(node, "delta", 4)
    if delta is not None:
        return _by_bound(page, [delta], factor)
    value = _given(node, *_PLACES[leaf])
    if not (isinstance(value, ast.Constant) and isinstance(value.value, int)):
        raise Refusal("how many decimal places count isn't written out")
    places = math.floor(value.value - math.log10(factor))
    if places < 0:
        raise Refusal("no decimal place would be left")
    return _repair(page, [Span(*page.text.span(value), str(places))], f"compare {places} decimal places")


def _by_bound(page: Page, operands: list[ast.expr], factor: float) -> Repair:
    """A larger number where the difference is compared with one."""
    if any(_sums(n) for n in operands):
        raise Refusal("how much the rounding of all elements adds up to isn't known")
    found = [n for n in operands if isinstance(n, ast.Constant) and isinstance(n.value, float) and n.value > 0]
    if len(found) != 1 or not isinstance(found[0].value, float):
        raise Refusal("the tolerance isn't decided where the comparison stands")
    exact = found[0].value * factor
    step = 10.0 ** math.floor(math.log10(exact))
    text = f"{math.ceil(exact / step - 1e-9) * step:g}"
    return _repair(page, [Span(*page.text.span(found[0]), text)], f"compare with a tolerance of {text}")
