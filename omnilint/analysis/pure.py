"""Builtins and the standard library: what they demand of a tracer and what they give."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import libcst as cst

from omnilint.analysis import calls
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.traces import Link
from omnilint.analysis.values import (
    CONCRETE,
    NONE,
    UNKNOWN,
    ClassVal,
    Const,
    Ext,
    Flag,
    Func,
    Instance,
    JaxArray,
    Mapping,
    Native,
    Seq,
    Static,
    Tup,
    Value,
    arrays_in,
    children,
    join,
    join_all,
)

Args = list[Value]
Kwargs = dict[str, Value]
_TBOOL = "TracerBoolConversionError"
_CONC = "ConcretizationTypeError"
_TINT = "TracerIntegerConversionError"


def _flags(values: Args) -> tuple[bool, Link | None]:
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
        shaped, taint = _flags(args)
        return Static(kind, shaped or any(a.shaped for a in arrays_in(v)), taint)

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
            if it.demand(frame, v, "bool", node, f"`{word}()`", _TBOOL):
                return Static("number") if word != "sorted" else Seq("list", None, Static("number"), it.trace)
    if word == "sorted":
        return Seq("list", None, join_all(values) if values else UNKNOWN, it.trace)
    if values and all(isinstance(v, Const) and isinstance(v.value, (int, float)) for v in values):
        pick = max if word == "max" else min
        return Const(pick(v.value for v in values if isinstance(v, Const)))
    kinds = {v.kind if isinstance(v, Static) else type(getattr(v, "value", None)).__name__ for v in values}
    shaped, taint = _flags(values)
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
    return Static("range", _flags(args)[0])


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
    from omnilint.analysis.objects import set_attribute

    if len(args) == 3 and isinstance(args[1], Const):
        set_attribute(it, frame, args[0], str(args[1].value), args[2], node)
    return NONE


def _iterable(kind: str) -> Callable[..., Value]:
    def call(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
        from omnilint.analysis.expressions import iterate

        if not args:
            return Tup(()) if kind == "tuple" else Seq(kind, [], None, it.trace)
        if isinstance(args[0], Static) and args[0].kind == "shape" and kind == "tuple":
            return args[0]
        if isinstance(args[0], Const) and isinstance(args[0].value, range) and len(args[0].value) <= 32:
            numbers = [Const(i) for i in args[0].value]
            return Tup(numbers) if kind == "tuple" else Seq(kind, list[Value](numbers), None, it.trace)
        items, elem = iterate(it, frame, args[0], node)
        if kind in ("set", "frozenset"):
            it.demand(frame, elem, "hash", node, f"`{kind}()`", "TypeError")
        if items is not None:
            return Tup(items) if kind == "tuple" else Seq(kind, items, None, it.trace)
        return Seq(kind, None, elem, it.trace)

    return call


def _enumerate(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    from omnilint.analysis.expressions import iterate

    items, elem = iterate(it, frame, args[0] if args else UNKNOWN, node)
    if items is not None and len(args) == 1 and not kwargs:
        return Seq("iterator", [Tup((Const(i), v)) for i, v in enumerate(items)], None, it.trace)
    return Seq("iterator", None, Tup((Static("int"), elem)), it.trace)


_FEW = 8


def _zip(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    from omnilint.analysis.expressions import iterate

    parts = [iterate(it, frame, v, node) for v in args]
    if parts and all(p[0] is not None for p in parts) and "*" not in kwargs:
        rows = zip(*(p[0] or [] for p in parts), strict=False)
        return Seq("iterator", [Tup(r) for r in rows], None, it.trace)
    if "*" in kwargs:
        return Seq("iterator", None, UNKNOWN, it.trace)
    known = [len(p[0]) for p in parts if p[0] is not None]
    if known and min(known) <= _FEW:  # the others are as long, or nobody would zip them
        rows = zip(*(p[0] if p[0] is not None else [p[1]] * min(known) for p in parts), strict=False)
        return Seq("iterator", [Tup(r) for r in rows], None, it.trace)
    return Seq("iterator", None, Tup(p[1] for p in parts), it.trace)


def _map(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    from omnilint.analysis.expressions import iterate

    if len(args) < 2:
        return UNKNOWN
    parts = [iterate(it, frame, v, node) for v in args[1:]]
    if all(p[0] is not None for p in parts):
        rows = list(zip(*(p[0] or [] for p in parts), strict=False))
        if len(rows) <= 8:
            return Seq("iterator", [calls.call(it, frame, args[0], list(r), {}, node) for r in rows], None, it.trace)
    return Seq("iterator", None, calls.call(it, frame, args[0], [p[1] for p in parts], {}, node), it.trace)


def _filter(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    from omnilint.analysis.expressions import iterate

    if len(args) < 2:
        return UNKNOWN
    _, elem = iterate(it, frame, args[1], node)
    kept = elem if isinstance(args[0], Const) else calls.call(it, frame, args[0], [elem], {}, node)
    it.demand(frame, kept, "bool", node, "`filter()`", _TBOOL)
    return Seq("iterator", None, elem, it.trace)


def _reversed(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    from omnilint.analysis.expressions import iterate

    items, elem = iterate(it, frame, args[0] if args else UNKNOWN, node)
    return Seq("iterator", items[::-1] if items is not None else None, elem, it.trace)


def _next(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    from omnilint.analysis.expressions import iterate

    v = args[0] if args else UNKNOWN
    if isinstance(v, Instance):
        return calls.call(it, frame, calls_method(it, frame, v, "__next__", node), [], {}, node)
    if isinstance(v, Seq):
        if v.kind == "iterator" and it.is_outer(v.trace):
            link = Link(frame.unit, node, "next()", it.trace.link if it.trace else None, "iterator")
            return _drawn_once(it, iterate(it, frame, v, node)[1], link)
        out = iterate(it, frame, v, node)[1]
        return join(out, args[1]) if len(args) > 1 else out
    return UNKNOWN


def _drawn_once(it: Interp, value: Value, link: Link) -> Value:
    """What a trace takes from an outer iterator: the same on each later call."""
    if isinstance(value, Tup):
        return Tup(_drawn_once(it, v, link) for v in value.items)
    if isinstance(value, (Const, Static)) and it.staging:
        kind = value.kind if isinstance(value, Static) else type(value.value).__name__
        return Static(kind, taint=link)
    if isinstance(value, JaxArray) and value.profile == CONCRETE:
        it.tainted(link, "abstract")
    return value


def _iter(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    from omnilint.analysis.expressions import iterate

    items, elem = iterate(it, frame, args[0] if args else UNKNOWN, node)
    return Seq("iterator", items, elem if items is None else None, it.trace)


def _dict(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    from omnilint.analysis.expressions import iterate
    from omnilint.analysis.operators import merge

    out = Mapping({}, None, it.trace)
    if args:
        if isinstance(args[0], Mapping):
            merge(out, args[0])
        else:
            items, elem = iterate(it, frame, args[0], node)
            for pair in items if items is not None else [elem]:
                if isinstance(pair, Tup) and len(pair.items) == 2:
                    k, v = pair.items
                    if isinstance(k, Const) and items is not None:
                        out.items[k.value] = v
                    else:
                        out.elem = v if out.elem is None else join(out.elem, v)
                elif isinstance(args[0], JaxArray):
                    out.elem = args[0].but(param=None)
                else:
                    out.elem = UNKNOWN
    for name, value in kwargs.items():
        if name in ("*", "**"):
            out.elem = UNKNOWN
        else:
            out.items[name] = value
    return out


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
    if isinstance(v, JaxArray):
        return it.operation(frame, node, args, python=True)
    if isinstance(v, Const) and isinstance(v.value, (int, float)):
        return Const(abs(v.value))
    return v if isinstance(v, Static) else UNKNOWN


def _round(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    v = args[0] if args else UNKNOWN
    if isinstance(v, JaxArray):
        return it.operation(frame, node, args, python=True)
    return Static("int" if len(args) == 1 else "number", *_flags(args)) if isinstance(v, (Static, Const)) else UNKNOWN


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
    "list": _iterable("list"),
    "tuple": _iterable("tuple"),
    "set": _iterable("set"),
    "frozenset": _iterable("frozenset"),
    "enumerate": _enumerate,
    "zip": _zip,
    "map": _map,
    "filter": _filter,
    "reversed": _reversed,
    "next": _next,
    "iter": _iter,
    "dict": _dict,
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


# -- math -------------------------------------------------------------------------------------------

_INTEGER_MATH = frozenset(("factorial", "gcd", "lcm", "comb", "perm", "isqrt"))
_INT_RESULT = _INTEGER_MATH | {"ceil", "floor", "trunc"}


def call_math(it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """Call a function of `math`."""
    from omnilint.analysis.externals import demand_deep

    word = dotted[5:]
    if word in ("prod", "fsum", "sumprod", "dist", "hypot"):
        if word != "prod":
            for v in args:
                demand_deep(it, frame, v, "float", node, f"`{dotted}()`", _CONC)
        found = [a for v in args for a in arrays_in(v)]
        if found and word == "prod":
            return it.operation(frame, node, args, python=True)
        shaped = any(isinstance(v, Static) and v.from_shape for v in (*args, *(c for a in args for c in children(a))))
        return Static("int" if word == "prod" else "float", shaped)
    need, exception = ("index", _TINT) if word in _INTEGER_MATH else ("float", _CONC)
    for v in args:
        if it.demand(frame, v, need, node, f"`{dotted}()`", exception):
            break
    if args and all(isinstance(v, Const) for v in args) and hasattr(math, word):
        try:
            return Const(getattr(math, word)(*(v.value for v in args if isinstance(v, Const))))
        except (TypeError, ValueError, OverflowError):
            return Static("float")
    shaped, taint = _flags(args)
    kind = "bool" if word.startswith("is") else "int" if word in _INT_RESULT else "float"
    return Static(kind, shaped, taint)


# -- functools, dataclasses, collections, copy, itertools, operator ----------------------------------


def functools_reduce(it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    from omnilint.analysis.expressions import iterate

    if len(args) < 2:
        return UNKNOWN
    items, elem = iterate(it, frame, args[1], node)
    values = items if items is not None and len(items) <= 6 else [elem, elem]
    if len(args) > 2:
        values = [args[2], *values]
    if not values:
        return UNKNOWN
    out = values[0]
    for v in values[1:]:
        out = calls.call(it, frame, args[0], [out, v], {}, node)
    return out


def functools_wraps(it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    wrapped = args[0] if args else UNKNOWN

    def decorate(f: Frame, a: Args, k: Kwargs, n: cst.CSTNode) -> Value:
        if a and isinstance(a[0], Func):
            a[0].attrs.setdefault("__wrapped__", wrapped)
        return a[0] if a else UNKNOWN

    return Native("wraps", decorate)


def functools_cache(it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    def decorate(f: Frame, a: Args, k: Kwargs, n: cst.CSTNode) -> Value:
        if a and isinstance(a[0], Func):
            copy = Func(a[0].code, a[0].scope, a[0].owner, a[0].kind)
            copy.attrs["@cached"] = Const(True)
            return copy
        return a[0] if a else UNKNOWN

    if args and not isinstance(args[0], Const):
        return decorate(frame, args, kwargs, node)
    return Native("cache", decorate)


def dataclasses_replace(it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    if args and isinstance(args[0], Instance):
        from omnilint.analysis.objects import replaced

        return replaced(it, frame, args[0], kwargs, node)
    return args[0].but(param=None) if args and isinstance(args[0], JaxArray) else UNKNOWN


def dataclasses_field(it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    if "default" in kwargs:
        return kwargs["default"]
    if "default_factory" in kwargs:
        return calls.call(it, frame, kwargs["default_factory"], [], {}, node)
    return UNKNOWN


def default_dict(it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    return Mapping({}, None, it.trace, factory=args[0] if args else None)


def make_dict(it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    return _dict(it, frame, args, kwargs, node)


def make_list(it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    return _iterable("list")(it, frame, args[:1], {}, node)


def make_queue(it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """A queue between threads: what is put into it waits there."""
    return Seq("queue", [], None, it.trace)


def dataclasses_fields(it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """The fields of a record, of which the names are known."""
    from omnilint.analysis.objects import all_fields

    cls = args[0].cls if args and isinstance(args[0], Instance) else args[0] if args else UNKNOWN
    if not isinstance(cls, ClassVal):
        return UNKNOWN
    kind = ClassVal("Field", "Field", frame.state, None)
    out: list[Value] = []
    for f in all_fields(cls):
        one = Instance(kind, it.trace, True)
        one.attrs["name"] = Const(f.name)
        out.append(one)
    return Seq("tuple", out, None, it.trace)


def shallow_copy(it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    v = args[0] if args else UNKNOWN
    if isinstance(v, Instance):
        out = Instance(v.cls, it.trace, v.open)
        out.attrs = dict(v.attrs)
        return out
    if isinstance(v, Mapping):
        return Mapping(dict(v.items), v.elem, it.trace, v.factory)
    if isinstance(v, Seq):
        return Seq(v.kind, None if v.items is None else list(v.items), v.elem, it.trace)
    return v


def call_itertools(it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    from omnilint.analysis.expressions import iterate

    word = dotted.rpartition(".")[2]
    if word in ("takewhile", "dropwhile", "filterfalse") and len(args) == 2:
        elem = iterate(it, frame, args[1], node)[1]
        kept = calls.call(it, frame, args[0], [elem], {}, node)
        it.demand(frame, kept, "bool", node, f"`itertools.{word}()`", _TBOOL)
        return Seq("iterator", None, elem, it.trace)
    if word == "count":
        return Seq("iterator", None, Static("int"), it.trace)
    if word in ("cycle", "chain", "islice", "accumulate", "repeat"):
        if word == "islice" or word == "repeat":
            args = args[:1]
        elems = [v if word == "repeat" else iterate(it, frame, v, node)[1] for v in args]
        return Seq("iterator", None, join_all(elems) if elems else UNKNOWN, it.trace)
    if word in ("product", "combinations", "permutations", "pairwise"):
        elems = [iterate(it, frame, v, node)[1] for v in args[: 1 if word != "product" else None]]
        return Seq("iterator", None, Seq("tuple", None, join_all(elems) if elems else UNKNOWN, it.trace), it.trace)
    return UNKNOWN


_OPERATORS: dict[str, type] = {
    "add": cst.Add,
    "sub": cst.Subtract,
    "mul": cst.Multiply,
    "truediv": cst.Divide,
    "floordiv": cst.FloorDivide,
    "mod": cst.Modulo,
    "matmul": cst.MatrixMultiply,
    "and_": cst.BitAnd,
    "or_": cst.BitOr,
}


def _getter(it: Interp, word: str, given: Args) -> Callable[..., Value]:
    """What `operator.attrgetter`, `itemgetter` and `methodcaller` give."""
    from omnilint.analysis.objects import get_attribute, get_item

    def call(frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
        if not args:
            return UNKNOWN
        if word == "itemgetter":
            return get_item(it, frame, args[0], given[0], node) if len(given) == 1 else UNKNOWN
        if not isinstance(given[0], Const) or not str(given[0].value).isidentifier():
            return UNKNOWN
        value = get_attribute(it, frame, args[0], str(given[0].value), node)
        return value if word == "attrgetter" else calls.call(it, frame, value, given[1:], {}, node)

    return call


def call_bisect(it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """`bisect` compares; `heapq` stores, and compares too."""
    word = dotted.rpartition(".")[2]
    if word in ("heappush", "insort", "insort_left", "insort_right") and len(args) > 1:
        from omnilint.analysis.methods import store

        if isinstance(args[0], Seq):
            store(it, frame, args[0], args[1], node)
        return NONE
    if word == "heappop":
        return UNKNOWN
    for v in args[:2]:
        for leaf in arrays_in(v):
            if it.demand(frame, leaf, "bool", node, f"`{dotted}()`", _TBOOL):
                return Static("int")
    return Static("int") if dotted.startswith("bisect.") else UNKNOWN


def call_operator(it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    from omnilint.analysis.operators import binary

    word = dotted.rpartition(".")[2]
    if word in _OPERATORS and len(args) == 2:
        return binary(it, frame, _OPERATORS[word], args[0], args[1], node)
    if word == "getitem" and len(args) == 2:
        from omnilint.analysis.objects import get_item

        return get_item(it, frame, args[0], args[1], node)
    if word in ("attrgetter", "itemgetter", "methodcaller") and args:
        return Native(f"operator.{word}", _getter(it, word, args))
    if word == "index" and args:
        it.demand(frame, args[0], "index", node, "`operator.index()`", _TINT)
        return Static("int")
    if word in ("not_", "truth") and args:
        it.demand(frame, args[0], "bool", node, f"`operator.{word}()`", _TBOOL)
        return Static("bool")
    return UNKNOWN
