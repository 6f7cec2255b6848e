"""Methods of arrays, containers, strings and transformed functions."""

from __future__ import annotations

import string
from collections.abc import Callable

from omnilint.analysis import effects, jax_functions, numpy_functions, tables, transforming
from omnilint.analysis import nodes as cst
from omnilint.analysis.definitions import ExtInstance, Func, Member, Transformed
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import any_of, arrays_in, children, join, join_all
from omnilint.analysis.traces import Link
from omnilint.analysis.values import (
    CONCRETE,
    NONE,
    UNKNOWN,
    WRAPPED,
    At,
    Const,
    JaxArray,
    Mapping,
    Seq,
    Static,
    Tup,
    Value,
)

Args = list[Value]
Kwargs = dict[str, Value]


def folds(value: Value) -> bool:
    """Is it `jax.ensure_compile_time_eval()`?"""
    return isinstance(value, ExtInstance) and value.dotted == "jax.ensure_compile_time_eval"


def call_member(it: Interp, frame: Frame, member: Member, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """Call `base.name(…)`."""
    base, name = member.base, member.name
    special = _SPECIAL.get(name)
    if special is not None:
        return special(it, frame, base, args, node)
    if isinstance(base, JaxArray):
        return array_method(it, frame, base, name, args, kwargs, node)
    if isinstance(base, At):
        if base.indexed:
            return it.operation(frame, node, [base.array, *args], base.array.dtype)
        return UNKNOWN
    if isinstance(base, Seq):
        return _sequence_method(it, frame, base, name, args, kwargs, node)
    if isinstance(base, Mapping):
        return _mapping_method(it, frame, base, name, args, kwargs, node)
    if isinstance(base, (Transformed, Func)):
        return transforming.member(it, frame, base, name, args, kwargs, node)
    if isinstance(base, (Const, Static)):
        return _plain_method(it, frame, base, name, args, kwargs, node)
    if isinstance(base, Tup):
        return Static("int") if name in ("index", "count") else UNKNOWN
    if isinstance(base, ExtInstance) and name == "enter_context" and args and folds(args[0]):
        it.folding += 1  # until the `with` of the stack ends
        return UNKNOWN
    generator = isinstance(base, ExtInstance) and base.dotted.startswith(("numpy.random.", "random."))
    if isinstance(base, ExtInstance) and generator and name in tables.words("random_draws"):
        for v in (*args, *kwargs.values()):
            if it.demand(frame, v, "numpy", node, f"`.{name}()` of a NumPy generator", "TracerArrayConversionError"):
                return Static("ndarray")
        if it.is_outer(base.trace):
            return numpy_functions.random_draw(it, frame, f"{base.dotted}.{name}", args, node)
        return Static("ndarray")
    return UNKNOWN


def _contains(it: Interp, frame: Frame, base: Value, args: Args, node: cst.CSTNode) -> Value:
    from omnilint.analysis.operators import compare

    return compare(it, frame, cst.In, args[0], base, node) if args else UNKNOWN


def _get_item(it: Interp, frame: Frame, base: Value, args: Args, node: cst.CSTNode) -> Value:
    from omnilint.analysis.indexing import get_item

    return get_item(it, frame, base, args[0], node) if args else UNKNOWN


def _set_item(it: Interp, frame: Frame, base: Value, args: Args, node: cst.CSTNode) -> Value:
    from omnilint.analysis.indexing import set_item

    if len(args) == 2:
        set_item(it, frame, base, args[0], args[1], node)
    return NONE


def _next(it: Interp, frame: Frame, base: Value, args: Args, node: cst.CSTNode) -> Value:
    from omnilint.analysis.pure import call_builtin

    return call_builtin(it, frame, "next", [base], {}, node)


def _convert(need: str, exception: str) -> Callable[[Interp, Frame, Value, Args, cst.CSTNode], Value]:
    def call(it: Interp, frame: Frame, base: Value, args: Args, node: cst.CSTNode) -> Value:
        it.demand(frame, base, need, node, "a conversion", exception)
        return Static("object")

    return call


# Special methods called by their name.
_SPECIAL: dict[str, Callable[[Interp, Frame, Value, Args, cst.CSTNode], Value]] = {
    "__getitem__": _get_item,
    "__setitem__": _set_item,
    "__contains__": _contains,
    "__next__": _next,
    "__bool__": _convert("bool", "TracerBoolConversionError"),
    "__float__": _convert("float", "ConcretizationTypeError"),
    "__int__": _convert("int", "ConcretizationTypeError"),
    "__index__": _convert("index", "TracerIntegerConversionError"),
    "__array__": _convert("numpy", "TracerArrayConversionError"),
}


# -- arrays -----------------------------------------------------------------------------------------


def array_method(
    it: Interp, frame: Frame, base: JaxArray, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode
) -> Value:
    """Call a method of a JAX array."""
    spec = tables.array_members().methods.get(name)
    if spec is None:
        return (_pytree_method(it, base, name) or base.but(param=None, maybe=True)) if base.tree else UNKNOWN
    if (base.tree or base.maybe) and (found := _pytree_method(it, base, name)) is not None:
        return found
    short = f".{name}()"
    star = spec.params[0] if spec.params and spec.params[0].startswith("*") else None
    if star is not None and star in spec.static:
        for v in args:
            jax_functions.demand_deep(it, frame, v, "shape", node, f"`{short}`", spec.static[star], parameter="shape")
    given = jax_functions.bind(spec, args, kwargs)
    jax_functions.check_static(it, frame, short, spec, given, node)
    if base.maybe:
        return base.but(param=None, tree=False, maybe=True)
    result = spec.result
    if result in ("traced", "concrete"):
        leaf_bool = name in ("any", "all")
        dtype = "bool" if leaf_bool else _astype(args) if name == "astype" else _kept(base, name)
        return it.operation(frame, node, [base, *args, *kwargs.values()], dtype, label=f"`{short}` is staged out here")
    if result == "data-dependent":
        if spec.needs and all(n in given for n in spec.needs):
            return it.operation(frame, node, [base])
        if spec.unless_static and all(
            not any(a.traced for a in arrays_in(given.get(n, NONE))) for n in spec.unless_static
        ):
            return it.operation(frame, node, [base])
        value = it.operation(frame, node, [base, *args])
        if base.tree and base.param is None:
            return value.but(maybe=True)  # a part of a pytree: what isn't a leaf has methods of its own
        it.demand(frame, value, "data", node, f"`{short}`", "ConcretizationTypeError", parameter="size")
        return value
    return _host_method(it, frame, base, name, short, result, node)


def _pytree_method(it: Interp, base: JaxArray, name: str) -> Value | None:
    inner = base.but(param=None)
    if name in ("copy", "replace", "pop", "get", "unfreeze", "setdefault"):
        return inner
    if name == "items":
        return Seq("iterable", None, Tup((Static("str"), inner)), it.trace)
    if name == "keys":
        return Seq("iterable", None, Static("str"), it.trace)
    if name == "values":
        return Seq("iterable", None, inner, it.trace)
    return None


def _astype(args: Args) -> str | None:
    from omnilint.analysis.definitions import Ext

    if args and isinstance(args[0], Ext):
        word = args[0].dotted.rpartition(".")[2]
        return "bool" if word in ("bool", "bool_") else word
    return None


def _kept(base: JaxArray, name: str) -> str | None:
    return base.dtype if name in ("reshape", "ravel", "transpose", "squeeze", "flatten", "copy", "repeat") else None


def _host_method(
    it: Interp, frame: Frame, base: JaxArray, name: str, short: str, result: str, node: cst.CSTNode
) -> Value:
    if base.profile == CONCRETE:
        return Static("float" if name == "item" else "object")
    if name == "item" and base.profile == WRAPPED:
        return Static("float", taint=Link(frame.unit, node, "`.item()`", base.link, "item"))
    if name in ("item", "tolist", "tobytes", "__array__", "__float__", "__int__", "__bool__"):
        need = "int" if name == "item" else "float"
        it.demand(frame, base, need, node, f"`{short}`", "ConcretizationTypeError")
        return Static("float" if name == "item" else "object")
    if result.endswith("Error") and name not in ("block_until_ready", "copy_to_host_async"):
        return UNKNOWN
    return base.but(param=None)


# -- lists, sets, deques, iterators -----------------------------------------------------------------


_QUEUE = {"put": "append", "put_nowait": "append", "get": "popleft", "get_nowait": "popleft"}


def _sequence_method(
    it: Interp, frame: Frame, base: Seq, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode
) -> Value:
    from omnilint.analysis.expressions import iterate

    if base.kind == "queue":
        name = _QUEUE.get(name, name)
        args = args[:1] if name == "append" else []
    if name in ("append", "add", "appendleft", "insert"):
        value = args[-1] if args else UNKNOWN
        if name == "add" and it.demand(frame, value, "hash", node, "a set", "TypeError", True):
            return NONE
        store(it, frame, base, value, node)
        if base.items is not None and not it.uncertain and name in ("append", "add") and len(base.items) < 64:
            base.items.append(value)
        elif base.items is not None and not it.uncertain and name in ("insert", "appendleft"):
            base.items.insert(0, value)
        else:
            base.elem = join_all([*children(base), value])
            base.items = None
        return NONE
    if name in ("extend", "update", "extendleft"):
        items, elem = iterate(it, frame, args[0] if args else UNKNOWN, node)
        for v in items if items is not None else [elem]:
            store(it, frame, base, v, node)
        if base.items is not None and items is not None and not it.uncertain and len(base.items) + len(items) < 64:
            base.items.extend(items)
        else:
            base.elem = join_all([*children(base), *(items if items is not None else [elem])])
            base.items = None
        base.version += 1
        return NONE
    if name in ("pop", "popleft"):
        effects.touch(it, base)
        it.stored.shrink(base)
        newest = name == "pop" and (not args or (isinstance(args[0], Const) and args[0].value == -1))
        if newest:
            it.stored.undo(it, (id(base), None), last=True)
        value = join_all(children(base)) if children(base) else UNKNOWN
        if it.is_outer(base.trace) and it.staging and isinstance(value, (Const, Static)):
            return _taken(it, frame, value, node)
        if base.items is not None and base.items and not it.uncertain:
            value = base.items.pop(0 if name == "popleft" else -1) if not args or newest else value
            if args and not newest:
                base.elem, base.items = join_all(children(base)), None
        elif base.items is not None:
            base.elem, base.items = value, None
        base.version += 1
        it.stored.taken(it, value)
        return value
    if name in ("index", "remove", "count"):
        if name == "remove":
            it.stored.shrink(base)
            it.stored.undo(it, (id(base), None), last=True)
        if any(isinstance(v, JaxArray) and v.traced for v in args) and any(
            isinstance(c, Const) for c in children(base)
        ):
            it.demand(frame, args[0], "bool", node, f"`.{name}()`", "TracerBoolConversionError")
        return Static("int")
    if name == "sort":
        several = base.items is None or len(base.items) > 1
        for v in children(base):
            it.demand(frame, v, "bool", node, "`.sort()`", "TracerBoolConversionError", several)
        return NONE
    if name == "clear":
        effects.touch(it, base)
        it.stored.empty(it, base)
        if not it.uncertain:
            base.items, base.elem = [], None
        base.version += 1
        return NONE
    if name == "reverse":
        if base.items is not None:
            it.ledger.save(base)
            base.items.reverse()
        return NONE
    if name == "copy":
        return Seq(base.kind, None if base.items is None else list(base.items), base.elem, it.trace)
    if base.kind in ("set", "frozenset"):
        return Seq("set", None, join_all(children(base)) if children(base) else UNKNOWN, it.trace)
    return UNKNOWN


def _taken(it: Interp, frame: Frame, value: Const | Static, node: cst.CSTNode) -> Value:
    """What a trace takes out of an outer container is taken once, not on each call."""
    from omnilint.analysis.indexing import label_of

    kind = value.kind if isinstance(value, Static) else type(value.value).__name__
    link = Link(frame.unit, node, label_of(node), it.trace.link if it.trace else None, "counter:container")
    return Static(kind, taint=link)


def store(it: Interp, frame: Frame, base: Seq | Mapping, value: Value, node: cst.CSTNode) -> None:
    """Put a value into a container."""
    from omnilint.analysis.indexing import label_of

    label = label_of(node)
    effects.write(it, frame, "container", base, None, None, value, node, False, label)
    if it.is_outer(base.trace) and it.staging and isinstance(value, (Const, Static, Tup)) and not it.restoring:
        it.stored.grow(base, Link(frame.unit, node, label, it.trace.link if it.trace else None, "counter:container"))
    effects.adopt(it, base, value)
    base.version += 1
    if it.trace is None and (id(base), "#") in it.frozen and isinstance(base, Seq) and base.items is not None:
        length = Const(len(base.items) + 1)
        effects.write(it, frame, "container", base, "#", None, length, node, False, label)


# -- dicts ------------------------------------------------------------------------------------------


def _mapping_method(
    it: Interp, frame: Frame, base: Mapping, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode
) -> Value:
    from omnilint.analysis.operators import merge

    handler = _MAPPING.get(name)
    if handler is not None:
        return handler(it, frame, base, args, node)
    if name == "update":
        other = args[0] if args else Mapping({}, None, it.trace)
        _store_items(it, frame, base, other, kwargs, node)
        if it.uncertain and isinstance(other, Mapping):
            for k, v in {**other.items, **kwargs}.items():
                base.items[k] = join(base.items[k], v) if k in base.items else v
        else:
            merge(base, other)
            base.items.update({k: v for k, v in kwargs.items() if k not in ("*", "**")})
        return NONE
    if name == "copy":
        return Mapping(dict(base.items), base.elem, it.trace, base.factory)
    if name == "clear":
        effects.touch(it, base)
        it.stored.empty(it, base)
        base.items, base.elem = {}, None
        base.version += 1
        return NONE
    return UNKNOWN


def _store_items(it: Interp, frame: Frame, base: Mapping, other: Value, kwargs: Kwargs, node: cst.CSTNode) -> None:
    from omnilint.analysis.indexing import label_of

    if isinstance(other, Mapping):
        pairs = [*other.items.items(), *([(None, other.elem)] if other.elem is not None else [])]
    else:
        pairs = [(None, other)] if isinstance(other, JaxArray) else []
    for k, v in [*pairs, *kwargs.items()]:
        effects.write(it, frame, "container", base, k, base.items.get(k), v, node, False, label_of(node))
        effects.adopt(it, base, v)
    base.version += 1


def _get(it: Interp, frame: Frame, base: Mapping, args: Args, node: cst.CSTNode) -> Value:
    from omnilint.analysis.objects import demand_hash

    if not args or demand_hash(it, frame, args[0], node, "a dict key"):
        return UNKNOWN
    fallback = args[1] if len(args) > 1 else NONE
    if isinstance(args[0], Const):
        if args[0].value in base.items:
            it.note_read(base, args[0].value, base.items[args[0].value], (frame.unit, node))
            return base.items[args[0].value]
        return fallback if base.elem is None else join(base.elem, fallback)
    return any_of([*children(base), fallback])


def _setdefault(it: Interp, frame: Frame, base: Mapping, args: Args, node: cst.CSTNode) -> Value:
    if not args:
        return UNKNOWN
    value = args[1] if len(args) > 1 else NONE
    key = args[0].value if isinstance(args[0], Const) else None
    if isinstance(args[0], Const) and key in base.items:
        return base.items[key]
    store(it, frame, base, value, node)
    if isinstance(args[0], Const):
        base.items[key] = value
    else:
        base.elem = value if base.elem is None else join(base.elem, value)
        if isinstance(value, (Seq, Mapping)):
            return value
        return base.elem
    return value


def _pop(it: Interp, frame: Frame, base: Mapping, args: Args, node: cst.CSTNode) -> Value:
    effects.touch(it, base)
    base.version += 1
    if args and isinstance(args[0], Const):
        key = args[0].value
        it.stored.undo(it, (id(base), key))
        if key in base.items:
            it.stored.taken(it, base.items[key])
            return base.items[key] if it.uncertain else base.items.pop(key)
        if base.elem is None:
            return args[1] if len(args) > 1 else UNKNOWN
    else:
        it.stored.undo(it, (id(base), None), last=True)
    return join_all([*children(base), *args[1:]]) if children(base) or args[1:] else UNKNOWN


def _items(it: Interp, frame: Frame, base: Mapping, args: Args, node: cst.CSTNode) -> Value:
    pairs: list[Value] = [Tup((Const(k), v)) for k, v in base.items.items()]
    if base.elem is None:
        return Seq("iterable", pairs, None, it.trace)
    return Seq("iterable", None, Tup((Static("str"), join_all(children(base)))), it.trace)


def _keys(it: Interp, frame: Frame, base: Mapping, args: Args, node: cst.CSTNode) -> Value:
    if base.elem is None:
        return Seq("iterable", [Const(k) for k in base.items], None, it.trace)
    return Seq("iterable", None, Static("str"), it.trace)


def _values(it: Interp, frame: Frame, base: Mapping, args: Args, node: cst.CSTNode) -> Value:
    if base.elem is None:
        return Seq("iterable", list(base.items.values()), None, it.trace)
    return Seq("iterable", None, join_all(children(base)), it.trace)


_MAPPING: dict[str, Callable[[Interp, Frame, Mapping, Args, cst.CSTNode], Value]] = {
    "get": _get,
    "setdefault": _setdefault,
    "pop": _pop,
    "items": _items,
    "keys": _keys,
    "values": _values,
}


# -- strings, numbers, NumPy arrays -----------------------------------------------------------------


def _with_specification(template: str, args: Args, kwargs: Kwargs) -> list[Value]:
    """Arguments of `str.format` whose field has a format specification."""
    out: list[Value] = []
    number = 0
    try:
        fields = list(string.Formatter().parse(template))
    except ValueError:
        return out
    for _, field, spec, conversion in fields:
        if field is None:
            continue
        name = field.split(".")[0].split("[")[0]
        position = int(name) if name.isdigit() else number if not name else None
        number += not name
        if not spec or conversion or name != field:
            continue
        if position is not None and position < len(args):
            out.append(args[position])
        elif name in kwargs:
            out.append(kwargs[name])
    return out


def _plain_method(
    it: Interp, frame: Frame, base: Const | Static, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode
) -> Value:
    kind = base.kind if isinstance(base, Static) else type(base.value).__name__
    if kind == "str":
        if name == "format" and isinstance(base, Const):
            for v in _with_specification(str(base.value), args, kwargs):
                it.demand(frame, v, "format", node, "`str.format()`", "TypeError")
        if name in ("startswith", "endswith", "isdigit", "isalpha"):
            return Static("bool")
        if name == "join" and isinstance(base, Const) and args and isinstance(args[0], (Tup, Seq)):
            parts = [c.value for c in children(args[0]) if isinstance(c, Const) and isinstance(c.value, str)]
            if args[0].items is not None and len(parts) == len(args[0].items):
                return Const(str(base.value).join(parts))
        if name in ("split", "splitlines", "rsplit"):
            return Seq("list", None, Static("str"), it.trace)
        return Static("str")
    if kind == "ndarray" and isinstance(base, Static):
        for v in args:
            it.demand(frame, v, "numpy", node, f"`.{name}()` of a NumPy array", "TracerArrayConversionError")
        if name in ("item", "tolist"):
            return Static("number" if name == "item" else "object", base.from_shape, base.taint)
        return Static("ndarray", base.from_shape, base.taint)
    if kind == "shape" and name in ("index", "count"):
        return Static("int", True)
    return Static("object")
