"""Calls: binding arguments, running functions of the run, and handing the rest to who knows it."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from operator import is_
from typing import Any

from omnilint.analysis import held
from omnilint.analysis import nodes as cst
from omnilint.analysis.code import Code, Scope
from omnilint.analysis.definitions import (
    Applied,
    Bound,
    ClassVal,
    Ext,
    Func,
    Instance,
    Layer,
    Member,
    Native,
    Partial,
    Transformed,
)
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import join, join_all
from omnilint.analysis.tables import canonical
from omnilint.analysis.traces import Link
from omnilint.analysis.values import (
    NONE,
    UNKNOWN,
    AnyOf,
    Const,
    Either,
    Held,
    JaxArray,
    Mapping,
    Opaque,
    Seq,
    Static,
    Tup,
    Unknown,
    Value,
    serials,
)

_BUILTINS = frozenset(dir(builtins))
MAX_DEPTH = 26
# A function is run again for other arguments until both are used up: runs, and steps of its own statements.
MAX_RUNS = 16
MAX_COST = 1_000
MAX_RECURSION = 6


def builtin(name: str) -> Value:
    """A builtin by its name; Unknown for a name that is none."""
    if name == "__name__":
        return Const("__main__")  # what the module does when it is run counts too
    return Ext(f"builtins.{name}") if name in _BUILTINS else UNKNOWN


def is_known(dotted: str) -> bool:
    """Is something outside certainly there (so that it isn't None)?"""
    return dotted.startswith(("builtins.", "jax.", "numpy", "math.")) or dotted in ("jax", "numpy", "math")


def call_node(it: Interp, frame: Frame, node: cst.Call) -> Value:
    """The value of a call expression."""
    from omnilint.analysis.expressions import evaluate, iterate

    if type(node.func) is cst.Name and node.func.value == "super" and not node.args:
        return _super(frame)
    func = evaluate(it, frame, node.func)
    args: list[Value] = []
    kwargs: dict[str, Value] = {}
    for a in node.args:
        value = evaluate(it, frame, a.value)
        if a.star == "*":
            items, elem = iterate(it, frame, value, a.value, sys.maxsize)
            if items is None:
                kwargs["*"] = elem
            else:
                args.extend(items)
        elif a.star == "**":
            if isinstance(value, Mapping) and value.elem is None and all(isinstance(k, str) for k in value.items):
                kwargs.update(value.items)
            elif isinstance(value, Opaque):
                kwargs["**"] = held.part_of(value)
            else:
                kwargs["**"] = join_all([UNKNOWN, *(value.items.values() if isinstance(value, Mapping) else [value])])
        elif a.keyword is not None:
            kwargs[a.keyword.value] = value
        else:
            args.append(value)
    if type(node.func) is cst.Attribute and declares_failure(node.func):
        for v in args:
            if isinstance(v, Transformed):
                v.called = v.met = True  # it is meant to fail
        return UNKNOWN
    if isinstance(func, Held):
        held.store_by_method(it, frame, func, node, [*args, *kwargs.values()])
    return call(it, frame, func, args, kwargs, node)


def declares_failure(node: cst.BaseExpression) -> bool:
    """`self.assertRaises(…)`, `pytest.raises(…)` called with what is to fail."""
    return type(node) is cst.Attribute and node.attr.value.startswith("assertRaises")


def _super(frame: Frame) -> Value:
    if frame.cls is None or frame.self_value is None:
        return UNKNOWN
    return Super(frame.cls, frame.self_value)


class Super(Native):
    """`super()`: attributes come from the classes after the one whose method runs."""

    __slots__ = ("cls", "obj")

    def __init__(self, cls: ClassVal, obj: Value) -> None:
        super().__init__("super", lambda *a: UNKNOWN)
        self.cls = cls
        self.obj = obj


def call(
    it: Interp, frame: Frame, func: Value, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    """`func(*args, **kwargs)`. The names "*" and "**" in `kwargs` stand for unpacked arguments of unknown number."""
    handler = (_CALLERS or _learn_callers()).get(type(func))
    if handler is not None:
        return handler(it, frame, func, args, kwargs, node)
    return held.unknown_result(it, frame, args, kwargs, node) if isinstance(func, Unknown) else UNKNOWN


Caller = Callable[[Interp, Frame, Any, list[Value], dict[str, Value], cst.CSTNode], Value]
_CALLERS: dict[type, Caller] = {}


def _learn_callers() -> dict[type, Caller]:
    from omnilint.analysis import choosing, externals, instances, layers, methods, objects, transforming

    _CALLERS.update(
        {
            Func: call_func,
            Ext: externals.call_value,
            Member: methods.call_member,
            Bound: _call_bound,
            Partial: _call_partial,
            Transformed: transforming.call_transformed,
            ClassVal: instances.instantiate,
            Instance: objects.call_instance,
            Native: _call_native,
            Applied: _call_native,
            Super: _call_native,
            Either: choosing.call_each,
            AnyOf: choosing.call_each,
            Static: _call_static,
            Layer: layers.call_layer,
        }
    )
    return _CALLERS


def _call_bound(
    it: Interp, frame: Frame, func: Bound, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    return call(it, frame, func.func, [func.self, *args], kwargs, node)


def _call_partial(
    it: Interp, frame: Frame, func: Partial, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    made = call(it, frame, func.func, [*func.args, *args], {**func.kwargs, **kwargs}, node)
    if isinstance(made, Transformed) and isinstance(func.func, Ext) and func.link is not None:
        made.links.append(func.link)
    return made


def _call_native(
    it: Interp, frame: Frame, func: Native, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    return func.call(frame, args, kwargs, node)


def _call_static(
    it: Interp, frame: Frame, func: Static, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    return func if func.kind == "frozen" else UNKNOWN


def bind_arguments(it: Interp, func: Func, args: list[Value], kwargs: dict[str, Value]) -> dict[str, Value]:
    """Values of the parameters for a call; defaults for what isn't passed, Unknown for what can't be told."""
    p = func.code.params
    out: dict[str, Value] = dict(zip(p.positional, args))  # noqa: B905 - more of either is dealt with below
    if not kwargs and len(out) == len(args) == len(p.names) and p.simple:
        return out
    loose = "*" in kwargs
    if p.vararg is not None:
        extra = args[len(p.positional) :]
        out[p.vararg] = Seq("tuple", None, _one_of(extra, kwargs["*"]), it.trace) if loose else Tup(extra)
    extra_kw: dict[Any, Value] = {}
    for name, value in kwargs.items():
        if name in ("*", "**"):
            continue
        if (name in p.positional and name not in p.posonly) or name in p.kwonly:
            out[name] = value
        else:
            extra_kw[name] = value
    if p.kwarg is not None:
        out[p.kwarg] = Mapping(extra_kw, kwargs.get("**"), it.trace)
    for name in p.names:
        if name in out:
            continue
        if loose and name in p.positional:
            out[name] = _spread(kwargs["*"])
        elif "**" in kwargs:
            out[name] = join(default(it, func, name), UNKNOWN) if name in p.defaults else UNKNOWN
        elif name in p.defaults:
            out[name] = default(it, func, name)
        else:
            out[name] = UNKNOWN
    return out


def _one_of(extra: list[Value], rest: Value) -> Value:
    """An argument of which isn't known whether it is one of `extra` or one of the rest."""
    value = join_all([*extra, rest])
    mixed = isinstance(rest, Either) or (isinstance(rest, JaxArray) and rest.maybe)
    return _spread(value) if mixed else value


def _spread(value: Value) -> Value:
    # One of an unknown number of arguments: it may be None, or static.
    if isinstance(value, Either):
        return Either(tuple(_spread(v) for v in value.options))
    return value.but(param=None, maybe=True) if isinstance(value, JaxArray) else value


def default(it: Interp, func: Func, name: str) -> Value:
    """The value of a parameter's default, evaluated where the function is defined."""
    from omnilint.analysis.expressions import evaluate

    if func.defaults is None or name not in func.defaults:
        node = func.code.params.defaults[name]
        frame = Frame(it.modules[func.code.module.path], func.code.unit, Scope(func.scope, None))
        with it.under(None):
            value = evaluate(it, frame, node)
        it.ledger.save(func)
        if isinstance(value, (Seq, Mapping)):
            value.trace = func.scope.trace if func.scope is not None else None
        func.defaults = {**(func.defaults or {}), name: value}
    return func.defaults[name]


def call_func(
    it: Interp, frame: Frame, func: Func, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    """Run a function of the run on abstract arguments; memoised by their binding times."""
    code = func.code
    if "__func__" in func.attrs:
        return call(it, frame, func.attrs["__func__"], args, kwargs, node)
    if code.spent or it.depth >= MAX_DEPTH:
        if not code.spent:
            it.spent.append((code.module.path, code.qualname))
        it.cuts += 1
        return UNKNOWN
    cached = func.attrs.get("@cached")
    if cached is not None:
        for v in (*args, *kwargs.values()):
            it.demand(frame, v, "hash", node, f"calling `{code.name}`, which is memoised,", "TypeError")
    bound = bind_arguments(it, func, args, kwargs)
    key: Any = None
    try:
        key = (
            id(code),
            id(func.scope),
            tuple([(k, v.key()) for k, v in bound.items()]),
            it.trace.key() if it.trace is not None else it.epoch,
            (bool(it.guard), bool(it.care), bool(it.choosing)),
            bool(it.folding),
        )
        hash(key)
    except TypeError:
        key = None
    if key is not None:
        if key in it.memo:
            it.cuts += key in it.cut_short
            return _handed_out(it.memo[key], bound, (frame.unit, node))
        if key in it.running:
            return UNKNOWN
    if it.activations.get(id(code), 0) >= MAX_RECURSION:
        return UNKNOWN
    if code.runs == 0:
        it.ledger.counted.append(code)
    code.runs += 1
    # Of `__getattr__`, the names in the code are as many as there are.
    if code.runs > MAX_RUNS and code.cost > MAX_COST and code.name != "__getattr__":
        code.spent = True
        it.spent.append((code.module.path, code.qualname))
        it.cuts += 1
        return UNKNOWN
    before, start = it.oldest_write, next(serials)
    it.oldest_write = float("inf")
    began, others, it.elsewhere = it.steps, it.elsewhere, 0
    cuts = it.cuts
    try:
        result = _run(it, frame, func, bound, key, node)
        pure = it.oldest_write > start
    finally:
        it.oldest_write = min(before, it.oldest_write)
        code.cost += it.steps - began - it.elsewhere
        it.elsewhere = others + it.steps - began
    if key is not None and pure and not _fresh(result):
        it.memo[key] = result
        if it.cuts > cuts:
            it.cut_short.add(key)
        it.keep.append((func, bound))
    if cached is not None:
        _memo_leak(it, frame, func, result, bound)
    return _handed_out(result, bound, (frame.unit, node))


def _handed_out(result: Value, bound: dict[str, Value], call: tuple[Any, ...]) -> Value:
    """A function's result as its caller sees it: made by the call, but for what is computed from arguments alone.

    Another call of equal binding times has the same result, from arguments of its own.
    """
    if type(result) is Tup:
        items = [_handed_out(v, bound, (*call, i)) for i, v in enumerate(result.items)]
        return result if all(map(is_, items, result.items)) else Tup(items)
    if type(result) is not JaxArray or not result.source:
        return result
    given = {s for v in bound.values() if type(v) is JaxArray for s in ((v.param,) if v.param else v.source)}
    return result if given.issuperset(result.source) else result.but(source=(call,))


def _fresh(v: Value) -> bool:
    """Mutable results belong to one call and aren't shared between calls."""
    return isinstance(v, (Seq, Mapping, Instance, Transformed, Func)) or (
        isinstance(v, Tup) and any(_fresh(x) for x in v.items)
    )


def _memo_leak(it: Interp, frame: Frame, func: Func, result: Value, bound: dict[str, Value]) -> None:
    from omnilint.analysis.effects import leaks

    tracer = leaks(result)
    if (
        tracer is not None
        and it.is_outer(func.scope.trace if func.scope is not None else None)
        and not any(leaks(v) for v in bound.values())
    ):
        unit = func.code.unit
        inner = Frame(frame.state, unit, Scope(func.scope, None))
        it.event(inner, "memo", func.code.node, value=tracer, what=func.code.name, role="leak")


def _run(it: Interp, caller: Frame, func: Func, bound: dict[str, Value], key: Any, node: cst.CSTNode) -> Value:
    from omnilint.analysis.expressions import evaluate
    from omnilint.analysis.statements import run_block

    code = func.code
    it.entered.add(code)
    if it.trace is not None and not it.trace.hypothetical:
        it.traced_codes.add(code)
    scope = Scope(func.scope, it.trace)
    frame = Frame(it.modules[code.module.path], code.unit, scope, code.qualname, code)
    names = code.params.positional
    scope.vars.update(bound)
    for name, value in bound.items():
        if type(value) is JaxArray:
            scope.vars[name] = _passed(caller, value, code, name, node)
    frame.cls = func.owner
    if func.owner is not None and names:
        frame.self_value = bound.get(names[0])
    it.depth += 1
    it.running.add(key)
    it.activations[id(code)] = it.activations.get(id(code), 0) + 1
    uncertain = frame.settled = it.uncertain
    facts = code.facts
    it.restoring += facts.restores
    try:
        body = code.node.body
        if type(code.node) is cst.Lambda:
            return evaluate(it, frame, code.node.body)
        leaving = run_block(it, frame, body)
    finally:
        it.depth -= 1
        it.running.discard(key)
        it.activations[id(code)] -= 1
        it.uncertain = uncertain
        it.restoring -= facts.restores
    if frame.yields or code.generator:
        return Seq("iterator", None, join_all(frame.yields), it.trace)
    if not frame.returns:
        left_open = leaving == "raise" or (func.owner is not None and _is_stub(body))
        return UNKNOWN if left_open else NONE
    result = join_all(frame.returns)
    if it.trace is not None and caller.scope.trace is not it.trace:
        held.returned_from_trace(it, result, it.trace)
    return result


def _is_stub(body: cst.BaseSuite | cst.BaseExpression) -> bool:
    """Is it the body of a method that others are to define?"""
    assert isinstance(body, cst.BaseSuite)
    lines = [x for s in body.body for x in (s.body if type(s) is cst.SimpleStatementLine else (s,))]
    return all(
        type(x) is cst.Pass or (type(x) is cst.Expr and type(x.value) in (cst.SimpleString, cst.Ellipsis))
        for x in lines
    )


def _passed(caller: Frame, value: JaxArray, code: Code, name: str, node: cst.CSTNode) -> Value:
    """The value as its callee sees it: the chain of reasons grows by the call."""
    if not value.traced or value.link is None or value.link.node is node:
        return value
    if isinstance(node, cst.BaseExpression) and type(node) is not cst.Lambda:  # else the analysis enters a root
        link = Link(caller.unit, node, f"passed to `{code.name}` as `{name}` here", value.link, "passed")
        if type(node) is cst.Call and _is_handed_in(caller, node.func, code.name):
            link.callee = (code.unit, code.node)
        return value.but(link=link)
    return value


def _is_handed_in(caller: Frame, func: cst.CSTNode, name: str) -> bool:
    """Does the code that calls a function get it as a value: a decorator's argument, an attribute?"""
    if type(func) is cst.Attribute:
        return func.attr.value != name and not name.startswith("__")
    if type(func) is not cst.Name or func.value == name or name.startswith("__"):
        return False
    holder = caller.scope.holder(func.value)
    return holder is not None and holder is not caller.state.scope


def is_instance(value: Value, cls: Value) -> bool | None:
    """`isinstance(value, cls)` for a single value; None when not known."""
    if isinstance(cls, (Tup, Seq)):
        answers = [is_instance(value, c) for c in (cls.items or [])]
        if any(a is True for a in answers):
            return True
        return False if answers and all(a is False for a in answers) else None
    if isinstance(value, Either):
        known = {is_instance(v, cls) for v in value.options}
        return known.pop() if len(known) == 1 else None
    if isinstance(value, Instance) and isinstance(cls, ClassVal):
        from omnilint.analysis.objects import mro

        if cls in mro(value.cls):
            return True
        return None if value.open else False
    if isinstance(cls, ClassVal):
        if isinstance(value, JaxArray):
            return None if value.tree or value.maybe else False
        return False if isinstance(value, (Const, Tup, Seq, Mapping, Func)) else None
    if not isinstance(cls, Ext):
        return None
    name = canonical(cls.dotted)
    word = name.rpartition(".")[2]
    if isinstance(value, JaxArray):
        return _array_is(value, name, word)
    if isinstance(value, Const):
        if name.startswith("builtins.") and isinstance(getattr(builtins, word, None), type):
            return isinstance(value.value, getattr(builtins, word))
        return False if word in ("ndarray", "Array", "Tracer") else None
    kinds = {Tup: "tuple", Mapping: "dict"}
    kind = kinds.get(type(value)) or (value.kind if isinstance(value, (Seq, Static)) else None)
    if isinstance(value, (Func, Bound, Partial)):
        return False if word in ("ndarray", "Array", "Tracer", "int", "float", "str", "tuple", "list", "dict") else None
    if kind is None or kind in ("object", "iterator"):
        return None
    if word in ("Array", "Tracer") or (word == "ndarray" and name.startswith("jax")):
        return False
    if word == "ndarray":
        return kind == "ndarray"
    if word in ("int", "float", "str", "tuple", "list", "dict", "set", "bool", "bytes"):
        if kind == "shape":
            return word == "tuple"
        if kind == "bool":
            return word in ("bool", "int")
        return kind == word if kind != "number" else None
    return None


def _array_is(value: JaxArray, name: str, word: str) -> bool | None:
    if value.maybe:
        return None
    if word == "Tracer":
        if value.profile == "concrete":
            return False
        return None if value.tree and value.param is None else True
    if word == "Array" or (word == "ndarray" and name.startswith("jax")):
        return None if value.tree else True
    if name.startswith("numpy."):  # an array of NumPy's, or a number
        return None if value.tree and value.profile == "concrete" else False
    if word in (
        "int",
        "float",
        "bool",
        "complex",
        "str",
        "integer",
        "floating",
        "number",
        "bool_",
        "inexact",
        "Number",
        "Real",
        "Integral",
    ):
        return False if value.profile != "concrete" or not value.tree else None
    if word in ("tuple", "list", "dict", "Mapping", "Sequence"):
        return None if value.tree else False
    return None


def as_container(it: Interp, value: JaxArray, cls: Value) -> Value:
    """A pytree of which is now known that it is a dict, a list, …"""
    names = [c.dotted for c in (cls.items or ()) if isinstance(c, Ext)] if isinstance(cls, (Tup, Seq)) else []
    if isinstance(cls, Ext):
        names = [cls.dotted]
    words = {n.rpartition(".")[2] for n in names}
    inner = value.but(param=None)
    if words and words <= {"dict", "Mapping", "FrozenDict", "OrderedDict"}:
        return Mapping({}, inner, it.trace)
    if words and words <= {"list", "tuple", "Sequence", "set"}:
        return Seq("tuple" if words & {"tuple", "Sequence"} else "list", None, inner, it.trace)
    if words & {"Array", "Tracer"} or any(n.startswith("jax.") for n in names):
        return value.but(tree=False)
    return UNKNOWN
