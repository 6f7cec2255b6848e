"""Calls of functions of JAX that a table describes: which arguments must be static, and what they give."""

from __future__ import annotations

from omnilint.analysis import nodes as cst
from omnilint.analysis import tables
from omnilint.analysis.definitions import Ext, Func, Instance
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import arrays_in, children
from omnilint.analysis.tables import FunctionSpec, words
from omnilint.analysis.values import (
    ARGUMENT,
    UNKNOWN,
    Const,
    Either,
    JaxArray,
    Mapping,
    Seq,
    SliceVal,
    Static,
    Tup,
    Value,
)


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
    if isinstance(value, (JaxArray, Either)) and it.demand(frame, value, need, node, what, exception, False, **data):
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
        sizes = [given[n] for n in spec.sized_by if n in given]
        size = it.operation(frame, node, sizes) if sizes and not it.staging else value
        if it.demand(frame, size, "data", node, f"`{short}`", "ConcretizationTypeError", parameter=_size_word(spec)):
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
