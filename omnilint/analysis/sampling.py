"""Probabilistic models: which of a model's values are tracers when a sampler runs it."""

from __future__ import annotations

from omnilint.analysis import calls, tables, tracing
from omnilint.analysis import nodes as cst
from omnilint.analysis.definitions import Func
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.tables import TransformSpec
from omnilint.analysis.traces import STAGE, Link, Trace
from omnilint.analysis.values import ABSTRACT, ARGUMENT, NONE, UNKNOWN, JaxArray, Value

Args = list[Value]
Kwargs = dict[str, Value]


def run_models(
    it: Interp, frame: Frame, dotted: str, spec: TransformSpec, given: Kwargs, rest: Args, node: cst.CSTNode
) -> Value:
    """A sampler's kernel, which runs its model while tracing; the data that the model gets stay what they are."""
    for name in spec.functions:
        model = given.get(name)
        inner = UNKNOWN if model is None else tracing.innermost(model)
        if model is None or not isinstance(inner, Func):
            continue
        link = Link(frame.unit, node, f"`{dotted}` traces its model", None, "transform")
        data = [tracing.entry_value(it, inner, n) for n in tracing.required_names(model)]
        with it.under(Trace(STAGE, dotted, it.trace, link, certain=len(spec.functions) == 1)):
            calls.call(it, frame, model, data, _options(it, inner), node)
    return UNKNOWN


def _options(it: Interp, model: Func) -> Kwargs:
    """Where None is the default, callers may give something."""
    return {n: UNKNOWN for n in model.code.params.defaults if calls.default(it, model, n).key() == NONE.key()}


def sample(it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """`numpyro.sample(name, distribution)` in a model that a sampler runs; elsewhere a handler may give anything."""
    observed = len(args) > 2 or not kwargs.keys().isdisjoint(("obs", "**", "*"))
    trace = _running(it.trace)
    if observed or trace is None or frame.state.index.identifiers & tables.words("value_handlers"):
        return UNKNOWN
    link = Link(frame.unit, node, f"`{dotted}` gives a tracer here", trace.link, "call")
    return JaxArray(ABSTRACT, ARGUMENT, link)


def _running(trace: Trace | None) -> Trace | None:
    """The trace of the sampler that runs the model, if one does."""
    specs = tables.transforms()
    while trace is not None:
        spec = specs.get(trace.name)
        if spec is not None and spec.kind == "sampler":
            return trace
        trace = trace.parent
    return None
