"""From ordinary values to traced ones and back: arguments going into a trace, results coming out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from omnilint.analysis import nodes as cst
from omnilint.analysis.definitions import UNSEEN, Applied, Bound, ClassVal, Ext, Func, Instance, Partial, Transformed
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import children, join_all, stronger
from omnilint.analysis.traces import Link, Trace
from omnilint.analysis.values import (
    ABSTRACT,
    ARGUMENT,
    CONCRETE,
    CONSTANT,
    UNKNOWN,
    Const,
    Either,
    Item,
    JaxArray,
    Mapping,
    Seq,
    Static,
    Tup,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T", int, str)


@dataclass(slots=True)
class Statics:
    """Static arguments of a transformed function: positions (negative ones too) and names."""

    numbers: set[int] = field(default_factory=set)
    names: set[str] = field(default_factory=set)


def integers(value: Value) -> set[int] | None:
    """The integers in an `argnums`-like option; None when they aren't known."""
    return _listed(value, int)


def strings(value: Value) -> set[str] | None:
    """The strings in a `static_argnames`-like option; None when they aren't known."""
    return _listed(value, str)


def _listed(value: Value, kind: type[T]) -> set[T] | None:
    """What an option lists: one constant of a kind or several; nothing for None."""
    if isinstance(value, Const) and value.value is None:
        return set()
    if isinstance(value, (Tup, Seq)):
        if value.items is None:
            return None
        items = list(value.items)
    else:
        items = [value]
    out = {v.value for v in items if isinstance(v, Const) and isinstance(v.value, kind)}
    return out if all(isinstance(v, Const) and isinstance(v.value, kind) for v in items) else None


def unknown_statics(made: Transformed) -> bool:
    """Are there static arguments of which it isn't known which they are?"""
    if "**" in made.options:
        return True
    for option in children(made.options.get("@statics", Tup(()))):
        assert isinstance(option, Const)
        value = made.options.get(option.value)
        if value is not None and integers(value) is None and strings(value) is None:
            return True
    return False


def static_parameters(made: Transformed) -> Statics:
    """Which arguments of a transformed function are static."""
    out = Statics()
    for option in children(made.options.get("@statics", Tup(()))):
        assert isinstance(option, Const)
        value = made.options.get(option.value)
        if value is None:
            continue
        if "names" in option.value:
            out.names |= strings(value) or set()
        else:
            out.numbers |= integers(value) or set()
    names = positional_names(made.func)
    for i in list(out.numbers):
        j = i if i >= 0 else i + len(names)
        if 0 <= j < len(names):
            out.names.add(names[j])
    return out


def positional_names(func: Value) -> list[str]:
    """Names of the positional parameters that a caller fills, in order; empty when not known."""
    if isinstance(func, Func):
        return list(func.code.params.positional)
    if isinstance(func, Bound):
        return positional_names(func.func)[1:]
    if isinstance(func, Partial):
        return [n for n in positional_names(func.func)[len(func.args) :] if n not in func.kwargs]
    if isinstance(func, Transformed):
        return positional_names(func.func)
    if isinstance(func, Applied):
        return [*func.leading, *positional_names(func.func)]
    if isinstance(func, Instance):
        from omnilint.analysis.objects import find

        call = find(func.cls, "__call__")
        return positional_names(call)[1:] if isinstance(call, (Func, Transformed)) else []
    return []


def required_names(func: Value) -> list[str]:
    """Names of the positional parameters without defaults that a caller must fill."""
    inner = innermost(func)
    defaults = inner.code.params.defaults if isinstance(inner, Func) else ()
    return [n for n in positional_names(func) if n not in defaults]


def innermost(func: Value) -> Value:
    """The function that runs in the end, below bound methods, partials, transforms and what libraries make of it."""
    while isinstance(func, (Bound, Partial, Transformed, Applied)):
        func = func.func
    if isinstance(func, Instance):
        from omnilint.analysis.objects import find

        found = find(func.cls, "__call__")
        return found if isinstance(found, Func) else func
    return func


def name_of(func: Value) -> str:
    """How to call a function in a message."""
    if isinstance(func, Func):
        return func.code.name
    if isinstance(func, (Bound, Partial, Transformed, Applied)):
        return name_of(func.func)
    if isinstance(func, Instance):
        return f"{func.cls.name}.__call__"
    if isinstance(func, ClassVal):
        return func.name
    if isinstance(func, Ext):
        return func.dotted
    return "the function"


# -- in ---------------------------------------------------------------------------------------------


def traced(
    it: Interp,
    frame: Frame,
    value: Value,
    profile: str,
    link: Link,
    name: str,
    node: cst.CSTNode,
    trace: Trace,
    only_arrays: bool = False,
    made: Transformed | None = None,
    depth: int = 6,
) -> Value:
    """What an argument becomes inside of a trace: each array leaf a tracer, the structure as it is."""

    def again(v: Value, n: str = "") -> Value:
        return traced(it, frame, v, profile, link, n, node, trace, only_arrays, made, depth - 1)

    if depth <= 0:
        return UNKNOWN
    if isinstance(value, JaxArray):
        if value.profile != CONCRETE and not value.maybe:
            return value.but(profile=stronger(value.profile, profile))
        if value.maybe and only_arrays:
            return value
        # A tree that something gave stays one: what is asked of the name may be asked of a container.
        own = None if value.tree and value.param is None else name or None
        return JaxArray(profile, ARGUMENT, link, value.dtype, value.tree, value.maybe, own)
    if isinstance(value, Unknown):
        return JaxArray(profile, ARGUMENT, link, None, True, only_arrays, name or None)
    if isinstance(value, (Const, Static)):
        return _traced_scalar(it, frame, value, profile, link, name, node, only_arrays, made)
    if isinstance(value, Tup):
        return Tup(again(v) for v in value.items)
    if isinstance(value, Seq):
        items = None if value.items is None else [again(v) for v in value.items]
        return Seq(value.kind, items, again(value.elem) if value.elem is not None else None, trace)
    if isinstance(value, Mapping):
        new = {k: again(v) for k, v in value.items.items()}
        return Mapping(new, again(value.elem) if value.elem is not None else None, trace)
    if isinstance(value, Either):
        made = None  # which of them it is may hang together with how it is used: nothing is refused
        return join_all(again(v, name) for v in value.options)
    if isinstance(value, Instance):
        return _traced_object(it, frame, value, again, trace)
    callable_ = isinstance(value, (Func, ClassVal, Bound)) or (isinstance(value, Ext) and _is_function(value.dotted))
    if callable_ and _refuses(it, frame, made, profile):
        assert made is not None
        it.event(
            frame,
            "nonarray",
            node,
            what=f"the function `{name_of(value)}`",
            link=link,
            parameter=name,
            function=name_of(made.func),
        )
    return value


def _refuses(it: Interp, frame: Frame, made: Transformed | None, profile: str) -> bool:
    """Is it certain that a compiled function gets this argument, which has to be an array there?

    What a condition of the caller's chose may hang together with the arguments.
    """
    if made is None or made.kind != "jit" or profile != ABSTRACT or it.choosing or frame.turns:
        return False
    return bool(positional_names(made.func)) or not static_parameters(made).names


def _is_function(dotted: str) -> bool:
    from omnilint.analysis import tables

    spec = tables.jax_function(tables.canonical(dotted))
    return (spec is not None and not spec.scalar_type) or dotted in tables.numpy_on_tracer()


def _traced_scalar(
    it: Interp,
    frame: Frame,
    value: Const | Static,
    profile: str,
    link: Link,
    name: str,
    node: cst.CSTNode,
    only_arrays: bool,
    made: Transformed | None,
) -> Value:
    kind = value.kind if isinstance(value, Static) else type(value.value).__name__
    if kind in ("NoneType", "dtype", "treedef", "enum", "type", "path"):
        return value
    if kind in ("str", "bytes"):
        if _refuses(it, frame, made, profile) and isinstance(value, Const):
            assert made is not None
            it.event(
                frame,
                "nonarray",
                node,
                what=f"the string {value.value!r}",
                link=link,
                parameter=name,
                function=name_of(made.func),
            )
        return value
    if only_arrays and kind != "ndarray":
        return value
    if kind in ("object", "ellipsis"):
        return JaxArray(profile, ARGUMENT, link, None, True, True, name or None)
    if kind in ("shape", "range"):
        return Seq("tuple", None, JaxArray(profile, ARGUMENT, link, "int32"), it.trace)
    dtype = {"bool": "bool", "int": "int32", "float": "float32"}.get(kind)
    return JaxArray(profile, ARGUMENT, link, dtype, False, False, name or None)


def _traced_object(it: Interp, frame: Frame, value: Instance, again: object, trace: Trace) -> Value:
    assert callable(again)
    cls = value.cls
    if cls.tree == "node":
        out = Instance(cls, trace, value.open)
        for k, v in value.attrs.items():
            keep = k in cls.meta_fields or isinstance(v, (Func, Transformed))
            out.attrs[k] = v if keep else again(v, "" if isinstance(v, Unknown) else k)
        _checked_again(it, frame, out, trace)
        return out
    if cls.tree == "custom":
        kids, aux = _children_of(it, frame, value)
        rebuilt = _rebuilt(it, frame, cls, [again(k) for k in kids], aux, trace) if kids else None
        if rebuilt is not None:
            return rebuilt
        out = Instance(cls, trace, value.open)
        for k, v in value.attrs.items():
            out.attrs[k] = again(v, k) if any(v is c for c in kids) else v
        return out
    if UNSEEN in cls.decorations:
        out = Instance(cls, trace, True)
        out.attrs = {k: UNKNOWN if isinstance(v, (Seq, Mapping)) else v for k, v in value.attrs.items()}
        return out
    if cls.record == "linen" or value.open:
        value.passed = True
        return value
    out = Instance(cls, value.trace, True)
    out.attrs = dict(value.attrs)
    return out


def _checked_again(it: Interp, frame: Frame, made: Instance, trace: Trace) -> None:
    """Run the `__post_init__` of a record of which JAX calls the constructor when it puts it together from tracers."""
    from omnilint.analysis import calls, tables
    from omnilint.analysis.objects import external_bases, find

    post = find(made.cls, "__post_init__")
    if not isinstance(post, Func):
        return
    if tables.words("rebuilt_by_constructor") & {*made.cls.decorations, *external_bases(made.cls)}:
        with it.under(trace):
            calls.call(it, frame, Bound(post, made), [], {}, post.code.node)


def _children_of(it: Interp, frame: Frame, value: Instance) -> tuple[list[Value], Value]:
    """What `tree_flatten` gives for an object: its children and the static rest."""
    from omnilint.analysis.objects import call_method, find

    method = find(value.cls, "tree_flatten")
    if not isinstance(method, Func):
        return [], UNKNOWN
    with it.guarded():
        out = call_method(it, frame, value, "tree_flatten", [], method.code.node)
    if isinstance(out, Tup) and len(out.items) == 2:
        return list(children(out.items[0])), out.items[1]
    return [], UNKNOWN


def _rebuilt(it: Interp, frame: Frame, cls: ClassVal, kids: list[Value], aux: Value, trace: Trace) -> Instance | None:
    """The object that the trace sees: JAX calls `tree_unflatten` with tracers, and with it the constructor."""
    from omnilint.analysis import calls
    from omnilint.analysis.objects import class_attribute, find

    method = find(cls, "tree_unflatten")
    if not isinstance(method, Func):
        return None
    with it.under(trace):
        out = calls.call(it, frame, class_attribute(it, cls, "tree_unflatten"), [aux, Tup(kids)], {}, method.code.node)
    return out if isinstance(out, Instance) else None


def static_argument(it: Interp, frame: Frame, made: Transformed, name: str, value: Value, node: cst.CSTNode) -> Value:
    """A static argument is hashed and compared: arrays, tracers, lists and dicts can't be. Gives what the body sees."""
    from omnilint.analysis.objects import call_method, find

    function = name_of(made.func)
    if made.kind != "jit":
        return value
    if isinstance(value, JaxArray) and not value.maybe and not value.tree:
        if value.traced and value.cause == CONSTANT and not value.vague:
            it.demand(frame, value, "static", node, f"static argument `{name}` of `{function}`", "ValueError")
            return Static("object")
        word = "a traced array" if value.traced else "a JAX array"
        it.event(
            frame, "unhashable", node, value=value, what=word, link=made.links[0], parameter=name, function=function
        )
        return Static("object")
    if isinstance(value, Instance) and _unhashable(value.cls):
        what = f"an object of `{value.cls.name}`, which defines equality but no hash,"
        it.event(frame, "unhashable", node, what=what, link=made.links[0], parameter=name, function=function)
        return value
    if isinstance(value, Tup) and any(isinstance(v, Seq) and v.kind == "list" for v in value.items):
        it.event(
            frame,
            "unhashable",
            node,
            what="a tuple that holds a list",
            link=made.links[0],
            parameter=name,
            function=function,
        )
        return value
    if isinstance(value, (Seq, Mapping)) and not (
        isinstance(value, Seq) and value.kind in ("tuple", "iterator", "frozenset")
    ):
        word = "a dict" if isinstance(value, Mapping) else f"a {value.kind}"
        it.event(frame, "unhashable", node, what=word, link=made.links[0], parameter=name, function=function)
    elif isinstance(value, Static) and value.kind == "ndarray" and not isinstance(value, Item):
        it.event(
            frame,
            "unhashable",
            node,
            what="a NumPy array",
            link=made.links[0],
            parameter=name,
            function=function,
            certain=False,
        )
    elif isinstance(value, Instance) and isinstance(find(value.cls, "__eq__"), Func) and value.attrs:
        twin = Instance(value.cls, value.trace, value.open)
        twin.attrs = dict(value.attrs)
        call_method(it, frame, value, "__eq__", [twin], node)
    return value


def _unhashable(cls: ClassVal) -> bool:
    """A class that defines `__eq__`, itself or as a dataclass, and no `__hash__`."""
    from omnilint.analysis.objects import foreign_bases

    if "__hash__" in cls.attrs or "__hash__" in cls.lazy or foreign_bases(cls):
        return False
    if cls.record == "dataclass" and cls.decorations == ["dataclasses.dataclass"]:
        return not cls.frozen
    return cls.record is None and ("__eq__" in cls.attrs or "__eq__" in cls.lazy)


def check_constructor(it: Interp, frame: Frame, made: Transformed, value: Value) -> None:
    """A pytree class whose constructor inspects its leaves is rebuilt from placeholders by some transforms."""
    from omnilint.analysis.constructors import inspect_constructor

    if (
        isinstance(value, Instance)
        and value.cls.tree == "custom"
        and made.name.rpartition(".")[2]
        in (
            "jacfwd",
            "jacrev",
            "jacobian",
            "hessian",
        )
    ):
        inspect_constructor(it, frame, made, value)


# -- out --------------------------------------------------------------------------------------------


def returned(
    it: Interp, value: Value, link: Link | None, only_arrays: bool = False, outside: str = "", depth: int = 6
) -> Value:
    """What the caller of a traced function gets: arrays again, traced if the caller is traced itself.

    `outside` says what the caller's trace made of all the arrays that it gave, when it traces them all.
    """
    if depth <= 0:
        return UNKNOWN
    if isinstance(value, JaxArray):
        if it.trace is None:
            return JaxArray(CONCRETE, ARGUMENT, None, value.dtype, value.tree, value.maybe)
        if it.staging:
            return value.but(profile=ABSTRACT, param=None, source=())
        if outside and value.cause == ARGUMENT and value.profile != CONCRETE and not value.maybe:
            return value.but(profile=outside, param=None, source=())
        # Under eager grad or vmap only what depends on its arguments is wrapped; that isn't tracked here.
        return value.but(maybe=value.profile != CONCRETE, param=None, source=())
    if isinstance(value, (Const, Static)):
        kind = value.kind if isinstance(value, Static) else type(value.value).__name__
        if only_arrays or kind in ("NoneType", "str", "object", "enum", "dtype", "treedef"):
            return value
        profile = ABSTRACT if it.staging else CONCRETE
        return JaxArray(profile, ARGUMENT, link, {"bool": "bool"}.get(kind))
    if isinstance(value, Tup):
        return Tup(returned(it, v, link, only_arrays, outside, depth - 1) for v in value.items)
    if isinstance(value, Seq):
        items = (
            None
            if value.items is None
            else [returned(it, v, link, only_arrays, outside, depth - 1) for v in value.items]
        )
        elem = None if value.elem is None else returned(it, value.elem, link, only_arrays, outside, depth - 1)
        return Seq(value.kind, items, elem, it.trace)
    if isinstance(value, Mapping):
        new = {k: returned(it, v, link, only_arrays, outside, depth - 1) for k, v in value.items.items()}
        elem = None if value.elem is None else returned(it, value.elem, link, only_arrays, outside, depth - 1)
        return Mapping(new, elem, it.trace)
    if isinstance(value, Either):
        return join_all(returned(it, v, link, only_arrays, outside, depth - 1) for v in value.options)
    if isinstance(value, Instance):
        out = Instance(value.cls, it.trace, value.open)
        for k, v in value.attrs.items():
            keep = k in value.cls.meta_fields
            out.attrs[k] = v if keep else returned(it, v, link, only_arrays, outside, depth - 1)
        return out
    return value


def traced_outside(it: Interp, given: Iterable[Value]) -> str:
    """What the traces that are active made of the arrays among these arguments, if of all; else nothing."""
    profile = ""
    if it.trace is None or it.staging:
        return profile
    for v in given:
        if isinstance(v, (Const, Static)):
            continue
        if not isinstance(v, JaxArray) or v.maybe or not v.traced:
            return ""
        profile = stronger(profile, v.profile) if profile else v.profile
    return profile


def entry_value(it: Interp, func: Func, name: str, unknown: Iterable[str] = ()) -> Value:
    """The value that a parameter has when nothing is known of the callers: by its annotation, else Unknown."""
    from omnilint.analysis.classes import annotation_class

    node = func.code.params.annotations.get(name)
    if node is None:
        return UNKNOWN
    text = func.code.unit.text(node)
    state = it.modules[func.code.module.path]
    cls = annotation_class(state, text)
    if cls is not None and (cls.tree or cls.record):
        return symbolic(it, cls)
    word = text.strip("'\"")
    if word in ("int", "float", "bool", "str"):
        return Static(word)
    return _container(it, word) or UNKNOWN


def _container(it: Interp, annotation: str) -> Value | None:
    """What an annotation says of a container: `list[…]`, `Dict[…]`, `tuple`, …; None when it says nothing."""
    if "|" in annotation:
        return None
    word = annotation.partition("[")[0].rpartition(".")[2].lower()
    if word in ("list", "sequence", "iterable", "tuple"):
        return Seq("list" if word == "list" else "tuple", None, UNKNOWN, it.trace)
    return Mapping({}, UNKNOWN, it.trace) if word in ("dict", "mapping") else None


def symbolic(it: Interp, cls: ClassVal, depth: int = 2) -> Instance:
    """An object of a class with unknown fields, as far as annotations tell."""
    from omnilint.analysis.classes import annotation_class
    from omnilint.analysis.objects import all_fields

    out = Instance(cls, None, True)
    for f in all_fields(cls):
        inner = annotation_class(cls.state, f.annotation) if depth and f.annotation else None
        word = f.annotation.strip("'\"")
        if inner is not None and (inner.tree or inner.record):
            out.attrs[f.name] = symbolic(it, inner, depth - 1)
        elif word.rpartition(".")[2] in ("Array", "ndarray", "ArrayLike") and cls.tree:
            out.attrs[f.name] = JaxArray(CONCRETE, ARGUMENT, None)
        elif word in ("int", "float", "bool", "str"):
            out.attrs[f.name] = Static(word)
        else:
            out.attrs[f.name] = _container(it, word) or UNKNOWN
    return out
