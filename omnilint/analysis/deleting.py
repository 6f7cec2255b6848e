"""What `del` and `delattr` take away."""

from __future__ import annotations

from omnilint.analysis import methods
from omnilint.analysis import nodes as cst
from omnilint.analysis.definitions import ClassVal, Func, Instance, Member, ModuleVal
from omnilint.analysis.expressions import evaluate, index_value
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.values import Const, Held, Mapping, Seq, Value


def delete(it: Interp, frame: Frame, target: cst.CSTNode) -> None:
    """`del target`."""
    if type(target) is cst.Tuple or type(target) is cst.List:
        for element in target.elements:
            delete(it, frame, element.value)
    elif type(target) is cst.Name:
        if target.value in frame.scope.globals:
            it.stored.undo(it, (id(frame.state.scope), target.value))
        frame.scope.vars.pop(target.value, None)
    elif type(target) is cst.Attribute:
        delete_attribute(it, evaluate(it, frame, target.value), target.attr.value)
    elif type(target) is cst.Subscript:
        base = evaluate(it, frame, target.value)
        _delete_item(it, frame, base, index_value(it, frame, target.slice), target)


def delete_attribute(it: Interp, base: Value, name: str) -> None:
    """`del base.name`."""
    if isinstance(base, (Instance, ClassVal, Func)):
        it.stored.undo(it, (id(base), name))
    elif isinstance(base, ModuleVal):
        it.stored.undo(it, (id(base.state.scope), name))
    elif isinstance(base, Held):
        it.stored.undo(it, (base.label, name))


def _delete_item(it: Interp, frame: Frame, base: Value, index: Value, node: cst.CSTNode) -> None:
    if isinstance(base, Mapping) or (isinstance(base, Seq) and isinstance(index, Const) and index.value == -1):
        methods.call_member(it, frame, Member(base, "pop"), [index], {}, node)
    elif isinstance(base, Held):
        it.stored.undo(it, (base.label, base.label), last=True)
