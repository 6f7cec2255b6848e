"""Functions of the standard library: math, functools, dataclasses, collections, copy, itertools, operator."""

from __future__ import annotations

import math
from collections.abc import Callable

from omnilint.analysis import calls, iterating
from omnilint.analysis import nodes as cst
from omnilint.analysis.definitions import ClassVal, Ext, Func, Instance, Native
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import arrays_in, children, join_all
from omnilint.analysis.pure import call_builtin, origin_of
from omnilint.analysis.values import NONE, UNKNOWN, Const, JaxArray, Mapping, Seq, Static, Value

Args = list[Value]
Kwargs = dict[str, Value]
_TBOOL = "TracerBoolConversionError"
_CONC = "ConcretizationTypeError"
_TINT = "TracerIntegerConversionError"


# -- math -------------------------------------------------------------------------------------------

_INTEGER_MATH = frozenset(("factorial", "gcd", "lcm", "comb", "perm", "isqrt"))
_INT_RESULT = _INTEGER_MATH | {"ceil", "floor", "trunc"}


def call_math(it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """Call a function of `math`."""
    from omnilint.analysis.jax_functions import demand_deep

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
    shaped, taint = origin_of(args)
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


def make_counter(it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """`Counter()`: a dict in which what nobody counted yet is zero."""
    if args or kwargs:
        return UNKNOWN
    return Mapping({}, None, it.trace, factory=Ext("builtins.int"))


def make_dict(it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    return iterating.dictionary(it, frame, args, kwargs, node)


def make_list(it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    return iterating.iterable("list")(it, frame, args[:1], {}, node)


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
    "xor": cst.BitXor,
    "lshift": cst.LeftShift,
    "rshift": cst.RightShift,
    "pow": cst.Power,
}
_COMPARISONS: dict[str, type] = {
    "lt": cst.LessThan,
    "le": cst.LessThanEqual,
    "eq": cst.Equal,
    "ne": cst.NotEqual,
    "gt": cst.GreaterThan,
    "ge": cst.GreaterThanEqual,
}


def _getter(it: Interp, word: str, given: Args) -> Callable[..., Value]:
    """What `operator.attrgetter`, `itemgetter` and `methodcaller` give."""
    from omnilint.analysis.indexing import get_item
    from omnilint.analysis.objects import get_attribute

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
    from omnilint.analysis.operators import binary, compare

    word = dotted.rpartition(".")[2]
    if word in _OPERATORS and len(args) == 2:
        return binary(it, frame, _OPERATORS[word], args[0], args[1], node)
    if word in _COMPARISONS and len(args) == 2:
        return compare(it, frame, _COMPARISONS[word], args[0], args[1], node)
    if word == "contains" and len(args) == 2:
        return compare(it, frame, cst.In, args[1], args[0], node)
    if word == "abs" and args:
        return call_builtin(it, frame, "abs", args, {}, node)
    if word == "getitem" and len(args) == 2:
        from omnilint.analysis.indexing import get_item

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
