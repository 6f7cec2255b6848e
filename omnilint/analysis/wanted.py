"""Leaks that the code wants: host code that expects the error of a leaked tracer, or asks whether it got one."""

from __future__ import annotations

from typing import Any

from omnilint.analysis import nodes as cst
from omnilint.analysis.guards import asks
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.lowering import every

LEAKED = "UnexpectedTracerError"
_CLAIMS = ("assertIsInstance", "assertTrue")


def expect(it: Interp, frame: Frame, node: cst.CSTNode) -> None:
    """What `node` names was meant to hold tracers: nothing that was stored there is a mistake."""
    for n in every(node):
        if type(n) is not cst.Name:
            continue
        holder = frame.scope.holder(n.value)
        scope = frame.state.scope if holder is None else holder
        it.stored.forgive(id(scope), n.value)
        value = scope.vars.get(n.value)
        if value is not None:
            it.stored.forgive(id(value))


def claim(it: Interp, frame: Frame, node: Any) -> None:
    """`assertIsInstance(seen[0], Tracer)`, `assert isinstance(seen[0], Tracer)`: a test that wants a tracer there."""
    if it.trace is not None or type(node) is not cst.Call:
        return
    func = node.func.attr if type(node.func) is cst.Attribute else node.func
    word = func.value if type(func) is cst.Name else ""
    if word in _CLAIMS and node.args and word != "assertIsInstance":
        claim(it, frame, node.args[0].value)
    elif (word in _CLAIMS or word == "isinstance") and len(node.args) > 1 and asks(frame, node):
        expect(it, frame, node.args[0].value)
