"""The analysis of a project: which functions tracing can reach, and what happens when it does."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from omnilint.analysis import calls, layers, tables, tracing, transforming
from omnilint.analysis import nodes as cst
from omnilint.analysis.classes import annotation_class
from omnilint.analysis.code import Scope, Unit
from omnilint.analysis.definitions import Applied, Bound, ClassVal, Func, Instance, Partial, Transformed
from omnilint.analysis.instances import instantiate
from omnilint.analysis.interp import BudgetSpentError, Frame, HandledError, Interp
from omnilint.analysis.joins import children
from omnilint.analysis.modules import ModuleState
from omnilint.analysis.objects import find, mro
from omnilint.analysis.options import AnalysisOptions
from omnilint.analysis.traces import STAGE, Link, Trace
from omnilint.analysis.values import ABSTRACT, ARGUMENT, NONE, UNKNOWN, Const, JaxArray, Static, Tup, Value
from omnilint.index.project import Project
from omnilint.model import Finding, Problem

ROOT_STEPS = 60_000


@dataclass(slots=True)
class Analysis:
    """Findings, problems, how many functions were analysed and how many of them are traced."""

    findings: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    functions: int = 0
    traced: int = 0


def analyse(project: Project, options: AnalysisOptions) -> Analysis:
    """Analyse every module of the project that has to do with JAX."""
    from omnilint.analysis.session import Session, merged

    with Session(project, options) as session:
        own = [session.own(group) for group in session.groups]
        generic = {key: session.generic(key) for key in session.uncalled(own)}
        traced = {name for part in (*own, *generic.values()) for name in part.traced}
        conditional = [session.conditional(group, traced) for group in session.groups]
    return merged(session.imports, own, generic, conditional)


def attempt(it: Interp, problems: list[Problem], path: str, work: Callable[[], object]) -> None:
    """Run one root within its budget; a crash costs this root alone and is reported."""
    it.steps, it.elsewhere, it.cuts, it.limit, it.supposed = 0, 0, 0, ROOT_STEPS, False
    try:
        work()
    except HandledError:
        pass  # nobody is left to handle it
    except BudgetSpentError:
        problems.append(
            Problem("budget", "the analysis stopped at its budget; part of this file wasn't analysed", path)
        )
    except RecursionError:
        problems.append(Problem("budget", "the analysis met code nested too deeply", path))
    finally:
        it.trace, it.folding, it.guard, it.care, it.uncertain, it.depth = None, 0, 0, 0, 0, 0
        it.restoring = it.choosing = 0
        it.disabled = 0
        it.running.clear()
        it.trying.clear()
        it.activations.clear()


# -- roots ------------------------------------------------------------------------------------------


def load(state: ModuleState, qualname: str) -> tuple[Value | None, ClassVal | None]:
    """The function or method of a dotted name in a module, and its class."""
    first, *rest = qualname.split(".")
    value = state.get(first)
    if state.of_jax:
        value = state.scope.vars.get(first)
    cls: ClassVal | None = None
    for part in rest:
        if not isinstance(value, ClassVal):
            return None, None
        cls = value
        value = find(value, part)
    if isinstance(value, Func) and "__func__" in value.attrs:
        value = value.attrs["__func__"]
    return value, cls


def _frame(state: ModuleState, value: Value) -> tuple[Frame, cst.CSTNode]:
    """A frame outside of all functions, for a call that nobody wrote."""
    inner = value
    while isinstance(inner, (Bound, Partial, Transformed)):
        inner = inner.func
    if isinstance(inner, Func):
        return Frame(state, inner.code.unit, Scope(None, None)), inner.code.node
    unit = Unit(state.index)
    return Frame(state, unit, Scope(None, None)), unit.root


def _object(it: Interp, state: ModuleState, frame: Frame, cls: ClassVal, node: cst.CSTNode) -> Value:
    """An object of a class as its constructor makes it, with unknown arguments."""
    if cls.record:
        return tracing.symbolic(it, cls)
    init = find(cls, "__init__")
    args: list[Value] = []
    others: dict[str, Value] = {}
    if isinstance(init, Func):
        args = [tracing.entry_value(it, init, n) for n in tracing.required_names(init)[1:]]
        # Where an object is the default, others of its kind may be given.
        others = {n: UNKNOWN for n in init.code.params.defaults if isinstance(calls.default(it, init, n), Instance)}
    obj = instantiate(it, frame, cls, args, others, node)
    if isinstance(obj, Instance):
        obj.open = True
        for name in {n for c in mro(cls) for n in c.reassigned} & obj.attrs.keys():
            obj.attrs[name] = _by_now(obj.attrs[name])
    return obj


def _by_now(value: Value) -> Value:
    """What an attribute may hold by now that other methods assign: None often means "not yet", a number is a count."""
    if isinstance(value, Const) and type(value.value) in (int, float):
        return Static(type(value.value).__name__)
    return value if value is NONE else UNKNOWN


def host(it: Interp, state: ModuleState, qualname: str) -> None:
    """Run a function as host code, with arguments of which only annotations and defaults are known."""
    value, cls = load(state, qualname)
    if isinstance(value, Func):
        frame, node = _frame(state, value)
        target: Value = value
        names = tracing.required_names(value)
        if cls is not None and value.kind != "staticmethod":
            target = Bound(value, cls if value.kind == "classmethod" else _object(it, state, frame, cls, node))
            names = names[1:]
        given = [tracing.entry_value(it, value, n) for n in names]
        returned = calls.call(it, frame, target, given, _loose(value), node)
        for inner in _functions_in(returned):
            if inner.code not in it.entered:  # what a factory returns is called by somebody
                outer, where = _frame(it.modules[inner.code.module.path], inner)
                args = [tracing.entry_value(it, inner, n) for n in tracing.required_names(inner)]
                calls.call(it, outer, inner, args, {}, where)


def _loose(func: Func) -> dict[str, Value]:
    """What callers may give on top of the parameters that a function names, where that is no other value for these."""
    p = func.code.params
    if p.defaults:
        return {}
    return {mark: UNKNOWN for mark, there in (("*", p.vararg), ("**", p.kwarg)) if there is not None}


def enter(it: Interp, made: Transformed) -> None:
    """Run a transformed function that nobody was seen to call, with traced arguments."""
    applied, given = _layers(made)
    inner = tracing.innermost(made)
    if not isinstance(inner, Func) or any(tracing.unknown_statics(layer) for layer in applied):
        return
    state = it.modules[inner.code.module.path]
    frame, node = _frame(state, inner)
    # What an outer layer takes as static reaches the inner ones as it is, and the other way round.
    statics = {name for layer in applied for name in tracing.static_parameters(layer).names}
    if not statics.isdisjoint(tables.layers()["apply"]["chooses"]):
        return  # which function runs is told by the call
    unbound = inner.owner is not None and inner is applied[-1].func
    names = tracing.positional_names(made.func)
    required = tracing.required_names(made.func)
    args: list[Value] = []
    for i, name in enumerate(names):
        if i == 0 and unbound and inner.owner is not None and name == "self":
            args.append(_self_argument(it, state, frame, inner.owner, node, name in statics))
        elif name in statics:
            if name not in required:
                break
            entry = tracing.entry_value(it, inner, name)
            args.append(Static("object") if entry is UNKNOWN else entry)
        elif name in required:
            args.append(_argument(it, state, frame, inner, name, node))
        else:
            break
    kwargs: dict[str, Value] = {}
    if inner.code.params.vararg is not None and len(args) == len(names):
        kwargs["*"] = UNKNOWN
    for name in inner.code.params.kwonly:
        if name not in inner.code.params.defaults and name not in given:
            kwargs[name] = Static("object") if name in statics else tracing.entry_value(it, inner, name)
    transforming.call_transformed(it, frame, made, args, kwargs, node)
    made.called = made.met = False


def _layers(made: Transformed) -> tuple[list[Transformed], set[str]]:
    """The transforms that were applied one on the other, and the keywords that were given on the way."""
    applied: list[Transformed] = []
    given: set[str] = set()
    inner: Value = made
    while isinstance(inner, (Bound, Partial, Transformed, Applied)):
        if isinstance(inner, Partial):
            given |= inner.kwargs.keys()
        elif isinstance(inner, Transformed):
            applied.append(inner)
        inner = inner.func
    return applied, given


def _argument(it: Interp, state: ModuleState, frame: Frame, func: Func, name: str, node: cst.CSTNode) -> Value:
    """What an unknown caller gives for a parameter: a module, where it is annotated as one."""
    annotation = func.code.params.annotations.get(name)
    cls = None if annotation is None else annotation_class(state, func.code.unit.text(annotation))
    if cls is not None and not cls.record and layers.methods_of(cls) is not None:
        return _object(it, state, frame, cls, node)
    return tracing.entry_value(it, func, name)


def _self_argument(
    it: Interp, state: ModuleState, frame: Frame, cls: ClassVal, node: cst.CSTNode, static: bool
) -> Value:
    if static or not cls.tree:
        return _object(it, state, frame, cls, node)
    return tracing.symbolic(it, cls)


def assumed(it: Interp, state: ModuleState, qualname: str, hypothetical: bool) -> None:
    """Run a function as if somebody traced it."""
    value, cls = load(state, qualname)
    if not isinstance(value, Func) or (hypothetical and value.code in it.traced_codes):
        return
    if not hypothetical:
        it.supposed = True
        it.ledger.recount()  # whoever says that it is traced wants to know what happens there
    frame, node = _frame(state, value)
    link = Link(frame.unit, node, f"`{value.code.name}` {_why(hypothetical)}", None, "assumed")
    trace = Trace(STAGE, "assumed", None, link, certain=False, hypothetical=hypothetical)
    names = tracing.required_names(value)
    target: Value = value
    if cls is not None and value.kind != "staticmethod":
        target = Bound(value, cls if value.kind == "classmethod" else _object(it, state, frame, cls, node))
        names = names[1:]
    args = [_assumed_argument(it, value, n, link) for n in names]
    factory = _defines_functions(value)
    for given in _choices(it, value, link, not hypothetical):
        it.steps = 0
        with it.under(trace):
            made = calls.call(it, frame, target, args, given, node)
            for inner in _functions_in(made) if not hypothetical else ():
                # A factory that runs while tracing stages what it computes, and the function that it gives uses that.
                _run_assumed(it, inner, link)
        if factory:
            known = {k: UNKNOWN if isinstance(v, JaxArray) else v for k, v in given.items()}
            _assume_returned(it, frame, target, names, known, value, node, hypothetical)


def _choices(it: Interp, func: Func, link: Link, every: bool) -> list[dict[str, Value]]:
    """What callers may give for optional parameters: nothing; something for None, a flag or (); a word as well."""
    some: dict[str, Value] = {}
    words: dict[str, Value] = {}
    for name in func.code.params.defaults if every else ():
        value = calls.default(it, func, name)
        if isinstance(value, Const) and isinstance(value.value, bool):
            some[name] = Static("bool")
        elif isinstance(value, Const) and isinstance(value.value, str):
            words[name] = Static("str")
        elif value.key() in (NONE.key(), Tup(()).key()):
            some[name] = _assumed_argument(it, func, name, link)
    return [{}, *([some] if some else []), *([{**some, **words}] if words else [])]


def _why(hypothetical: bool) -> str:
    return "breaks as soon as it is traced" if hypothetical else "is assumed to be traced"


def _run_assumed(it: Interp, func: Func, link: Link, every: bool = True) -> None:
    frame, node = _frame(it.modules[func.code.module.path], func)
    args = [_assumed_argument(it, func, n, link) for n in tracing.required_names(func)]
    for given in _choices(it, func, link, every):
        calls.call(it, frame, func, args, given, node)


def _defines_functions(func: Func) -> bool:
    d = func.code.looked_at()
    return d is not None and any(isinstance(n, (ast.FunctionDef, ast.Lambda)) for s in d.body for n in ast.walk(s))


def _assume_returned(
    it: Interp,
    frame: Frame,
    target: Value,
    names: list[str],
    given: dict[str, Value],
    func: Func,
    node: cst.CSTNode,
    hypothetical: bool,
) -> None:
    """What a factory returns is traced by its users, the factory itself runs on the host."""
    returned = calls.call(it, frame, target, [tracing.entry_value(it, func, n) for n in names], given, node)
    for inner in _functions_in(returned):
        if hypothetical and inner.code in it.traced_codes:
            continue
        inner_frame, inner_node = _frame(it.modules[inner.code.module.path], inner)
        link = Link(inner_frame.unit, inner_node, f"`{inner.code.name}` {_why(hypothetical)}", None, "assumed")
        with it.under(Trace(STAGE, "assumed", None, link, certain=False, hypothetical=hypothetical)):
            _run_assumed(it, inner, link, not hypothetical)


def _functions_in(value: Value, depth: int = 3) -> list[Func]:
    if isinstance(value, Func):
        return [value]
    if isinstance(value, (Partial, Transformed)):
        return _functions_in(value.func, depth)
    if isinstance(value, Instance) and depth:
        return [f for v in value.attrs.values() for f in _functions_in(v, depth - 1)]
    return [f for v in children(value) for f in _functions_in(v, depth - 1)] if depth else []


def _assumed_argument(it: Interp, func: Func, name: str, link: Link) -> Value:
    known = tracing.entry_value(it, func, name)
    if known is not UNKNOWN:
        return known
    node = func.code.params.annotations.get(name)
    text = func.code.unit.text(node) if node is not None else ""
    sure = text.rpartition(".")[2] in ("Array", "ndarray", "DeviceArray") and "np." not in text.replace("jnp.", "")
    return JaxArray(ABSTRACT, ARGUMENT, link, None, not sure, not sure, name)
