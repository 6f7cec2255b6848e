"""Conditions by which code asks whether a value is a tracer, and what they guard.

Where a value is known not to be a tracer, Python may ask for it. What `jax.numpy` makes of it is staged out all
the same, so a condition on that still fails (the migration of 2020 mended many of these).
"""

from __future__ import annotations

from collections.abc import Iterator

from omnilint.analysis import calls
from omnilint.analysis import nodes as cst
from omnilint.analysis.definitions import Ext
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.lowering import parts
from omnilint.analysis.operators import truth
from omnilint.analysis.values import ABSTRACT, CONCRETE, UNKNOWN, JaxArray, Unknown, Value

_ASKING = ("tracer", "is_concrete", "disable_jit", "is_traced", "is_tracing", "is_jax", "is_abstract")
_STATEMENTS = (cst.SimpleStatementLine, cst.BaseCompoundStatement)


def asks_for_tracers(node: cst.CSTNode) -> bool:
    """Does a condition of unknown outcome ask whether something is a tracer? Then both arms are the author's care."""
    if type(node) is cst.Name:
        word = node.value.lower()
        return any(w in word for w in _ASKING)
    return any(asks_for_tracers(c) for c in parts(node))


def asks(frame: Frame, condition: cst.CSTNode) -> bool:
    """`asks_for_tracers` of a condition of the frame's function, worked out once."""
    known = frame.unit.asking.get(id(condition))
    if known is None:
        known = frame.unit.asking[id(condition)] = asks_for_tracers(condition) or _names_tracers(frame, condition)
    return known


def _names_tracers(frame: Frame, node: cst.CSTNode) -> bool:
    """Is there an `isinstance` with a class of tracers that goes by another name?"""
    if type(node) is cst.Call and type(node.func) is cst.Name and node.func.value == "isinstance":
        cls = node.args[-1].value
        value = frame.state.get(cls.value) if type(cls) is cst.Name else None
        if isinstance(value, Ext) and value.dotted.endswith("Tracer"):
            return True
    return any(_names_tracers(frame, c) for c in parts(node))


def asks_for_none(node: cst.BaseExpression) -> bool | None:
    """True for `x is None`, False for `x is not None`, else None.

    When it isn't known whether an optional value is there, what runs in its absence hangs together with how the
    function was called: nothing is certain in it.
    """
    if type(node) is not cst.Comparison or len(node.comparisons) != 1:
        return None
    c = node.comparisons[0]
    if type(c.comparator) is not cst.Name or c.comparator.value != "None":
        return None
    return type(c.operator) is cst.Is if type(c.operator) in (cst.Is, cst.IsNot) else None


def concrete_when(it: Interp, frame: Frame, node: cst.CSTNode, outcome: bool) -> list[str]:
    """Names of which the condition's outcome says that they hold no tracer."""
    if type(node) is cst.UnaryOperation and type(node.operator) is cst.Not:
        return concrete_when(it, frame, node.expression, not outcome)
    if type(node) is cst.BooleanOperation:
        if (type(node.operator) is cst.And) == outcome:
            return [*concrete_when(it, frame, node.left, outcome), *concrete_when(it, frame, node.right, outcome)]
        return []
    if type(node) is not cst.Call or not node.args or not asks_for_tracers(node):
        return []
    subject = node.args[0].value
    if type(subject) is not cst.Name or any(a.star for a in node.args):
        return []
    says_tracer = _of_a_tracer(it, frame, node, subject.value)
    return [subject.value] if says_tracer is not None and says_tracer != outcome else []


def _of_a_tracer(it: Interp, frame: Frame, node: cst.Call, name: str) -> bool | None:
    """What the check answers for a tracer; None when not known."""
    from omnilint.analysis.expressions import evaluate

    func = node.func.value if type(node.func) is cst.Name else ""
    if func == "isinstance":
        return None if len(node.args) != 2 else _is_tracer_class(it, frame, node.args[1].value)
    probe = JaxArray(ABSTRACT)
    with it.guarded(), it.branch():
        check = evaluate(it, frame, node.func)
        answer = truth(calls.call(it, frame, check, [probe], {}, node)) if len(node.args) == 1 else None
    if answer is not None:
        return answer
    word = node.func.attr.value if type(node.func) is cst.Attribute else func
    return False if word == "is_concrete" else None


def _is_tracer_class(it: Interp, frame: Frame, node: cst.BaseExpression) -> bool | None:
    from omnilint.analysis.expressions import evaluate

    with it.guarded(), it.branch():
        return calls.is_instance(JaxArray(ABSTRACT), evaluate(it, frame, node)) or None


def made_concrete(frame: Frame, names: list[str]) -> dict[str, Value]:
    """The names' values, now that they are known not to be tracers."""
    out: dict[str, Value] = {}
    for name in names:
        value = frame.scope.vars.get(name, UNKNOWN)
        if isinstance(value, Unknown) or (isinstance(value, JaxArray) and value.maybe):
            out[name] = JaxArray(CONCRETE, maybe=True)
    return out


def note_skipped(frame: Frame, condition: cst.CSTNode, arm: cst.CSTNode | None) -> None:
    """What code does only with values that are no tracers never runs for one that was staged out of such."""
    statements = [x for x in parts(arm) if isinstance(x, _STATEMENTS)] if arm is not None else []
    if isinstance(arm, (cst.Else, cst.If)):
        return  # what is done instead isn't missed
    for name in _names(condition) if statements else ():
        value = frame.scope.vars.get(name)
        link = value.link if isinstance(value, JaxArray) and value.traced else None
        while link is not None and not link.stages:
            link = link.parent
        if link is not None:
            link.skipped = (frame.unit, statements[0])


def _names(node: cst.CSTNode) -> Iterator[str]:
    if isinstance(node, cst.Name):
        yield node.value
    for child in parts(node):
        yield from _names(child)
