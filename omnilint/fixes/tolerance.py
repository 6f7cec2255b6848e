"""TOL: the tolerance that the arithmetic asks for, written where the comparison is made."""

from __future__ import annotations

import ast

from omnilint.fixes.context import Book, Refusal, Repair
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding

# Comparisons with a keyword `rtol`, and where it stands when it is given by position.
_RELATIVE = {
    "numpy.testing.assert_allclose": 2, "numpy.allclose": 2, "numpy.isclose": 2, "jax.numpy.allclose": 2,
    "jax.numpy.isclose": 2,
}  # fmt: skip
_EXACT = ("numpy.testing.assert_array_equal", "numpy.testing.assert_equal")
_SCALARS = ("math.isclose", "pytest.approx")


def propose(finding: Finding, book: Book) -> Repair:
    """The repair of a comparison that is written out; refuses tolerances that are decided elsewhere."""
    page = book.of(finding)
    suggested = finding.data.get("suggested_rtol")
    node = page.expression(finding.place)
    if not isinstance(node, ast.Call) or suggested is None:
        raise Refusal("the tolerance isn't decided where the comparison stands")
    if finding.code == "OMN304":
        raise Refusal("the step of the finite difference is what is too small")
    dotted = page.dotted(node.func) or ""
    text = f"{float(suggested):g}"
    spans: list[Span] = []
    if dotted in _EXACT and len(node.args) == 2:
        start, end = page.text.span(node.func)
        if not isinstance(node.func, ast.Attribute):
            raise Refusal("the comparison is called by a name of its own")
        spans.append(Span(end - len(node.func.attr), end, "assert_allclose"))
    elif dotted not in _RELATIVE and dotted not in _SCALARS:
        raise Refusal("the comparison is made in another function")
    name = {"math.isclose": "rel_tol", "pytest.approx": "rel"}.get(dotted, "rtol")
    given = next((k.value for k in node.keywords if k.arg == name), None)
    at = _RELATIVE.get(dotted)
    if given is None and at is not None and len(node.args) > at:
        given = node.args[at]
    if given is not None:
        start, end = page.text.span(given)
        spans.append(Span(start, end, text))
    else:
        last = max((*node.args, *(k.value for k in node.keywords)), key=lambda n: page.text.span(n)[1], default=None)
        if last is None:
            raise Refusal("nothing is compared")
        end = page.text.span(last)[1]
        spans.append(Span(end, end, f", {name}={text}"))
    description = f"compare with a relative tolerance of {text}, four times what rounding is expected to do"
    return Repair(Applicability.UNSAFE, description, [(page, s) for s in spans])
