"""Objects of libraries that carry functions through traces: train states, transformations, optimisers of modules."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from omnilint.analysis import calls, tables
from omnilint.analysis import nodes as cst
from omnilint.analysis.definitions import ClassVal, Ext, FieldSpec, Instance, Native
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.values import UNKNOWN, Const, JaxArray, Static, Tup, Value

Args = list[Value]
Kwargs = dict[str, Value]


def record_class(it: Interp, state: Any, dotted: str) -> ClassVal:
    """The class of a library's record, with the methods that the table knows."""
    cls = it.library.get(dotted)
    if cls is None:
        row = tables.layers()["records"][dotted]
        it.library[dotted] = cls = ClassVal(dotted.rpartition(".")[2], dotted, state, None)
        cls.bases = [Ext(b) for b in row.get("bases", ())]
        cls.record, cls.tree = row["kind"], "node"
        cls.fields = [FieldSpec(n, "", None, n in row.get("static", ())) for n in row["fields"]]
        cls.meta_fields = set(row.get("static", ()))
        for name, kind in row.get("methods", {}).items():
            cls.attrs[name] = Native(f"method:{name}", partial(_METHODS[kind], it))
        for name, kind in row.get("class_methods", {}).items():
            cls.attrs[name] = Native(f"method:class:{name}", partial(_METHODS[kind], it))
    return cls


def base_class(state: Any, base: Value) -> Value:
    """A base class, by what the table knows of it."""
    known = isinstance(base, Ext) and tables.canonical(base.dotted) in tables.layers()["records"]
    return record_class(state.it, state, tables.canonical(base.dotted)) if isinstance(base, Ext) and known else base


def call_record(
    method: str, it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode
) -> Value:
    """Call a library's record class, or a class method of it."""
    from omnilint.analysis.instances import instantiate
    from omnilint.analysis.objects import class_attribute

    if not method:
        return instantiate(it, frame, record_class(it, frame.state, dotted), args, kwargs, node)
    cls = record_class(it, frame.state, dotted.rpartition(".")[0])
    return calls.call(it, frame, class_attribute(it, cls, method), args, kwargs, node)


def _call(it: Interp, frame: Frame, base: Value, name: str, args: Args, node: cst.CSTNode) -> Value:
    from omnilint.analysis.objects import get_attribute

    return calls.call(it, frame, get_attribute(it, frame, base, name, node), args, {}, node)


def _create(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    from omnilint.analysis.instances import instantiate

    cls = args[0]
    if not isinstance(cls, ClassVal):
        return UNKNOWN
    state = _call(it, frame, kwargs.get("tx", UNKNOWN), "init", [kwargs.get("params", UNKNOWN)], node)
    return instantiate(it, frame, cls, [], {"step": Const(0), "opt_state": state, **kwargs}, node)


def _apply_gradients(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    from omnilint.analysis.objects import replaced

    own, grads = args[0], kwargs.get("grads", UNKNOWN)
    if not isinstance(own, Instance):
        return UNKNOWN
    attrs = own.attrs
    given = [grads, attrs.get("opt_state", UNKNOWN), attrs.get("params", UNKNOWN)]
    out = _call(it, frame, attrs.get("tx", UNKNOWN), "update", given, node)
    step = attrs.get("step", UNKNOWN)
    if isinstance(step, JaxArray):
        step = it.operation(frame, node, [step], step.dtype, python=True)
    changes = {
        "step": Static("int") if isinstance(step, (Const, Static)) else step,
        "opt_state": out.items[1] if isinstance(out, Tup) and len(out.items) == 2 else UNKNOWN,
        **{k: v for k, v in kwargs.items() if k != "grads"},
    }
    return replaced(it, frame, own, changes, node)


def _update_model(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    own, *given = args
    if isinstance(own, Instance) and it.staging:
        state = JaxArray("abstract", link=it.trace.link if it.trace else None, tree=True)
        _call(it, frame, own.attrs.get("tx", UNKNOWN), "update", [given[-1] if given else UNKNOWN, state], node)
    return UNKNOWN


_METHODS: dict[str, Callable[..., Value]] = {
    "create-state": _create,
    "apply-gradients": _apply_gradients,
    "update-model": _update_model,
}
