"""Applying transforms: what becomes a tracer when a function is jitted, mapped, differentiated, scanned."""

from __future__ import annotations

from collections.abc import Callable

from omnilint.analysis import calls, held, sampling, staleness, tables, tracing, trees
from omnilint.analysis import nodes as cst
from omnilint.analysis.definitions import (
    Bound,
    ClassVal,
    Ext,
    Func,
    Instance,
    Layer,
    Member,
    Native,
    Partial,
    Transformed,
)
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import arrays_in, children, join_all
from omnilint.analysis.tables import TransformSpec
from omnilint.analysis.traces import BATCH, DIFF, STAGE, Link, Trace
from omnilint.analysis.values import (
    ABSTRACT,
    ARGUMENT,
    TRUE,
    UNKNOWN,
    WRAPPED,
    Const,
    Either,
    JaxArray,
    Ref,
    Seq,
    Static,
    Tup,
    Unknown,
    Value,
)

Args = list[Value]
Kwargs = dict[str, Value]


def _callable(v: Value | None) -> bool:
    if isinstance(v, Either):
        return any(_callable(o) for o in v.options)
    return isinstance(v, (Func, Bound, Partial, ClassVal, Transformed, Ext, Layer, Native, Member)) or (
        isinstance(v, Instance) and not v.cls.record
    )


def apply(
    it: Interp, frame: Frame, dotted: str, spec: TransformSpec, args: Args, kwargs: Kwargs, node: cst.CSTNode
) -> Value:
    """Call a transform by its dotted name."""
    given: Kwargs = dict(zip(spec.params, args, strict=False))
    rest = args[len(spec.params) :]
    for k, v in kwargs.items():
        given[k] = v
    handler = _RUNNERS.get(spec.kind)
    if handler is not None:
        return handler(it, frame, dotted, spec, given, rest, node)
    target = given.get(spec.functions[0]) if spec.functions else None
    if target is None:
        target = next((given[k] for k in ("f", "fun", "func", "fn", "function") if k in given), None)
    if target is None:
        return _factory(it, dotted, spec, kwargs, node, frame)
    if isinstance(target, Unknown):
        known = spec.kind in ("vmap", "grad") and dotted.startswith("jax.") and not given.keys() & _OF_RESULTS
        return _of_unknown(it, frame, dotted, spec, node) if known else UNKNOWN
    if dotted.startswith("flax.linen.") and _makes_modules(target):
        return target  # lifted transforms of module classes give a class
    options = {k: v for k, v in given.items() if k not in spec.functions}
    link = Link(frame.unit, node, f"`{_short(dotted)}` is applied here", None, "transform")
    made = Transformed(dotted, spec.kind, target, options, [link], it.trace)
    if spec.statics:
        made.options["@statics"] = Tup(Const(s) for s in spec.statics)
    if spec.result:
        made.options["@result"] = Const(spec.result)
    if spec.only_arrays:
        made.options["@only_arrays"] = TRUE
    if spec.restages:
        made.options["@restages"] = TRUE
    it.transformed.append(made)
    return made


# Options that decide which of a function's results are arrays, and how many gradients there are.
_OF_RESULTS = frozenset(("out_axes", "has_aux", "argnums"))


def _of_unknown(it: Interp, frame: Frame, dotted: str, spec: TransformSpec, node: cst.CSTNode) -> Value:
    """An unknown function, mapped or differentiated: where something is staged, its results are traced."""

    def result(f: Frame, a: Args, k: Kwargs, n: cst.CSTNode) -> Value:
        if not it.staging or it.disabled or not any(v.traced for given in a for v in arrays_in(given)):
            return held.unknown_result(it, f, a, k, n)
        link = Link(
            f.unit, n, f"`{_short(dotted)}` gives traced values here", it.trace.link if it.trace else None, "call"
        )
        out = JaxArray(ABSTRACT, ARGUMENT, link, tree=True, source=((f.unit, n),))
        return Tup((out.but(tree=False), out)) if spec.result else out

    return Native(dotted, result)


def _makes_modules(v: Value) -> bool:
    if isinstance(v, Partial):
        return _makes_modules(v.func)
    return isinstance(v, ClassVal) or (isinstance(v, Ext) and tables.is_layer(tables.canonical(v.dotted)))


def _factory(it: Interp, dotted: str, spec: TransformSpec, kwargs: Kwargs, node: cst.CSTNode, frame: Frame) -> Value:
    """`jax.jit(static_argnames=…)`: gives the decorator."""
    origin = Link(frame.unit, node, "its options are given here", None, "partial")

    def decorate(f: Frame, a: Args, k: Kwargs, n: cst.CSTNode) -> Value:
        out = apply(it, f, dotted, spec, a, {**kwargs, **k}, n)
        if isinstance(out, Transformed):
            out.links.append(origin)
        return out

    return Native(dotted, decorate)


def _short(dotted: str) -> str:
    return dotted.replace("jax.numpy.", "jnp.").replace("jax.lax.", "lax.")


# -- calling what a transform made ------------------------------------------------------------------


def call_transformed(
    it: Interp, frame: Frame, made: Transformed, args: Args, kwargs: Kwargs, node: cst.CSTNode
) -> Value:
    """Call a transformed function."""
    if made.kind == "plain":
        if not kwargs:
            _run_rules(it, frame, made, args, node)
        if it.staging and "@restages" in made.options:
            args = _restaged(it, frame, made, args, node)
        return calls.call(it, frame, made.func, args, kwargs, node)
    _run_batching_rule(it, frame, made, args, node)
    made.met = made.met or bool(args) or not kwargs or bool(kwargs.keys() - {"*", "**"})
    if it.disabled and made.kind in ("jit", "filter"):
        made.called = True
        return calls.call(it, frame, made.func, args, kwargs, node)
    staleness.report(it, made, [*args, *kwargs.values()])
    made.called = True
    if made.kind == "grad":
        return _call_grad(it, frame, made, args, kwargs, node)
    if made.kind == "vmap":
        return _call_vmap(it, frame, made, args, kwargs, node)
    return _call_jit(it, frame, made, args, kwargs, node)


def _fixed_arguments(made: Transformed) -> set[int] | None:
    """Positions of the arguments that are handed to a function's own rules as they are; None when not known."""
    if "nondiff_argnames" in made.options:
        return None
    return tracing.integers(made.options.get("nondiff_argnums", Tup(())))


def _enclosing(it: Interp, kind: str) -> Trace | None:
    """The innermost trace of a kind that is active."""
    t = it.trace
    while t is not None and t.kind != kind:
        t = t.parent
    return t


def _restaged(it: Interp, frame: Frame, made: Transformed, args: Args, node: cst.CSTNode) -> Args:
    """Where something is staged, a function with derivatives of its own gets all arguments as tracers, numbers too."""
    numbers = _fixed_arguments(made)
    if numbers is None or it.trace is None:
        return args
    link = reason(made, frame, node)
    names = tracing.positional_names(made.func)
    return [
        v
        if i in numbers or not isinstance(v, (Const, Static))
        else tracing.traced(
            it, frame, v, ABSTRACT, link, names[i] if i < len(names) else f"argument {i}", node, it.trace, False, None
        )
        for i, v in enumerate(args)
    ]


def _run_batching_rule(it: Interp, frame: Frame, made: Transformed, args: Args, node: cst.CSTNode) -> None:
    """Under a map that is staged, the rule of a custom_vmap runs on abstract values."""
    rule = made.options.get("@vmap_rule")
    if rule is not None and it.staging and _enclosing(it, BATCH) is not None:
        calls.call(it, frame, rule, [Static("int"), Static("object"), *args], {}, node)


def _run_rules(it: Interp, frame: Frame, made: Transformed, args: Args, node: cst.CSTNode) -> None:
    """Under jit, differentiation runs the rules of a custom_vjp on abstract values instead of the function."""
    rules = made.options.get("@rules")
    numbers = _fixed_arguments(made)
    if not isinstance(rules, Tup) or not it.staging or numbers is None or max(numbers, default=-1) >= len(args):
        return
    t = _enclosing(it, DIFF)
    if t is None:
        return
    fixed = [v for i, v in enumerate(args) if i in numbers]
    if len(rules.items) == 1:  # a jvp rule takes primals and tangents
        primals = [v for i, v in enumerate(args) if i not in numbers]
        tangents = Tup(JaxArray(ABSTRACT, ARGUMENT, t.link, tree=True) for _ in primals)
        calls.call(it, frame, rules.items[0], [*fixed, Tup(primals), tangents], {}, node)
        return
    out = calls.call(it, frame, rules.items[0], args, {}, node)
    if isinstance(out, Tup) and len(out.items) == 2:
        cotangent = JaxArray(ABSTRACT, ARGUMENT, t.link, tree=True)
        calls.call(it, frame, rules.items[1], [*fixed, out.items[1], cotangent], {}, node)


def reason(made: Transformed, frame: Frame, node: cst.CSTNode | None) -> Link:
    """The chain that explains why the arguments of a transformed function are traced."""
    link: Link | None = None
    for origin in reversed(made.links[1:]):
        link = Link(origin.unit, origin.node, origin.message, link, origin.kind)
    first = made.links[0]
    name = tracing.name_of(made.func)
    return Link(first.unit, first.node, f"`{name}` is traced: {first.message}", link, "transform")


def _call_jit(it: Interp, frame: Frame, made: Transformed, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    link = reason(made, frame, node)
    statics = tracing.static_parameters(made)
    trace = Trace(STAGE, made.name, it.trace, link, made)
    only_arrays = made.kind == "filter"
    names = tracing.positional_names(made.func)
    new_args: Args = []
    for i, v in enumerate(args):
        name = names[i] if i < len(names) else f"argument {i}"
        if i in statics.numbers or i - len(args) in statics.numbers or name in statics.names:
            new_args.append(tracing.static_argument(it, frame, made, name, v, node))
        else:
            new_args.append(tracing.traced(it, frame, v, ABSTRACT, link, name, node, trace, only_arrays, made))
    if tracing.unknown_statics(made):
        # Which arguments are static is worked out at run time: any of them may be.
        new_args = [v.but(maybe=True) if isinstance(v, JaxArray) else v for v in new_args]
        kwargs = dict.fromkeys(kwargs, UNKNOWN)
    new_kwargs: Kwargs = {}
    for k, v in kwargs.items():
        if k in statics.names or (k in names and names.index(k) in statics.numbers):
            new_kwargs[k] = tracing.static_argument(it, frame, made, k, v, node)
        elif k in ("*", "**"):
            new_kwargs[k] = tracing.traced(it, frame, v, ABSTRACT, link, "", node, trace, only_arrays, made)
        else:
            new_kwargs[k] = tracing.traced(it, frame, v, ABSTRACT, link, k, node, trace, only_arrays, made)
    if tracing.unknown_statics(made):
        new_kwargs = dict.fromkeys(new_kwargs, UNKNOWN)
    with it.under(trace):
        result = calls.call(it, frame, made.func, new_args, new_kwargs, node)
        for v in trees.leaves(result):
            if isinstance(v, Static) and v.taint is not None:
                it.tainted(v.taint, ABSTRACT)  # a frozen value that is handed out as it is
    return tracing.returned(it, result, link, only_arrays)


def _call_vmap(it: Interp, frame: Frame, made: Transformed, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    link = reason(made, frame, node)
    outside = tracing.traced_outside(it, [*args, *kwargs.values()])
    trace = Trace(BATCH, made.name, it.trace, link, made)
    axes = made.options.get("in_axes", Const(0))
    only_arrays = "@only_arrays" in made.options
    excluded = {c.value for c in children(made.options.get("excluded", Tup(()))) if isinstance(c, Const)}
    names = tracing.positional_names(made.func)
    new_args: Args = []
    for i, v in enumerate(args):
        name = names[i] if i < len(names) else f"argument {i}"
        axis = (
            axes.items[i] if isinstance(axes, (Tup, Seq)) and axes.items is not None and i < len(axes.items) else axes
        )
        if (isinstance(axis, Const) and axis.value is None) or i in excluded or name in excluded:
            new_args.append(v)
        elif isinstance(axis, Const):
            new_args.append(tracing.traced(it, frame, v, ABSTRACT, link, name, node, trace, only_arrays, made))
        else:
            maybe = tracing.traced(it, frame, v, ABSTRACT, link, name, node, trace, only_arrays, made)
            new_args.append(maybe.but(maybe=True) if isinstance(maybe, JaxArray) else maybe)
    new_kwargs = {
        k: v if k in excluded else tracing.traced(it, frame, v, ABSTRACT, link, k, node, trace, only_arrays, made)
        for k, v in kwargs.items()
    }
    with it.under(trace):
        result = calls.call(it, frame, made.func, new_args, new_kwargs, node)
    return _batched(it, result, made.options.get("out_axes", Const(0)), link, outside)


def _batched(it: Interp, value: Value, axes: Value, link: Link, outside: str) -> Value:
    """What a mapped function gives: where `out_axes` is None, a Python value stays one."""
    if isinstance(axes, Const) and axes.value is None and isinstance(value, (Const, Static)):
        return value
    if isinstance(axes, Tup) and isinstance(value, Tup) and len(axes.items) == len(value.items):
        pairs = zip(value.items, axes.items, strict=True)
        return Tup(_batched(it, v, axis, link, outside) for v, axis in pairs)
    return tracing.returned(it, value, link, outside=outside)


def _call_grad(it: Interp, frame: Frame, made: Transformed, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    link = reason(made, frame, node)
    trace = Trace(DIFF, made.name, it.trace, link, made)
    only_arrays = "@only_arrays" in made.options
    numbers = tracing.integers(made.options.get("argnums", Const(0)))
    if numbers is None:
        numbers = {0}
    names = tracing.positional_names(made.func)
    new_args: Args = []
    for i, v in enumerate(args):
        if i in numbers or i - len(args) in numbers:
            name = names[i] if i < len(names) else f"argument {i}"
            tracing.check_constructor(it, frame, made, v)
            new_args.append(tracing.traced(it, frame, v, WRAPPED, link, name, node, trace, only_arrays, made))
        else:
            new_args.append(v)
    with it.under(trace):
        result = calls.call(it, frame, made.func, new_args, kwargs, node)
    aux = made.options.get("has_aux")
    if isinstance(aux, Const) and aux.value and isinstance(result, Tup) and len(result.items) == 2:
        # What goes along with the value is handed over as it is: Python values stay Python values.
        out: Value = Tup(
            (tracing.returned(it, result.items[0], link), tracing.returned(it, result.items[1], link, True))
        )
    else:
        out = tracing.returned(it, result, link)
    gradient = tracing.returned(it, new_args[0], link) if len(numbers) == 1 and new_args else UNKNOWN
    has_aux = isinstance(aux, Const) and bool(aux.value)
    if isinstance(made.options.get("@result"), Const):
        return Tup((out, gradient))
    if has_aux and isinstance(out, Tup) and len(out.items) == 2:
        return Tup((gradient, out.items[1]))
    return gradient


def member(
    it: Interp, frame: Frame, base: Transformed | Func, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode
) -> Value:
    """A method of a transformed function: `.lower(…)`, `.defjvp(…)`, …"""
    if isinstance(base, Transformed):
        if name in ("lower", "trace", "eval_shape") and base.kind in ("jit", "filter"):
            call_transformed(it, frame, base, args, kwargs, node)
            return UNKNOWN
        if name == "__call__":
            return call_transformed(it, frame, base, args, kwargs, node)
        if name in ("clear_cache", "clear_caches") and it.trace is None:
            staleness.forget(it, [base])
        if name == "defjvp" and len(args) == 1:
            base.options["@rules"] = Tup(args)
            return args[0]
        if name == "def_vmap" and args:
            base.options["@vmap_rule"] = args[0]
        if name == "defvjp" and len(args) >= 2:
            base.options["@rules"] = Tup(args[:2])
            return UNKNOWN
    return args[0] if name.startswith("def") and args else UNKNOWN


# -- transforms that run their function at once -----------------------------------------------------


def _link(frame: Frame, node: cst.CSTNode, dotted: str) -> Link:
    return Link(frame.unit, node, f"`{_short(dotted)}` traces its function here", None, "transform")


def staged(
    it: Interp,
    frame: Frame,
    dotted: str,
    func: Value,
    args: Args,
    node: cst.CSTNode,
    names: list[str] | None = None,
    kwargs: Kwargs | None = None,
    only_arrays: bool = False,
) -> Value:
    """Run a body under a staging trace; each leaf of its arguments becomes abstract."""
    if it.disabled:
        return calls.call(it, frame, func, args, kwargs or {}, node)
    link = _link(frame, node, dotted)
    trace = Trace(STAGE, dotted, it.trace, link)

    def enter(v: Value, name: str) -> Value:
        return tracing.traced(it, frame, v, ABSTRACT, link, name, node, trace, only_arrays)

    inside = [enter(v, names[i] if names and i < len(names) else "") for i, v in enumerate(args)]
    others = {k: enter(v, k) for k, v in (kwargs or {}).items()}
    with it.under(trace):
        return calls.call(it, frame, func, inside, others, node)


def _scan(
    it: Interp, frame: Frame, dotted: str, spec: TransformSpec, given: Kwargs, rest: Args, node: cst.CSTNode
) -> Value:
    for name in ("length", "unroll", "reverse"):
        if name in given:
            what = f"`{name}` of `{_short(dotted)}`"
            it.demand(frame, given[name], "static", node, what, "ConcretizationTypeError", parameter=name)
    func, init, xs = given.get("f", UNKNOWN), given.get("init", UNKNOWN), given.get("xs", Const(None))
    out = staged(it, frame, dotted, func, [init, xs], node)
    link = _link(frame, node, dotted)
    if isinstance(out, Tup) and len(out.items) == 2:
        return Tup(tracing.returned(it, v, link) for v in out.items)
    return Tup((tracing.returned(it, init, link), UNKNOWN))


def _while(
    it: Interp, frame: Frame, dotted: str, spec: TransformSpec, given: Kwargs, rest: Args, node: cst.CSTNode
) -> Value:
    carry = given.get("init_val", UNKNOWN)
    staged(it, frame, dotted, given.get("cond_fun", UNKNOWN), [carry], node)
    out = staged(it, frame, dotted, given.get("body_fun", UNKNOWN), [carry], node)
    return tracing.returned(it, carry if isinstance(out, Unknown) else out, _link(frame, node, dotted))


def _fori(
    it: Interp, frame: Frame, dotted: str, spec: TransformSpec, given: Kwargs, rest: Args, node: cst.CSTNode
) -> Value:
    if "unroll" in given:
        what = f"`unroll` of `{_short(dotted)}`"
        it.demand(frame, given["unroll"], "static", node, what, "TypeError", parameter="unroll")
    link = _link(frame, node, dotted)
    index = JaxArray(ABSTRACT, ARGUMENT, link, "int32")
    carry = given.get("init_val", UNKNOWN)
    out = staged(it, frame, dotted, given.get("body_fun", UNKNOWN), [index, carry], node)
    return tracing.returned(it, carry if isinstance(out, Unknown) else out, link)


def _cond(
    it: Interp, frame: Frame, dotted: str, spec: TransformSpec, given: Kwargs, rest: Args, node: cst.CSTNode
) -> Value:
    first, second = given.get("true_fun"), given.get("false_fun")
    operands = list(rest)
    if "operand" in given:
        operands = [given["operand"]]
    branches: list[tuple[Value | None, list[Value | None]]]
    if len(rest) == 2 and _callable(second) and not _callable(first) and _callable(rest[1]):
        # cond(pred, true_operand, true_fun, false_operand, false_fun)
        branches = [(second, [first]), (rest[1], [rest[0]])]
    else:
        branches = [(first, list(operands)), (second, list(operands))]
    results: list[Value] = []
    for func, values in branches:
        if func is None:
            return UNKNOWN
        with it.branch():
            results.append(staged(it, frame, dotted, func, [UNKNOWN if v is None else v for v in values], node))
    return tracing.returned(it, join_all(results), _link(frame, node, dotted))


def _switch(
    it: Interp, frame: Frame, dotted: str, spec: TransformSpec, given: Kwargs, rest: Args, node: cst.CSTNode
) -> Value:
    operands = [given["operand"]] if "operand" in given else rest
    results: list[Value] = []
    for func in children(given.get("branches", UNKNOWN)):
        with it.branch():
            results.append(staged(it, frame, dotted, func, list(operands), node))
    return tracing.returned(it, join_all(results), _link(frame, node, dotted)) if results else UNKNOWN


def _lax_map(
    it: Interp, frame: Frame, dotted: str, spec: TransformSpec, given: Kwargs, rest: Args, node: cst.CSTNode
) -> Value:
    out = staged(it, frame, dotted, given.get("f", UNKNOWN), [given.get("xs", UNKNOWN)], node)
    return tracing.returned(it, out, _link(frame, node, dotted))


def _run(
    it: Interp, frame: Frame, dotted: str, spec: TransformSpec, given: Kwargs, rest: Args, node: cst.CSTNode
) -> Value:
    func = given.get("fun", UNKNOWN)
    others = {k: v for k, v in given.items() if k != "fun"}
    only_arrays = dotted.startswith("equinox.")
    staged(it, frame, dotted, func, rest, node, tracing.positional_names(func), others, only_arrays)
    return UNKNOWN


def _differentiated(it: Interp, frame: Frame, dotted: str, func: Value, primals: Args, node: cst.CSTNode) -> Value:
    link = _link(frame, node, dotted)
    trace = Trace(DIFF, dotted, it.trace, link)
    names = tracing.positional_names(func)
    arguments = [
        tracing.traced(it, frame, v, WRAPPED, link, names[i] if i < len(names) else "", node, trace)
        for i, v in enumerate(primals)
    ]
    with it.under(trace):
        out = calls.call(it, frame, func, arguments, {}, node)
    return tracing.returned(it, out, link)


def _vjp(
    it: Interp, frame: Frame, dotted: str, spec: TransformSpec, given: Kwargs, rest: Args, node: cst.CSTNode
) -> Value:
    out = _differentiated(it, frame, dotted, given.get("fun", UNKNOWN), rest, node)
    if "has_aux" in given:
        return UNKNOWN
    return Tup((out, UNKNOWN))


def _jvp(
    it: Interp, frame: Frame, dotted: str, spec: TransformSpec, given: Kwargs, rest: Args, node: cst.CSTNode
) -> Value:
    primals = given.get("primals", UNKNOWN)
    values: list[Value] = list(children(primals)) if isinstance(primals, (Tup, Seq)) else [UNKNOWN]
    out = _differentiated(it, frame, dotted, given.get("fun", UNKNOWN), values, node)
    return UNKNOWN if "has_aux" in given else Tup((out, out))


def _opaque(
    it: Interp, frame: Frame, dotted: str, spec: TransformSpec, given: Kwargs, rest: Args, node: cst.CSTNode
) -> Value:
    func = next((given[f] for f in spec.functions if f in given), None)
    if func is None and given:
        func = next((v for v in given.values() if _callable(v)), None)
    if isinstance(func, Ext) and dotted in tables.words("windows"):
        _check_window(it, frame, dotted, func, given, node)
    if func is None or isinstance(func, (Unknown, Ext)):
        return UNKNOWN
    _hand_over(it, frame, dotted, spec, func, node)
    return UNKNOWN


def _check_window(it: Interp, frame: Frame, dotted: str, func: Ext, given: Kwargs, node: cst.CSTNode) -> None:
    """The gradient of a windowed reduction needs to know the value that it starts from."""
    init, operand = given.get("init_value"), given.get("operand")
    if tables.canonical(func.dotted) not in tables.words("window_computations"):
        return
    differs = it.trace is not None and (it.trace.differentiates or it.trace.name == "assumed")
    if differs and isinstance(init, JaxArray) and init.forced and isinstance(operand, JaxArray):
        what = f"`init_value` of `{_short(dotted)}`, to differentiate it"
        it.demand(frame, init, "static", node, what, "ValueError")


def _hand_over(it: Interp, frame: Frame, dotted: str, spec: TransformSpec, func: Value, node: cst.CSTNode) -> None:
    """A library calls `func` with staged values."""
    link = _link(frame, node, dotted)
    kinds = spec.arguments or ("traced",) * len(tracing.required_names(func))
    arguments: Args = []
    for kind in kinds:
        array = JaxArray(ABSTRACT, ARGUMENT, link, tree=True, maybe=kind == "maybe")
        arguments.append(array)
    staged(it, frame, dotted, func, arguments, node)


def _host(
    it: Interp, frame: Frame, dotted: str, spec: TransformSpec, given: Kwargs, rest: Args, node: cst.CSTNode
) -> Value:
    return UNKNOWN


def _plaincall(
    it: Interp, frame: Frame, dotted: str, spec: TransformSpec, given: Kwargs, rest: Args, node: cst.CSTNode
) -> Value:
    func, elems = given.get("fn", UNKNOWN), given.get("elems", UNKNOWN)
    calls.call(it, frame, func, [elems, elems], {}, node)
    return elems


def _kernel(
    it: Interp, frame: Frame, dotted: str, spec: TransformSpec, given: Kwargs, rest: Args, node: cst.CSTNode
) -> Value:
    """Run the body of a kernel on references. What isn't known to be passed may be anything."""
    func = given.get(spec.functions[0], UNKNOWN)
    names, required = tracing.positional_names(func), tracing.required_names(func)
    link = _link(frame, node, dotted)
    arguments: Args = [Ref(link) if n in required else UNKNOWN for n in names]
    others: Kwargs = {"*": Ref(link)} if len(names) == len(required) else {}
    with it.under(Trace(STAGE, dotted, it.trace, link)):
        calls.call(it, frame, func, arguments, others, node)
    return UNKNOWN


def _in_body(
    it: Interp, frame: Frame, dotted: str, spec: TransformSpec, given: Kwargs, rest: Args, node: cst.CSTNode
) -> Value:
    """`pl.when(condition)`, `pl.loop(lower, upper)` in a kernel: decorators that run what they decorate at once."""
    number = JaxArray(ABSTRACT, ARGUMENT, _link(frame, node, dotted), "int32")
    condition = given.get("condition", number)
    leading: Args = [number] if "condition" not in spec.params else []

    def run(f: Frame, a: Args, k: Kwargs, n: cst.CSTNode) -> Value:
        if a and isinstance(condition, JaxArray) and condition.traced and held.in_kernel(it.trace):
            others = len(tracing.required_names(a[0])) - len(leading)
            staged(it, f, dotted, a[0], [*leading, *[UNKNOWN] * others], n)
        return UNKNOWN

    return Native(dotted, run)


def _nothing(
    it: Interp, frame: Frame, dotted: str, spec: TransformSpec, given: Kwargs, rest: Args, node: cst.CSTNode
) -> Value:
    return UNKNOWN


Runner = Callable[[Interp, Frame, str, TransformSpec, Kwargs, Args, cst.CSTNode], Value]
_RUNNERS: dict[str, Runner] = {
    "scan": _scan,
    "while": _while,
    "fori": _fori,
    "cond": _cond,
    "switch": _switch,
    "map": _lax_map,
    "run": _run,
    "vjp": _vjp,
    "jvp": _jvp,
    "opaque": _opaque,
    "model": _opaque,
    "sampler": sampling.run_models,
    "host": _host,
    "plaincall": _plaincall,
    "kernel": _kernel,
    "body": _in_body,
    "keep": _nothing,
}
