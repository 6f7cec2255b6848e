"""From an answer to a claim: which comparisons are asserted, by name, by `assert`, by `assertTrue`."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from omnilint.rounding.arithmetic import is_size_of
from omnilint.rounding.frame import Frame
from omnilint.rounding.operands import as_array
from omnilint.rounding.table import Comparison
from omnilint.rounding.values import Approx, Array, Check, Compared, Const, Record, Seq, Value, arrays

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine

# A bound above this on a hand-written distance is no tolerance.
LARGEST_BOUND = 0.01


def asserted(m: Machine, value: Value, frame: Frame) -> None:
    """`value` is claimed to be true: the comparisons it stands for are judged, unless failing is expected here."""
    for leaf in arrays(value):
        if isinstance(leaf, Check) and not any(f.quiet for f in (*frame.chain(), *leaf.comparison.frame.chain())):
            m.met(leaf.comparison)


def compare(
    m: Machine,
    comparison: Comparison,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    node: ast.AST,
    frame: Frame,
) -> Value:
    """Call a comparison function of the table: asserts, or gives a Check or an Approx to assert later."""
    bound = dict(zip(comparison.parameters, arguments, strict=False)) | dict(keywords)
    given = {m.table.keywords[name]: value for name, value in bound.items() if name in m.table.keywords}
    # An explicit None asks for the default.
    given = {name: v for name, v in given.items() if not (isinstance(v, Const) and v.value is None)}
    depth = min([frame.depth, *(v.depth for v in arguments), *(v.depth for v in keywords.values())])
    if comparison.result == "approx":
        key = m.key("approx", *(v.key for v in arguments))
        expected = bound.get("expected", m.opaque("missing", depth=depth))
        return Approx(key=key, form=key, depth=depth, expected=expected, tolerances=given)
    sides = [bound[name] for name in comparison.parameters[:2] if name in bound]
    if len(sides) < 2 or "**" in keywords:
        return m.opaque("unpaired", id(node), depth=depth)
    if not _alike(sides[0], sides[1]):
        # A list of arrays against one array, or a list that a loop has filled: NumPy stacks it first.
        # Lists of literals keep their sizes.
        sides = [as_array(m, v, frame) if isinstance(v, Seq) and not _literal(v) else v for v in sides]
    compared = Compared(comparison.name, comparison.form, sides[0], sides[1], given, comparison.defaults, node, frame)
    check = _check(m, compared, depth)
    if comparison.result == "assert":
        asserted(m, check, frame)
        return m.const(None, depth)
    return check


def _alike(first: Value, second: Value) -> bool:
    """Whether two sides can be compared leaf by leaf, or neither is a list."""
    if isinstance(first, Seq) and isinstance(second, Seq):
        return not (first.open or second.open) and len(first.items) == len(second.items)
    return isinstance(first, Seq) == isinstance(second, Seq)


def _literal(value: Seq) -> bool:
    return all(isinstance(leaf, Const) for leaf in arrays(value))


def _check(m: Machine, compared: Compared, depth: int) -> Check:
    key = m.key("check", id(compared.node), compared.first.key, compared.second.key)
    return Check(key=key, form=key, depth=depth, comparison=compared)


def compared_by_operator(
    m: Machine, op: ast.cmpop, left: Value, right: Value, node: ast.AST, frame: Frame
) -> Check | None:
    """`a == pytest.approx(b)`, `abs(a - b) < tolerance` and `a == b`, as checks; None for other comparisons."""
    depth = min(frame.depth, left.depth, right.depth)
    if isinstance(op, ast.Eq):
        for approx, other in ((right, left), (left, right)):
            if isinstance(approx, Approx):
                defaults = m.table.comparisons["pytest.approx"].defaults
                compared = Compared(
                    "pytest.approx", "isclose", other, approx.expected, approx.tolerances, defaults, node, frame
                )
                return _check(m, compared, depth)
        for difference, zero in ((left, right), (right, left)):
            # `max(abs(a - b)) == 0`
            if not (isinstance(zero, Const) and zero.value == 0 and isinstance(difference, Array)):
                continue
            if difference.gap is not None and difference.distance:
                return _check(m, Compared("==", "exact", *difference.gap, {}, {}, node, frame), depth)
        if isinstance(left, Array) and isinstance(right, Array):
            return _check(m, Compared("==", "exact", left, right, {}, {}, node, frame), depth)
    if isinstance(op, (ast.Gt, ast.GtE)):
        left, right = right, left
    if isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) and isinstance(left, Array) and left.gap is not None:
        share = right.share if isinstance(right, Array) and is_size_of(right, left.gap) else None
        bound = _bound(m, left, share or right)
        if bound is not None:
            relative = left.scaled or share is not None
            form, given = ("relative", {"rtol": bound}) if relative else ("absolute", {"atol": bound})
            compared = Compared("<", form, *left.gap, given, {"rtol": 0.0, "atol": 0.0}, node, frame)
            return _check(m, compared, depth)
    return None


def _bound(m: Machine, distance: Array, limit: Value) -> Value | None:
    """The tolerance that `distance < limit` grants, None when it asks for something else than closeness."""
    if not (isinstance(limit, Const) and isinstance(limit.value, float) and limit.value > 0 and distance.distance):
        return None
    tolerance = limit.value ** (1 / distance.distance)
    return m.const(tolerance, limit.depth) if tolerance <= LARGEST_BOUND else None


def paired_leaves(value: Compared) -> list[tuple[Value, Value]]:
    """The pairs of leaves that a comparison compares, where both sides are containers of equal shape."""
    pending, pairs = [(value.first, value.second)], list[tuple[Value, Value]]()
    while pending and len(pairs) < 64:
        a, b = pending.pop()
        if isinstance(a, Seq) and isinstance(b, Seq) and not a.open and not b.open and len(a.items) == len(b.items):
            pending.extend(zip(reversed(a.items), reversed(b.items), strict=True))
        elif isinstance(a, Record) and isinstance(b, Record) and set(a.items) == set(b.items):
            pending.extend((a.items[k], b.items[k]) for k in a.items)
        else:
            pairs.append((a, b))
    return pairs
