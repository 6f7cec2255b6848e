"""Neural-network libraries: their layers, the methods of their modules, and functions that call modules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from omnilint.analysis import calls, tables
from omnilint.analysis import nodes as cst
from omnilint.analysis.definitions import Applied, Bound, ClassVal, FieldSpec, Func, Instance, Layer, Native
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import arrays_in, children, stronger
from omnilint.analysis.traces import Link
from omnilint.analysis.values import ABSTRACT, CONCRETE, FALSE, NONE, UNKNOWN, Const, JaxArray, Seq, Static, Tup, Value

Args = list[Value]
Kwargs = dict[str, Value]


def computed(it: Interp, frame: Frame, operands: Iterable[Value], node: cst.CSTNode, label: str) -> JaxArray:
    """The array that a library computes here of `operands`, and of parameters of its own."""
    source: JaxArray | None = None
    doubt = ""
    for a in (a for v in operands for a in arrays_in(v)):
        if a.traced and (source is None or stronger(source.profile, a.profile) != source.profile):
            source = a
        elif a.maybe and a.profile != CONCRETE:
            doubt = stronger(doubt, a.profile) if doubt else a.profile
    profile = ABSTRACT if it.staging else source.profile if source is not None else CONCRETE
    if profile == CONCRETE:
        return JaxArray(doubt or CONCRETE, maybe=bool(doubt))
    link = source.link if source is not None else None
    if link is None:
        link = Link(frame.unit, node, f"`{label}` is staged out here", it.trace.link if it.trace else None, "staged")
    return JaxArray(profile, link=link, vague=source is None)


def tree_of(it: Interp, frame: Frame, operands: Iterable[Value], node: cst.CSTNode, label: str) -> JaxArray:
    """The same for a tree of arrays."""
    return computed(it, frame, operands, node, label).but(tree=True)


def _operands(args: Args, kwargs: Kwargs) -> Args:
    return [*args, *(v for k, v in kwargs.items() if k not in ("*", "**"))]


# -- layers -----------------------------------------------------------------------------------------


def make_layer(gives: str, dotted: str, args: Args) -> Layer:
    """An object of a library's class of layers."""
    parts: Args = []
    for v in args if gives == "turn" else ():
        parts += [v] if not isinstance(v, (Tup, Seq)) else children(v)
    return Layer(dotted, gives, (v for v in parts if not isinstance(v, (Const, Static, JaxArray))))


def call_layer(it: Interp, frame: Frame, layer: Layer, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """Call a layer."""
    name = layer.dotted.rpartition(".")[2]
    if layer.gives == "array":
        return computed(it, frame, _operands(args, kwargs), node, name)
    if layer.gives == "pair":
        return Tup([tree_of(it, frame, _operands(args, kwargs), node, name)] * 2)
    if layer.gives != "turn":
        return UNKNOWN
    if not layer.parts:
        return args[0] if args else UNKNOWN
    out: Value = UNKNOWN
    for part in layer.parts:
        out = calls.call(it, frame, part, args, kwargs, node)
        args, kwargs = [out], {}
    return out


# -- modules ----------------------------------------------------------------------------------------


def _row(target: Value) -> dict[str, str] | None:
    """What the methods of an object do that it has from a library."""
    if isinstance(target, Layer):
        return tables.library_methods(target.dotted)
    return methods_of(target.cls) if isinstance(target, Instance) else None


def methods_of(cls: ClassVal) -> dict[str, str] | None:
    """The methods that a class has from a library of modules; None when it is no module."""
    from omnilint.analysis.objects import external_bases

    return next((row for b in sorted(external_bases(cls)) if (row := tables.library_methods(b))), None)


def member(it: Interp, frame: Frame, target: Instance | Layer, name: str, node: cst.CSTNode) -> Value | None:
    """A method that an object has from its library, or an attribute that is only made when it is used; else None."""
    row = _row(target)
    if row is None:
        return None
    kind = row.get(name)
    if kind is not None and kind in tables.layers()["apply"]["first"]:
        return Applied(name, partial(_METHODS[kind], it, target), (tables.layers()["apply"]["first"][kind],), target)
    if kind in _METHODS:
        return Native(name, partial(_METHODS[kind], it, target))
    if "before" not in row or not isinstance(target, Instance) or "@settled" in target.attrs:
        return None
    return _settled(it, frame, target, row["before"], node).attrs.get(name)


def _settled(it: Interp, frame: Frame, target: Instance, before: str, node: cst.CSTNode) -> Instance:
    """The object with the attributes that its library lets `setup` make, anew under each trace."""
    from omnilint.analysis.objects import find

    key = (id(target), id(it.trace))
    if key not in it.settled:
        made = Instance(target.cls, it.trace, True)
        made.attrs = {**target.attrs, "@settled": Const(True)}
        it.settled[key] = made
        it.keep.append((target, it.trace))
        method = find(target.cls, before)
        if isinstance(method, Func):
            calls.call(it, frame, Bound(method, made), [], {}, node)
    return it.settled[key]


def _entered(it: Interp, target: Value, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """What the module gives, or the method of it that was asked for, for the arguments after the first."""
    from omnilint.analysis.objects import get_attribute

    names = tables.layers()["apply"]
    own = {*names["pair"], *names["options"], *names["leading"]}
    rest = {k: v for k, v in kwargs.items() if k not in own}
    if not kwargs.keys() & set(names["leading"][:1]):
        args = args[1:]
    method = kwargs.get("method", NONE)
    func: Value = UNKNOWN
    if method.key() == NONE.key():
        func = target
    elif isinstance(method, Const) and isinstance(method.value, str):
        func = get_attribute(it, frame, target, method.value, node)
    elif isinstance(method, (Func, Bound)):
        func = Bound(method.func if isinstance(method, Bound) else method, target)
    return calls.call(it, frame, func, args, rest, node)


def _apply(it: Interp, target: Value, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    result = _entered(it, target, frame, args, kwargs, node)
    given = [kwargs[k] for k in tables.layers()["apply"]["pair"] if k in kwargs]
    if all(v.key() == FALSE.key() for v in given):
        return result
    if any(v.key() != FALSE.key() and isinstance(v, (Const, Seq, Tup)) for v in given):
        return Tup((result, tree_of(it, frame, args, node, "apply")))
    return UNKNOWN


def _init(it: Interp, target: Value, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    if it.trace is not None:
        _entered(it, target, frame, args, kwargs, node)
    return tree_of(it, frame, args, node, "init")


def _init_with_output(it: Interp, target: Value, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    result = _entered(it, target, frame, args, kwargs, node)
    return Tup((result, tree_of(it, frame, args, node, "init_with_output")))


def _itself(it: Interp, target: Value, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    from omnilint.analysis.objects import replaced

    if not isinstance(target, Instance):
        return target
    changes = {k: v for k, v in kwargs.items() if k in target.attrs}
    return replaced(it, frame, target, changes, node) if changes else target


def _given(it: Interp, target: Value, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    # What the function of an initialiser makes may be a tree.
    return JaxArray(CONCRETE, tree=any(isinstance(v, Func) for v in _operands(args, kwargs)))


def _param(it: Interp, target: Value, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    if len(args) > 1:
        calls.call(it, frame, args[1], [JaxArray(CONCRETE), *args[2:]], {}, node)
    return _given(it, target, frame, args, kwargs, node)


def _array(it: Interp, target: Value, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    return computed(it, frame, _operands(args, kwargs), node, "it")


def _flag(it: Interp, target: Value, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    return Static("bool")


_METHODS: dict[str | None, Callable[..., Value]] = {
    "apply": _apply,
    "init": _init,
    "init-with-output": _init_with_output,
    "itself": _itself,
    "given": _given,
    "param": _param,
    "array": _array,
    "flag": _flag,
}


# -- functions --------------------------------------------------------------------------------------


def call_function(
    gives: str, it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode
) -> Value:
    """Call a function of a library that the table knows."""
    first = args[0] if args else UNKNOWN
    if gives in ("array", "tree"):
        out = computed(it, frame, _operands(args, kwargs), node, dotted.rpartition(".")[2])
        return out.but(tree=True) if gives == "tree" else out
    if gives == "initializer":
        return Native(dotted, partial(_initialized, it))
    if gives == "initialized":
        return _initialized(it, frame, args, kwargs, node)
    if gives in _METHODS:
        return _METHODS[gives](it, first, frame, args, kwargs, node)
    if gives == "same":
        return first
    if gives == "pure":
        row = tables.layers()["functions"]["pure"][dotted]
        return _pure(it, frame, first, tuple(row["leading"]), row["state"]) if args else UNKNOWN
    if gives == "pure_less":
        less = first.attrs.get("@less") if isinstance(first, Instance) else None
        return less.call(frame, args, kwargs, node) if isinstance(less, Native) else UNKNOWN
    if gives == "with_state":
        return Native("make", lambda f, a, kw, n: Tup((calls.call(it, f, first, a, kw, n), UNKNOWN)))
    module = next((v for v in args if isinstance(v, (Instance, Layer))), None)
    return UNKNOWN if module is None else _MODULES[gives](it, frame, module, args, node)


def _initialized(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """What an initializer makes of a key and a shape."""
    from omnilint.analysis.jax_functions import demand_deep

    shape = kwargs.get("shape", args[1] if len(args) > 1 else UNKNOWN)
    demand_deep(it, frame, shape, "shape", node, "`shape` of an initializer", "TypeError", parameter="shape")
    return computed(it, frame, args[:1], node, "an initializer")


def _split(it: Interp, frame: Frame, module: Value, args: Args, node: cst.CSTNode) -> Value:
    return Tup((module, *[tree_of(it, frame, [], node, "split")] * max(1, len(args) - 1)))


def _partition(it: Interp, frame: Frame, module: Value, args: Args, node: cst.CSTNode) -> Value:
    return Tup([Layer(_PARTED, "parted", [module])] * 2)


def _combine(it: Interp, frame: Frame, module: Value, args: Args, node: cst.CSTNode) -> Value:
    return module.parts[0] if isinstance(module, Layer) and module.dotted == _PARTED else UNKNOWN


_PARTED = "parted"
_MODULES: dict[str, Callable[[Interp, Frame, Value, Args, cst.CSTNode], Value]] = {
    "split": _split,
    "merge": lambda it, frame, module, args, node: module,
    "partition": _partition,
    "combine": _combine,
}


def _pure(it: Interp, frame: Frame, func: Value, leading: tuple[str, ...], state: bool) -> Instance:
    """A pair of `init` and `apply`, as a function that calls modules is transformed into."""
    cls = ClassVal("Transformed", "Transformed", frame.state, None)
    cls.record = "namedtuple"

    def run(before: tuple[str, ...], f: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
        number = sum(name not in kwargs for name in before)
        rest = {k: v for k, v in kwargs.items() if k not in before}
        return calls.call(it, f, func, args[number:], rest, node)

    def init(f: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
        if it.trace is not None:
            run(("rng",), f, args, kwargs, node)
        params = tree_of(it, f, args, node, "init")
        return Tup((params, params)) if state else params

    def apply(f: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
        out = run(leading, f, args, kwargs, node)
        return Tup((out, tree_of(it, f, args, node, "apply"))) if state else out

    def less(f: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
        return _pure(it, f, func, tuple(n for n in leading if n != "rng"), state)

    out = Instance(cls, it.trace)
    out.attrs = {
        "init": Applied("init", init, ("rng",), func),
        "apply": Applied("apply", apply, leading, func),
        "@less": Native("less", less),
    }
    cls.fields = [FieldSpec(n, "", None, False) for n in ("init", "apply")]
    return out
