"""TOL: comparisons of a plain distance. A wider one where the size of the values is known, relative ones where not."""

from __future__ import annotations

import ast
import math

from omnilint.fixes.context import Page, Refusal, Repair
from omnilint.fixes.imports import module_alias
from omnilint.fixes.static_values import is_builtin, is_none
from omnilint.fixes.text import Span
from omnilint.fixes.tolerances import COARSE, given, repair, told

_NUMPY = ("assert_almost_equal", "assert_array_almost_equal")
# Comparisons by decimal places, by the last part of their names: the keyword, and where it stands.
_PLACES = {**dict.fromkeys(_NUMPY, ("decimal", 2)), "assertAlmostEqual": ("places", 2)}
_ABSOLUTE = ("abs", "numpy.abs", "numpy.absolute", "numpy.fabs", "jax.numpy.abs", "jax.numpy.absolute")


def by_places(page: Page, node: ast.Call, suggested: float, allowed: float, size: float | None) -> Repair:
    """Fewer decimal places, or a larger `delta`; `allowed` is the relative difference that was let pass.

    Where the size of the values isn't known, `numpy.testing.assert_allclose`, which goes by it.
    """
    leaf = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if leaf not in _PLACES:
        raise Refusal("the comparison is made in another function")
    if size is None:
        return _allclose(page, node, leaf, suggested)
    delta = given(node, "delta", 4)
    if delta is not None:
        return by_bound(page, node, [delta], suggested, allowed, size)
    value = given(node, *_PLACES[leaf])
    if not (isinstance(value, ast.Constant) and isinstance(value.value, int)):
        raise Refusal("how many decimal places count isn't written out")
    places = math.floor(value.value - math.log10(suggested / allowed))
    if places < 0:
        raise Refusal("no decimal place would be left")
    return repair(page, [Span(*page.text.span(value), str(places))], f"compare {places} decimal places")


def _allclose(page: Page, node: ast.Call, leaf: str, suggested: float) -> Repair:
    written = [given(node, *_PLACES[leaf]), given(node, "delta", 4) if leaf not in _NUMPY else None]
    spans = [_whole(page, node, v) for v in written if v is not None and not is_none(v)]
    known = {"places", "decimal", "delta"}
    if len(spans) > 1 or len(node.args) > 3 or len(node.args) < 2 or any(k.arg not in known for k in node.keywords):
        raise Refusal("how large the values are isn't known, and `assert_allclose` takes other arguments")
    if not isinstance(node.func, ast.Attribute):
        raise Refusal("the comparison is called by a name of its own")
    start, end = page.text.span(node.func)
    if leaf in _NUMPY:
        added = [Span(end - len(leaf), end, "assert_allclose")]
    else:
        alias, imports = module_alias(page, "numpy", node)
        added = [Span(start, end, f"{alias}.testing.assert_allclose"), *imports]
    text = _both(suggested)
    if spans:
        added.append(Span(*spans[0], text))
    else:
        last = page.text.span(node.args[1])[1]
        added.append(Span(last, last, f", {text}"))
    return repair(page, added, told(suggested))


def _whole(page: Page, node: ast.Call, value: ast.expr) -> tuple[int, int]:
    """The span of an argument, with its keyword."""
    keyword = next((k for k in node.keywords if k.value is value), None)
    return page.text.span(value if keyword is None else keyword)


def _both(suggested: float) -> str:
    text = f"rtol={suggested:g}"
    return f"{text}, atol={suggested:g}" if suggested < COARSE else text


def by_bound(
    page: Page, node: ast.expr, operands: list[ast.expr], suggested: float, allowed: float, size: float | None
) -> Repair:
    """A larger number where the difference is compared with one; `isclose` where the size of the values isn't known."""
    if any(_sums(n) for n in operands):
        raise Refusal("how much the rounding of all elements adds up to isn't known")
    found = [n for n in operands if isinstance(n, ast.Constant) and isinstance(n.value, float) and n.value > 0]
    if len(found) != 1 or not isinstance(found[0].value, float):
        raise Refusal("the tolerance isn't decided where the comparison stands")
    if size is None:
        return _isclose(page, node, suggested)
    exact = found[0].value * suggested / allowed
    step = 10.0 ** math.floor(math.log10(exact))
    text = f"{math.ceil(exact / step - 1e-9) * step:g}"
    return repair(page, [Span(*page.text.span(found[0]), text)], f"compare with a tolerance of {text}")


def _isclose(page: Page, node: ast.expr, suggested: float) -> Repair:
    """`abs(a - b) < bound` as `isclose(a, b, …)`."""
    unknown = Refusal("how large the values are isn't known")
    if not (isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (ast.Lt, ast.LtE))):
        raise unknown
    call = node.left
    if not (isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords):
        raise unknown
    inside = call.args[0]
    plain = isinstance(call.func, ast.Name) and call.func.id == "abs" and is_builtin(page, call.func)
    name = "abs" if plain else page.dotted(call.func)
    if name not in _ABSOLUTE or not (isinstance(inside, ast.BinOp) and isinstance(inside.op, ast.Sub)):
        raise unknown
    end = page.text.span(call)[1]
    first, last = page.text.span(inside.left)[1], page.text.span(inside.right)[0]
    between, behind = page.text.text[first:last], page.text.text[end : page.text.span(node)[1]]
    if between.count("-") != 1 or "#" in between + behind or behind.count("(") != behind.count(")"):
        raise unknown
    minus = first + between.index("-")
    head = page.text.span(call.func)
    added: list[Span] = []
    if isinstance(call.func, ast.Attribute):
        added.append(Span(head[1] - len(call.func.attr), head[1], "isclose"))
    elif isinstance(page.statement(node), (ast.Assert, ast.Expr)):
        alias, imports = module_alias(page, "numpy", node)
        added += [Span(*head, f"{alias}.isclose"), *imports]
    else:
        raise unknown  # where it is read isn't seen: it may be traced, and NumPy takes no tracers
    while page.text.text[minus - 1] == " ":
        minus -= 1
    added.append(Span(minus, first + between.index("-") + 1, ","))
    added.append(Span(end - 1, page.text.span(node)[1], f", {_both(suggested)})"))
    return repair(page, added, told(suggested))


def _sums(node: ast.expr) -> bool:
    """Whether a distance is made of all elements, or of their largest, whose size isn't known: a norm, a sum, `max`."""
    leaves = [getattr(n.func, "attr", getattr(n.func, "id", "")) for n in ast.walk(node) if isinstance(n, ast.Call)]
    return any(leaf in ("norm", "sum", "max", "amax", "square", "dot", "vdot") for leaf in leaves)
