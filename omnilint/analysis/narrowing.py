"""What the outcome of a condition says of the names that it tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from omnilint.analysis import calls
from omnilint.analysis import nodes as cst
from omnilint.analysis.definitions import ClassVal
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import children, join
from omnilint.analysis.operators import identical, truth
from omnilint.analysis.values import NONE, UNKNOWN, Either, JaxArray, Value


def evaluate(it: Interp, frame: Frame, node: cst.BaseExpression) -> Value:
    from omnilint.analysis.expressions import evaluate as run

    return run(it, frame, node)


class narrowed:
    """Within the block, names that the condition tests have what it says of them."""

    def __init__(self, it: Interp, frame: Frame, node: cst.BaseExpression, outcome: bool) -> None:
        self.frame = frame
        self.saved: dict[str, Value] = {}
        self.new = narrowing(it, frame, node, outcome)

    def __enter__(self) -> None:
        for name, value in self.new.items():
            self.saved[name] = self.frame.scope.vars[name]
            self.frame.scope.vars[name] = value

    def __exit__(self, *exc: object) -> None:
        for name, value in self.saved.items():
            if self.frame.scope.vars.get(name) is self.new[name]:
                self.frame.scope.vars[name] = value


def narrowing(it: Interp, frame: Frame, node: Any, outcome: bool) -> dict[str, Value]:
    """Better values for local names, given the outcome of a condition."""
    kind = type(node)
    if kind is cst.Name:
        return _keep(frame, node.value, lambda v: truth(v) in (outcome, None))
    if kind is cst.UnaryOperation and type(node.operator) is cst.Not:
        return narrowing(it, frame, node.expression, not outcome)
    if kind is cst.BooleanOperation:
        if (type(node.operator) is cst.And) == outcome:
            return {**narrowing(it, frame, node.left, outcome), **narrowing(it, frame, node.right, outcome)}
        return _narrow_either(it, frame, node, outcome)
    if kind is cst.Comparison and len(node.comparisons) == 1 and type(node.left) is cst.Call:
        return _narrow_type(it, frame, node, outcome)
    if kind is cst.Comparison and len(node.comparisons) == 1 and type(node.left) is cst.Name:
        c = node.comparisons[0]
        none = type(c.comparator) is cst.Name and c.comparator.value == "None"
        if none and type(c.operator) in (cst.Is, cst.IsNot):
            want = outcome == (type(c.operator) is cst.Is)
            return _keep(frame, node.left.value, lambda v: identical(v, NONE) in (want, None))
    if kind is cst.Call and type(node.func) is cst.Name and node.func.value == "hasattr":
        return _narrow_hasattr(frame, node, outcome)
    if kind is cst.Call and type(node.func) is cst.Name and node.func.value == "isinstance":
        return _narrow_isinstance(it, frame, node, outcome)
    return {}


def _narrow_either(it: Interp, frame: Frame, node: cst.BooleanOperation, outcome: bool) -> dict[str, Value]:
    """One of two conditions has this outcome."""
    left = narrowing(it, frame, node.left, outcome)
    if not left:
        return {}
    with it.guarded():
        other = truth(evaluate(it, frame, node.right))
    if other is not None and other != outcome:
        return left
    right = narrowing(it, frame, node.right, outcome)
    return {n: join(v, right[n]) for n, v in left.items() if n in right}


def _narrow_isinstance(it: Interp, frame: Frame, node: cst.Call, outcome: bool) -> dict[str, Value]:
    if len(node.args) != 2 or not isinstance(node.args[0].value, cst.Name):
        return {}
    name = node.args[0].value.value
    with it.guarded():
        cls = evaluate(it, frame, node.args[1].value)
    kept = _keep(frame, name, lambda v: calls.is_instance(v, cls) in (outcome, None))
    value = kept.get(name, frame.scope.vars.get(name))
    if outcome and isinstance(value, JaxArray) and value.tree:
        kept[name] = calls.as_container(it, value, cls)
    elif outcome and isinstance(value, JaxArray) and calls.is_instance(value.but(maybe=False), cls) is False:
        kept[name] = UNKNOWN  # it was no array after all
    elif not outcome and isinstance(value, JaxArray) and value.tree and _of_pytrees(cls):
        kept[name] = value.but(maybe=True)  # callers that trace may well give such an object
    return kept


def _of_pytrees(cls: Value) -> bool:
    """Is it a class of the run whose objects JAX takes apart, or are there such classes in it?"""
    return any(isinstance(c, ClassVal) and bool(c.tree) for c in (cls, *children(cls)))


def _narrow_type(it: Interp, frame: Frame, node: cst.Comparison, outcome: bool) -> dict[str, Value]:
    """`type(x) is bool`."""
    call, c = node.left, node.comparisons[0]
    if type(call) is not cst.Call or type(call.func) is not cst.Name or call.func.value != "type":
        return {}
    if len(call.args) != 1 or not isinstance(call.args[0].value, cst.Name):
        return {}
    want = outcome == isinstance(c.operator, (cst.Is, cst.Equal))
    cls = evaluate(it, frame, c.comparator)
    return _keep(frame, call.args[0].value.value, lambda v: calls.is_instance(v, cls) in (want, None))


def _narrow_hasattr(frame: Frame, node: cst.Call, outcome: bool) -> dict[str, Value]:
    """`hasattr(x, "shape")`: an array, or certainly none."""
    if len(node.args) != 2 or not isinstance(node.args[0].value, cst.Name):
        return {}
    name, text = node.args[0].value.value, node.args[1].value
    word = text.evaluated_value if type(text) is cst.SimpleString else None
    value = frame.scope.vars.get(name)
    if word in ("shape", "dtype", "ndim", "aval") and isinstance(value, JaxArray) and value.tree:
        return {name: value.but(tree=False) if outcome else UNKNOWN}
    return {}


def _keep(frame: Frame, name: str, wanted: Callable[[Value], bool]) -> dict[str, Value]:
    value = frame.scope.vars.get(name)
    if not isinstance(value, Either):
        return {}
    kept = [v for v in value.options if wanted(v)]
    if not kept or len(kept) == len(value.options):
        return {}
    return {name: kept[0] if len(kept) == 1 else Either(tuple(kept))}
