"""Calls of NumPy and SciPy, which compute on the host: what they do with a tracer, and host random numbers."""

from __future__ import annotations

from omnilint import knowledge
from omnilint.analysis import nodes as cst
from omnilint.analysis import (
    tables,
)
from omnilint.analysis.definitions import ExtInstance
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.jax_functions import demand_deep, short_name
from omnilint.analysis.joins import arrays_in
from omnilint.analysis.tables import words
from omnilint.analysis.traces import Link
from omnilint.analysis.values import (
    ABSTRACT,
    UNKNOWN,
    WRAPPED,
    Const,
    JaxArray,
    Static,
    Unknown,
    Value,
)


def call_numpy(
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


def call_scipy(
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
