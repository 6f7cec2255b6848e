"""Builtins and the standard library: what they demand of a tracer and what they give."""

from __future__ import annotations

import sys
from collections.abc import Callable

from omnilint.analysis import calls, iterating, turns
from omnilint.analysis import nodes as cst
from omnilint.analysis.definitions import Ext, Func, Instance
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import arrays_in, join, join_all
from omnilint.analysis.traces import Link
from omnilint.analysis.values import (
    CONCRETE,
    NONE,
    UNKNOWN,
    Const,
    Either,
    Flag,
    JaxArray,
    Mapping,
    Seq,
    Static,
    Tup,
    Value,
)

Args = list[Value]
Kwargs = dict[str, Value]
_TBOOL = "TracerBoolConversionError"
_CONC = "ConcretizationTypeError"
_TINT = "TracerIntegerConversionError"


def origin_of(values: Args) -> tuple[bool, Link | None]:
    """Whether values were computed from a shape, and where one of them was frozen."""
    shaped = any(isinstance(v, Static) and v.from_shape for v in values)
    return shaped, next((v.taint for v in values if isinstance(v, Static) and v.taint is not None), None)


def _number(kind: str, convert: Callable[..., object]) -> Callable[..., Value]:
    def call(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
        if not args:
            return Const(convert())
        v = args[0]
        need = {"int": "int", "float": "float", "complex": "float", "bool": "bool"}[kind]
        exception = _TBOOL if kind == "bool" else _CONC
        it.demand(frame, v, need, node, f"`{kind}()`", exception)
        if isinstance(v, Const) and not isinstance(v.value, str):
            try:
                return Const(convert(v.value))
            except (TypeError, ValueError, OverflowError):
                return Static(kind)
        if isinstance(v, Instance):
            return calls.call(it, frame, calls_method(it, frame, v, f"__{kind}__", node), [], {}, node)
        shaped, taint = origin_of(args)
        return turns.made_of(Static(kind, shaped or any(a.shaped for a in arrays_in(v)), taint), v)

    return call


def calls_method(it: Interp, frame: Frame, v: Instance, name: str, node: cst.CSTNode) -> Value:
    """The bound method of an object, Unknown when it has none."""
    from omnilint.analysis.objects import get_attribute

    return get_attribute(it, frame, v, name, node)


def _extreme(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    from omnilint.analysis.expressions import iterate

    word = _word(node)
    values = args
    if len(args) == 1:
        items, elem = iterate(it, frame, args[0], node)
        if isinstance(elem, JaxArray) and elem.tree:
            elem = elem.but(maybe=True)  # the keys of a dict are what people sort
        values = items if items is not None else [elem, elem]
    if "key" in kwargs:
        keys = [calls.call(it, frame, kwargs["key"], [v], {}, node) for v in values[:4]]
    else:
        keys = values
    if len(keys) > 1 or word == "sorted":
        for v in keys:
            if it.demand(frame, v, "bool", node, f"`{word}()`", _TBOOL, len(keys) > 1):
                return Static("number") if word != "sorted" else Seq("list", None, Static("number"), it.trace)
    if word == "sorted":
        return Seq("list", None, join_all(values) if values else UNKNOWN, it.trace)
    if values and all(isinstance(v, Const) and isinstance(v.value, (int, float)) for v in values):
        pick = max if word == "max" else min
        return Const(pick(v.value for v in values if isinstance(v, Const)))
    kinds = {v.kind if isinstance(v, Static) else type(getattr(v, "value", None)).__name__ for v in values}
    shaped, taint = origin_of(values)
    if kinds <= {"int", "bool"}:
        return Static("int", shaped, taint)
    if kinds <= {"int", "float", "bool", "number"}:
        return Static("number", shaped, taint)
    return join_all(values) if values else UNKNOWN


def _word(node: cst.CSTNode) -> str:
    func = node.func if type(node) is cst.Call else None
    return func.value if type(func) is cst.Name else "max"


def _any_all(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    from omnilint.analysis.expressions import iterate
    from omnilint.analysis.operators import truth

    if not args:
        return UNKNOWN
    items, elem = iterate(it, frame, args[0], node)
    word = _word(node)
    for v in items if items is not None else [elem]:
        if it.demand(frame, v, "bool", node, f"`{word}()`", _TBOOL):
            return Static("bool")
    if items is not None:
        known = [truth(v) for v in items]
        if None not in known:
            return Const(any(known) if word == "any" else all(known))
    return Static("bool")


def _sum(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    from omnilint.analysis.expressions import iterate
    from omnilint.analysis.operators import binary

    if not args:
        return UNKNOWN
    items, elem = iterate(it, frame, args[0], node)
    total = args[1] if len(args) > 1 else kwargs.get("start", Const(0))
    for v in items if items is not None else [elem, elem]:
        total = binary(it, frame, cst.Add, total, v, node)
    return total


def _len(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    v = args[0] if args else UNKNOWN
    if isinstance(v, Tup):
        return Const(len(v.items))
    growth = it.stored.growth(v) if isinstance(v, Seq) and it.is_outer(v.trace) else None
    if growth is not None:
        return Static("int", taint=growth)
    if isinstance(v, Seq) and v.items is not None and not it.uncertain:
        return Const(len(v.items))
    if isinstance(v, Const) and isinstance(v.value, str):
        return Const(len(v.value))
    if isinstance(v, Instance) and v.cls.record != "namedtuple":
        return calls.call(it, frame, calls_method(it, frame, v, "__len__", node), [], {}, node)
    return Static("int", isinstance(v, JaxArray))


def _range(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    for v in args:
        if it.demand(frame, v, "range", node, "`range()`", _TINT):
            break
    bounds = [v.value for v in args if isinstance(v, Const) and isinstance(v.value, int)]
    if bounds and len(bounds) == len(args) and (len(bounds) < 3 or bounds[2]):
        known = range(*bounds)
        return Tup(Const(i) for i in known) if len(known) <= 4 else Const(known)
    return Static("range", origin_of(args)[0])


def _isinstance(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    if len(args) != 2:
        return Static("bool")
    known = calls.is_instance(args[0], args[1])
    return Static("bool") if known is None else Const(known)


def _hasattr(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    if len(args) == 2 and isinstance(args[1], Const) and isinstance(args[1].value, str):
        found = _probe(it, frame, args[0], args[1].value, node)
        if found is not None:
            return Const(found)
        if isinstance(args[0], Ext) and args[0].dotted in sys.stdlib_module_names:
            return Flag()  # set from outside to switch something on
    return Static("bool")


def _probe(it: Interp, frame: Frame, v: Value, name: str, node: cst.CSTNode) -> bool | None:
    from omnilint.analysis import tables
    from omnilint.analysis.objects import find

    if isinstance(v, JaxArray) and not v.maybe and not v.tree:
        members = tables.array_members()
        answer = members.attributes.get(name)
        if answer == "AttributeError" and v.profile != CONCRETE:
            return False
        return True if answer is not None or name in members.methods else None
    if isinstance(v, Const) or (isinstance(v, Static) and v.kind in ("int", "float", "bool", "str")):
        return False if name in ("shape", "dtype", "ndim", "aval", "size") else None
    if isinstance(v, Func) and not name.startswith("__"):
        return name in v.attrs
    if isinstance(v, Instance):
        if name in v.attrs or find(v.cls, name) is not None:
            return True
        return None if v.open or it.uncertain else False
    return None


def _getattr(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    from omnilint.analysis.objects import get_attribute

    if len(args) >= 2 and isinstance(args[1], Const) and isinstance(args[1].value, str):
        known = _probe(it, frame, args[0], args[1].value, node)
        if len(args) == 3 and known is False:
            return args[2]
        value = get_attribute(it, frame, args[0], args[1].value, node)
        if len(args) == 3 and known is None:
            return join(value, args[2])
        return value
    return UNKNOWN


def _setattr(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    from omnilint.analysis.objects import set_attribute, set_some_attribute

    if len(args) == 3 and isinstance(args[1], Const):
        set_attribute(it, frame, args[0], str(args[1].value), args[2], node)
    elif len(args) == 3:
        set_some_attribute(it, frame, args[0], args[2], node)
    return NONE


def _globals(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    frame.state.get("")
    return Mapping(frame.state.scope.vars, UNKNOWN, None)


def _vars(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    from omnilint.analysis.objects import get_attribute

    return get_attribute(it, frame, args[0], "__dict__", node) if args else UNKNOWN


def _integer_like(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    word = _word(node)
    for v in args:
        it.demand(frame, v, "index", node, f"`{word}()`", _TINT)
    return Static("str")


def _abs(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    v = args[0] if args else UNKNOWN
    if isinstance(v, Either):
        return join_all([_abs(it, frame, [option], kwargs, node) for option in v.options])
    if isinstance(v, Instance):
        return calls.call(it, frame, calls_method(it, frame, v, "__abs__", node), [], {}, node)
    if isinstance(v, JaxArray):
        return it.operation(frame, node, args, python=True)
    if isinstance(v, Const) and type(v.value) in (bool, int, float):
        return Const(abs(v.value))
    return v if isinstance(v, Static) else UNKNOWN


def _round(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    v = args[0] if args else UNKNOWN
    if isinstance(v, Either):
        return join_all([_round(it, frame, [option, *args[1:]], kwargs, node) for option in v.options])
    if isinstance(v, JaxArray):
        return it.operation(frame, node, args, python=True)
    return (
        Static("int" if len(args) == 1 else "number", *origin_of(args)) if isinstance(v, (Static, Const)) else UNKNOWN
    )


def _pow(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    from omnilint.analysis.operators import binary

    return binary(it, frame, cst.Power, args[0], args[1], node) if len(args) == 2 else UNKNOWN


def _divmod(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    from omnilint.analysis.operators import binary

    if len(args) != 2:
        return UNKNOWN
    return Tup(binary(it, frame, o, args[0], args[1], node) for o in (cst.FloorDivide, cst.Modulo))


def _format(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    if len(args) > 1:
        it.demand(frame, args[0], "format", node, "`format()`", "TypeError")
    return Static("str")


def _hash(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    for v in args:
        it.demand(frame, v, "hash", node, "`hash()`", "TypeError")
    return Static("int")


def _type(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    if len(args) == 1 and isinstance(args[0], Instance):
        return args[0].cls
    if len(args) == 1 and isinstance(args[0], Tup):
        return Ext("builtins.tuple")
    if len(args) == 1 and isinstance(args[0], Seq) and args[0].kind in ("list", "set"):
        return Ext(f"builtins.{args[0].kind}")
    array = args[0] if len(args) == 1 and isinstance(args[0], JaxArray) and not args[0].maybe else None
    if array is not None and (not array.tree or array.param is not None):
        return Ext("jax.core.Tracer" if array.profile != CONCRETE else "jax.Array")
    if len(args) == 1 and isinstance(args[0], Const) and args[0].value is not None:
        return Ext(f"builtins.{type(args[0].value).__name__}")
    return Static("type")


def _constant(kind: str) -> Callable[..., Value]:
    def call(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
        return NONE if kind == "none" else Static(kind)

    return call


_BUILTINS: dict[str, Callable[..., Value]] = {
    "bool": _number("bool", bool),
    "int": _number("int", int),
    "float": _number("float", float),
    "complex": _number("complex", complex),
    "max": _extreme,
    "min": _extreme,
    "sorted": _extreme,
    "any": _any_all,
    "all": _any_all,
    "sum": _sum,
    "len": _len,
    "range": _range,
    "isinstance": _isinstance,
    "issubclass": _constant("bool"),
    "callable": _constant("bool"),
    "hasattr": _hasattr,
    "getattr": _getattr,
    "setattr": _setattr,
    "list": iterating.iterable("list"),
    "tuple": iterating.iterable("tuple"),
    "set": iterating.iterable("set"),
    "frozenset": iterating.iterable("frozenset"),
    "enumerate": iterating.enumerated,
    "zip": iterating.zipped,
    "map": iterating.mapped,
    "filter": iterating.filtered,
    "reversed": iterating.backwards,
    "next": iterating.following,
    "iter": iterating.iterator,
    "dict": iterating.dictionary,
    "globals": _globals,
    "vars": _vars,
    "bin": _integer_like,
    "hex": _integer_like,
    "oct": _integer_like,
    "chr": _integer_like,
    "abs": _abs,
    "round": _round,
    "pow": _pow,
    "divmod": _divmod,
    "format": _format,
    "hash": _hash,
    "type": _type,
    "str": _constant("str"),
    "repr": _constant("str"),
    "id": _constant("int"),
    "print": _constant("none"),
    "slice": lambda it, frame, args, kwargs, node: _slice(args),
}


def _slice(args: Args) -> Value:
    from omnilint.analysis.values import SliceVal

    bounds = [NONE, args[0], NONE] if len(args) == 1 else [*args, NONE, NONE][:3]
    return SliceVal(tuple(bounds))


def call_builtin(it: Interp, frame: Frame, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """Call a builtin function or type."""
    if name == "object.__setattr__":
        return _setattr(it, frame, args, kwargs, node)
    handler = _BUILTINS.get(name)
    if name == "bool" and args and isinstance(args[0], Flag):
        return args[0]
    if handler is not None:
        return handler(it, frame, args, kwargs, node)
    taint = next((v.taint for v in args if isinstance(v, Static) and v.taint is not None), None)
    return UNKNOWN if taint is None else Static("object", taint=taint)  # what was drawn once stays what it is
