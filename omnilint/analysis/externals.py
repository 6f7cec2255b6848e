"""Calls of what lies outside of the checked files: JAX, NumPy, the standard library."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from omnilint import knowledge
from omnilint.analysis import (
    classes,
    layers,
    library,
    optimizers,
    pure,
    records,
    staleness,
    tables,
    transforming,
    trees,
)
from omnilint.analysis import nodes as cst
from omnilint.analysis.definitions import ClassVal, Ext, ExtInstance, Func, Instance, Native, Partial
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import arrays_in, children
from omnilint.analysis.tables import FunctionSpec, canonical, words
from omnilint.analysis.traces import Link
from omnilint.analysis.values import (
    ABSTRACT,
    ARGUMENT,
    NONE,
    UNKNOWN,
    WRAPPED,
    Const,
    Either,
    JaxArray,
    Mapping,
    Seq,
    SliceVal,
    Static,
    Tup,
    Unknown,
    Value,
)

Handler = Callable[[Interp, Frame, str, list[Value], dict[str, Value], cst.CSTNode], Value]


def call_ext(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    """Call something outside by its dotted name."""
    dotted, handler = _route(dotted)
    return handler(it, frame, dotted, args, kwargs, node)


def call_value(
    it: Interp, frame: Frame, func: Ext, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    """Call something outside."""
    dotted, handler = _route(func.dotted)
    return handler(it, frame, dotted, args, kwargs, node)


@tables.remembered
def _route(dotted: str) -> tuple[str, Handler]:
    """The one name that stands for a thing outside, and who answers when it is called."""
    dotted = canonical(dotted)
    spec = tables.transforms().get(dotted)
    if spec is not None:
        return dotted, partial(_transform, spec)
    if dotted in classes.METHOD_KINDS:
        return dotted, classes.make_method
    if dotted.startswith("builtins."):
        return dotted[9:], pure.call_builtin
    if dotted.startswith(("jax.tree.", "jax.tree_util.")):
        return dotted, trees.call_tree
    function = tables.jax_function(dotted)
    if function is None and dotted.startswith(tuple(words("same_as_nn"))):
        leaf = dotted.rpartition(".")[2]
        function = tables.jax_function(f"jax.nn.{leaf}")
    if function is not None:
        return dotted, partial(_jax, function)
    part = tables.library_parts().get(dotted)
    if part is not None:
        return dotted, partial(_LIBRARIES[part[0]], part[1])
    if dotted.startswith("numpy."):
        return dotted, _call_numpy
    if dotted.startswith("scipy."):
        return dotted, _call_scipy
    handler = _HANDLERS.get(dotted) or _HANDLERS.get(dotted.partition(".")[0] + ".*")
    if handler is not None:
        return dotted, handler
    if dotted in words("clocks"):
        return dotted, _clock
    if dotted.startswith(tuple(words("random_roots"))):
        return dotted, _random
    if dotted.startswith("jax.numpy.") and dotted[10:].islower() and dotted[10] not in "_." and "." not in dotted[10:]:
        return dotted, _former
    if dotted in ("pytest.raises", "jax.ensure_compile_time_eval", "contextlib.ExitStack"):
        return dotted, lambda it, frame, dotted, *_: ExtInstance(dotted, it.trace)
    return dotted, _config_update if dotted == "jax.config.update" else _decorator


def _transform(
    spec: tables.TransformSpec,
    it: Interp,
    frame: Frame,
    dotted: str,
    args: list[Value],
    kwargs: dict[str, Value],
    node: cst.CSTNode,
) -> Value:
    options = tables.jax_function(dotted)
    if options is not None:  # what isn't handed to its function may have to be static
        given = {k: v for k, v in bind(options, args, kwargs).items() if k not in spec.params}
        check_static(it, frame, short_name(dotted), options, given, node)
    return transforming.apply(it, frame, dotted, spec, args, kwargs, node)


def _jax(
    spec: FunctionSpec,
    it: Interp,
    frame: Frame,
    dotted: str,
    args: list[Value],
    kwargs: dict[str, Value],
    node: cst.CSTNode,
) -> Value:
    return call_jax(it, frame, dotted, spec, args, kwargs, node)


def _clock(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    link = Link(frame.unit, node, dotted, it.trace.link if it.trace else None, "clock")
    return Static("float", taint=link if it.staging else None)


def _random(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    return random_draw(it, frame, dotted, args, node)


def _former(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    """A function that today's jax.numpy no longer has."""
    return it.operation(frame, node, args, label=f"`{short_name(dotted)}` is staged out here")


def _config_update(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    if len(args) == 2 and isinstance(args[0], Const) and isinstance(args[1], Const):
        if args[0].value == "jax_disable_jit":
            it.disabled = int(bool(args[1].value))
        return UNKNOWN
    return _decorator(it, frame, dotted, args, kwargs, node)


def _clear_caches(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    if it.trace is None:
        staleness.forget(it, [made for owners in it.frozen.values() for made in owners])
    return NONE


def _decorator(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    decorator = classes.class_decorator(dotted, kwargs)
    if decorator is None:
        return UNKNOWN
    if not args:
        return decorator
    return classes.apply_decorator(it, frame, Ext(dotted), args[0], node) if isinstance(args[0], ClassVal) else UNKNOWN


# -- JAX --------------------------------------------------------------------------------------------


def bind(spec: FunctionSpec, args: list[Value], kwargs: dict[str, Value]) -> dict[str, Value]:
    """Arguments of an outside function by parameter name."""
    out = dict(zip(spec.params, args, strict=False))
    if len(args) > len(spec.params) and spec.vararg:
        out[spec.vararg] = Tup(args[len(spec.params) :])
    for k, v in kwargs.items():
        if k not in ("*", "**"):
            out[k] = v
    return out


def demand_deep(
    it: Interp,
    frame: Frame,
    value: Value,
    need: str,
    node: cst.CSTNode,
    what: str,
    exception: str,
    depth: int = 3,
    **data: str,
) -> bool:
    """Demand a value, or each leaf of a container of values, as a Python value."""
    if isinstance(value, (JaxArray, Either)) and it.demand(frame, value, need, node, what, exception, **data):
        return True
    if depth and isinstance(value, (Tup, Seq, SliceVal, Either, Mapping)):
        for child in children(value):
            if demand_deep(it, frame, child, need, node, what, exception, depth - 1, **data):
                return True
    return False


def check_static(
    it: Interp, frame: Frame, short: str, spec: FunctionSpec, given: dict[str, Value], node: cst.CSTNode
) -> bool:
    """Parameters that must be static; True when one gets a traced value."""
    wrong = False
    for name, exception in spec.static.items():
        value = given.get(name)
        if value is None:
            continue
        need = "shape" if name in words("shape_parameters") else "static"
        if isinstance(value, (Tup, Seq)):
            exception = tables.binding_times()["one_by_one"].get(exception, exception)
        if demand_deep(it, frame, value, need, node, f"`{name}` of `{short}`", exception, parameter=name):
            wrong = True
    return wrong


def short_name(dotted: str) -> str:
    """The way people write it: `jnp.prod`, `lax.scan`, `jax.random.split`."""
    for long, short in (("jax.numpy.", "jnp."), ("jax.lax.", "lax."), ("numpy.", "np.")):
        if dotted.startswith(long):
            return short + dotted[len(long) :]
    return dotted


def call_jax(
    it: Interp,
    frame: Frame,
    dotted: str,
    spec: FunctionSpec,
    args: list[Value],
    kwargs: dict[str, Value],
    node: cst.CSTNode,
) -> Value:
    """Call a function of JAX that is described by a table."""
    short = short_name(dotted)
    if isinstance(kwargs.get("*"), (Const, Static, JaxArray)):
        star = kwargs["*"]  # how many there are isn't known: two stand for them
        kwargs = {k: v for k, v in kwargs.items() if k != "*"}
        args = [*args, *[star] * max(0, 2 - len(args))]
    given = bind(spec, args, kwargs)
    check_static(it, frame, short, spec, given, node)
    leaf = dotted.rpartition(".")[2]
    operands = [v for k, v in given.items() if k not in spec.static]
    if spec.result == "static":
        return _static_result(leaf, given)
    if dotted in words("static_of_static") and operands and isinstance(operands[0], (Const, Static)):
        return Static("int")
    if spec.result == "callable" or "*" in kwargs:
        return UNKNOWN
    if spec.result == "data-dependent" and not _size_known(spec, given):
        value = it.operation(frame, node, operands, label=f"`{short}` is staged out here")
        if spec.unless_static:
            counts = next((given[n] for n in spec.unless_static if n in given), value)
            it.demand(
                frame, counts, "static", node, f"`{spec.unless_static[0]}` of `{short}`", "ConcretizationTypeError"
            )
            return value
        if it.demand(frame, value, "data", node, f"`{short}`", "ConcretizationTypeError", parameter=_size_word(spec)):
            return value.but(link=None, profile="concrete") if not it.staging else value
        return value
    if any(isinstance(v, (Instance, Func)) for v in operands) and not any(True for v in operands for _ in arrays_in(v)):
        return _opaque(it, frame, node, operands, short)
    made = it.operation(
        frame,
        node,
        operands,
        "bool" if leaf in words("boolean") else _dtype(leaf, given),
        f"`{short}` is staged out here",
    )
    # What differs between devices is no constant, though nothing goes into it.
    return made.but(cause=ARGUMENT) if dotted in words("device_values") and made.traced else made


def _dtype(leaf: str, given: dict[str, Value]) -> str | None:
    dtype = given.get("dtype")
    if isinstance(dtype, Ext):
        word = dtype.dotted.rpartition(".")[2]
        return "bool" if word in ("bool", "bool_") else word
    if leaf in ("bool_",):
        return "bool"
    if leaf in ("array", "asarray"):
        first = next(iter(given.values()), UNKNOWN)
        parts = list(children(first)) if isinstance(first, (Tup, Seq)) else [first]
        if parts and all(isinstance(v, Const) and isinstance(v.value, bool) for v in parts):
            return "bool"
    if leaf in (
        "where",
        "concatenate",
        "stack",
        "roll",
        "reshape",
        "transpose",
        "squeeze",
        "ravel",
        "flip",
        "broadcast_to",
    ):
        kinds = {a.dtype for k, v in given.items() if k != "condition" for a in arrays_in(v)}
        return "bool" if kinds == {"bool"} else None
    if leaf in ("bitwise_and", "bitwise_or", "bitwise_xor", "invert", "bitwise_not", "asarray", "array"):
        kinds = {a.dtype for v in given.values() for a in arrays_in(v)}
        return "bool" if "bool" in kinds else None
    return None


def _opaque(it: Interp, frame: Frame, node: cst.CSTNode, operands: list[Value], short: str) -> Value:
    return it.operation(frame, node, [], label=f"`{short}` is staged out here").but(maybe=not it.staging)


def _size_word(spec: FunctionSpec) -> str:
    return (spec.or_needs or spec.needs or ("",))[0]


def _size_known(spec: FunctionSpec, given: dict[str, Value]) -> bool:
    for names in (spec.needs, spec.or_needs):
        if names and all(n in given and not _is_none(given[n]) for n in names):
            return True
    if spec.unless_static:
        return all(not any(a.traced for a in arrays_in(given.get(n, UNKNOWN))) for n in spec.unless_static)
    return False


def _is_none(v: Value) -> bool:
    return isinstance(v, Const) and v.value is None


def _static_result(leaf: str, given: dict[str, Value]) -> Value:
    shaped = leaf in ("shape", "ndim", "size")
    kind = {
        "shape": "shape",
        "broadcast_shapes": "shape",
        "ndim": "int",
        "size": "int",
        "result_type": "dtype",
        "promote_types": "dtype",
        "dtype": "dtype",
        "axis_size": "int",
        "device_count": "int",
        "local_device_count": "int",
        "process_index": "int",
        "default_backend": "str",
        "ShapeDtypeStruct": "struct",
    }.get(leaf)
    if kind is None:
        kind = "bool" if leaf.startswith(("is", "can")) else "object"
    if leaf == "size" and "axis" in given:
        kind = "int"
    return Static(kind, shaped)


# -- NumPy ------------------------------------------------------------------------------------------


def _call_numpy(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    if dotted.startswith("numpy.random."):
        return random_draw(it, frame, dotted, args, node)
    short = short_name(dotted)
    operands = [*args, *(v for k, v in kwargs.items() if k not in ("*", "**"))]
    tracers = [a for v in operands for a in arrays_in(v, 2) if a.traced]
    answer = tables.numpy_on_tracer().get(dotted)
    if tracers and answer is not None:
        return _numpy_on_tracer(it, frame, dotted, short, answer, operands, tracers, node)
    leaf = dotted.rpartition(".")[2]
    if dotted.startswith("numpy.testing."):
        return UNKNOWN
    shaped = any(isinstance(v, Static) and v.from_shape for v in operands)
    taint = next((v.taint for v in operands if isinstance(v, Static) and v.taint is not None), None)
    doubtful = any(isinstance(v, Unknown) for v in operands) or any(a.maybe for v in operands for a in arrays_in(v, 2))
    if doubtful and leaf not in ("zeros", "ones", "arange", "eye", "full", "empty", "linspace"):
        return UNKNOWN
    if leaf in ("shape", "broadcast_shapes"):
        return Static("shape", True)
    if leaf in ("ndim", "size"):
        return Static("int", True)
    if leaf in ("issubdtype", "isscalar", "iscomplexobj", "isrealobj", "can_cast", "allclose", "array_equal"):
        return Static("bool")
    if leaf in ("finfo", "iinfo", "dtype", "result_type", "promote_types", "common_type"):
        return Static("object")
    if leaf in ("float32", "float64", "float16", "int32", "int64", "uint32", "bool_", "prod") and args:
        return Static("ndarray" if leaf != "prod" else "int", shaped, taint)
    if answer is None and leaf not in ("zeros", "ones", "array", "asarray", "full", "empty", "float32", "ix_"):
        return UNKNOWN
    return Static("ndarray", shaped, taint)


def _call_scipy(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    """SciPy computes on the host: most of its functions convert what they get to NumPy arrays."""
    operands = [*args, *(v for k, v in kwargs.items() if k not in ("*", "**"))]
    tracers = [a for v in operands for a in arrays_in(v, 2) if a.traced]
    answer = knowledge.table("scipy_on_tracer").get(dotted) if tracers else None
    if answer is None:
        return UNKNOWN
    return _numpy_on_tracer(it, frame, dotted, dotted, answer, operands, tracers, node)


def _numpy_on_tracer(
    it: Interp,
    frame: Frame,
    dotted: str,
    short: str,
    answer: object,
    operands: list[Value],
    tracers: list[JaxArray],
    node: cst.CSTNode,
) -> Value:
    profile = ABSTRACT if any(a.profile == ABSTRACT for a in tracers) else WRAPPED
    if isinstance(answer, dict):
        answer = answer["grad" if profile == WRAPPED else "jit"]
    leaf = dotted.rpartition(".")[2]
    if answer in ("traced", "concrete"):
        return it.operation(frame, node, operands, "bool" if leaf in words("boolean") else None, python=True)
    if answer == "static" and leaf == "isscalar":
        return Const(False)
    if answer == "static":
        return Static(
            {"shape": "shape", "ndim": "int", "size": "int"}.get(leaf, "object"), leaf in ("shape", "ndim", "size")
        )
    if answer == "false":
        value = tracers[0]
        it.event(frame, "false", node, value=value, what=f"`{short}`", certain=not value.tree)
        return Static("bool")
    if answer == "ok":
        return Static("ndarray")
    for v in operands:
        if demand_deep(it, frame, v, "numpy", node, f"`{short}`", str(answer), 2):
            break
    return Static("ndarray")


def random_draw(it: Interp, frame: Frame, dotted: str, args: list[Value], node: cst.CSTNode) -> Value:
    """A host random number, or the making of a generator."""
    if dotted in words("random_makers"):
        unseeded = not args and it.staging  # seeded by the machine, once: as good as made outside
        return ExtInstance(dotted, None if unseeded else it.trace)
    for v in args:
        if demand_deep(it, frame, v, "numpy", node, f"`{short_name(dotted)}`", "TracerArrayConversionError", 2):
            return Static("ndarray")
    link = Link(frame.unit, node, short_name(dotted), it.trace.link if it.trace else None, "random")
    if dotted.endswith(".shuffle") and it.staging:
        it.tainted(link, ABSTRACT)
    return Static("ndarray" if dotted.startswith("numpy") else "float", taint=link if it.staging else None)


# -- standard library -------------------------------------------------------------------------------


def _partial(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    if not args:
        return UNKNOWN
    return Partial(args[0], tuple(args[1:]), kwargs, Link(frame.unit, node, "bound here", None, "partial"))


def _partial_method(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    if len(args) < 2 and not kwargs:
        return args[0] if args else UNKNOWN

    def method(f: Frame, a: list[Value], k: dict[str, Value], n: cst.CSTNode) -> Value:
        from omnilint.analysis import calls

        return calls.call(it, f, args[0], [*a[:1], *args[1:], *a[1:]], {**kwargs, **k}, n)

    return Native("method:partialmethod", method)


def _namedtuple(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    return classes.named_tuple(it, frame, args, frame.state)


def _identity(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    return args[-1] if args else UNKNOWN


def _math(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    return library.call_math(it, frame, dotted, args, kwargs, node)


def _jax_debug(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    return Const(None)


def _device_put(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    return trees.stage_leaves(it, frame, args[0], node) if args else UNKNOWN


_HANDLERS: dict[str, Handler] = {
    "functools.partial": _partial,
    "functools.partialmethod": _partial_method,
    "collections.namedtuple": _namedtuple,
    "typing.NamedTuple": _namedtuple,
    "typing.cast": _identity,
    "math.*": _math,
    "jax.debug.print": _jax_debug,
    "jax.device_put": _device_put,
    "jax.clear_caches": _clear_caches,
    "jax.clear_backends": _clear_caches,
    "functools.reduce": library.functools_reduce,
    "functools.wraps": library.functools_wraps,
    "functools.lru_cache": library.functools_cache,
    "functools.cache": library.functools_cache,
    "dataclasses.replace": library.dataclasses_replace,
    "dataclasses.field": library.dataclasses_field,
    "dataclasses.fields": library.dataclasses_fields,
    "flax.struct.field": library.dataclasses_field,
    "equinox.field": library.dataclasses_field,
    "collections.defaultdict": library.default_dict,
    "collections.OrderedDict": library.make_dict,
    "collections.Counter": library.make_counter,
    "collections.deque": library.make_list,
    **dict.fromkeys(("queue.Queue", "queue.SimpleQueue", "queue.LifoQueue", "queue.PriorityQueue"), library.make_queue),
    "copy.copy": library.shallow_copy,
    "copy.deepcopy": library.shallow_copy,
    "itertools.*": library.call_itertools,
    "operator.*": library.call_operator,
    "bisect.*": library.call_bisect,
    "types.SimpleNamespace": classes.namespace,
    "contextvars.ContextVar": classes.context_variable,
    "inspect.signature": classes.signature,
    "heapq.*": library.call_bisect,
}


def _layer(
    gives: str,
    it: Interp,
    frame: Frame,
    dotted: str,
    args: list[Value],
    kwargs: dict[str, Value],
    node: cst.CSTNode,
) -> Value:
    return layers.make_layer(gives, dotted, args)


_LIBRARIES: dict[str, Callable[..., Value]] = {
    "layers": _layer,
    "functions": layers.call_function,
    "records": records.call_record,
    "optimizers": optimizers.make,
}
