"""Calls of what lies outside of the checked files: JAX, NumPy, the standard library."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from omnilint.analysis import (
    classes,
    layers,
    library,
    optimizers,
    pure,
    records,
    sampling,
    staleness,
    tables,
    transforming,
    trees,
)
from omnilint.analysis import nodes as cst
from omnilint.analysis.definitions import ClassVal, Ext, ExtInstance, Native, Partial
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.jax_functions import bind, call_jax, check_static, short_name
from omnilint.analysis.numpy_functions import call_numpy, call_scipy, random_draw
from omnilint.analysis.tables import FunctionSpec, canonical, words
from omnilint.analysis.traces import Link
from omnilint.analysis.values import (
    ABSTRACT,
    ARGUMENT,
    NONE,
    UNKNOWN,
    Const,
    JaxArray,
    Static,
    Unknown,
    Value,
)

Handler = Callable[[Interp, Frame, str, list[Value], dict[str, Value], cst.CSTNode], Value]


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
    if dotted in words("map_leaves"):
        return dotted, _map_leaves
    if function is not None:
        return dotted, partial(_jax, function)
    part = tables.library_parts().get(dotted)
    if part is not None:
        return dotted, partial(_LIBRARIES[part[0]], part[1])
    if dotted.startswith("numpy."):
        return dotted, call_numpy
    if dotted.startswith("scipy."):
        return dotted, call_scipy
    handler = _HANDLERS.get(dotted) or _HANDLERS.get(dotted.partition(".")[0] + ".*")
    if handler is not None:
        return dotted, handler
    if dotted in words("device_values"):
        return dotted, _device_value
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


def _device_value(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    """Where a program runs: no constant, though nothing goes into it."""
    if not it.staging or it.trace is None:
        return UNKNOWN
    link = Link(frame.unit, node, f"`{short_name(dotted)}` gives a traced number here", it.trace.link, "call")
    return JaxArray(ABSTRACT, ARGUMENT, link, "int32")


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


def _map_leaves(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    tree = args[0] if args else kwargs.get("x", UNKNOWN)
    return tree if isinstance(tree, Unknown) else trees.stage_leaves(it, frame, tree, node)


_HANDLERS: dict[str, Handler] = {
    "functools.partial": _partial,
    "functools.partialmethod": _partial_method,
    "collections.namedtuple": _namedtuple,
    "typing.NamedTuple": _namedtuple,
    "typing.cast": _identity,
    "math.*": _math,
    "jax.debug.print": _jax_debug,
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
    "numpyro.sample": sampling.sample,
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
