"""Call a function that nobody calls: find it, try arguments until one set works."""

from __future__ import annotations

import contextlib
import copy
import functools
import inspect
from typing import Any

from . import compat, errors, inputs, modes, owner, traced_self
from .attempts import Attempts
from .owner import NoInputs
from .product import pick, unwrapped

_INSIDE = "__wrapped__"


def is_transformed(value: Any) -> bool:
    """Whether this callable is a jitted one already."""
    return hasattr(value, "lower") and hasattr(value, "__wrapped__")


def without_jit(fun: Any) -> Any:
    """The Python function inside a jitted one, so that its own operations are seen, not one call of it."""
    if inspect.ismethod(fun) and is_transformed(fun.__func__):
        return functools.partial(getattr(fun.__func__, _INSIDE), fun.__self__)
    return getattr(fun, _INSIDE) if is_transformed(fun) else fun


class Call:
    """One set of arguments, ready to be traced, or called eagerly; traced ones are made when they are first needed."""

    def __init__(self, fun: Any, arguments: Any, entry: Any, namespace: Any, traced_self: Any = None) -> None:
        self.fun = fun
        self.self = traced_self  # traced with the arguments, as the first of them
        self.namespace = namespace
        static, wanted = entry.get("static", ()), entry.get("traced", ())
        numbers_static = bool(entry.get("numbers_static"))
        self.specs: dict[str, Any] = {}
        self.fixed: dict[str, Any] = {}
        for name, spec in arguments.items():
            if name not in static and inputs.is_traced(spec, numbers_static and name not in wanted):
                self.specs[name] = spec
            else:
                self.fixed[name] = inputs.build(spec, namespace)
        self._traced: Any = None

    @property
    def traced(self) -> Any:
        """The traced arguments by name, concrete."""
        if self._traced is None:
            self._traced = {name: inputs.build(spec, self.namespace) for name, spec in self.specs.items()}
        return self._traced

    def function(self) -> Any:
        """The call as a function of what is traced, in order; to JAX it has the user's name, place and parameters."""
        names = list(self.specs)

        def call(*values: Any) -> Any:
            fun, given = self.fun, values
            if self.self is not None:
                fun, given = self.self.method(values[0]), values[1:]
            return _apply(fun, {**self.fixed, **{name: given[i] for i, name in enumerate(names)}})

        with contextlib.suppress(AttributeError, TypeError):
            functools.update_wrapper(call, self.fun, updated=())
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        told = names if self.self is None else ["self", *names]
        call.__signature__ = inspect.Signature([inspect.Parameter(n, kind) for n in told])  # type: ignore[attr-defined]
        return call

    def values(self) -> Any:
        """The traced arguments, concrete, in the order in which `function` takes them."""
        return [*([] if self.self is None else [self.self.arrays()]), *self.traced.values()]

    def abstract(self) -> Any:
        """The traced arguments by their shapes and dtypes, in that order."""
        first = [] if self.self is None else [self.self.shapes]
        if self._traced is not None:
            return [*first, *(inputs.abstract(v) for v in self._traced.values())]
        return [*first, *(inputs.outline(spec, self.namespace) for spec in self.specs.values())]

    def plainly(self) -> Any:
        """The call as it stands, with concrete arguments."""
        fun = self.fun if self.self is None else self.self.method(self.self.arrays())
        return _apply(fun, {**self.fixed, **self.traced})


def _apply(fun: Any, arguments: Any) -> Any:
    """Call with as many positional arguments as the signature wants: static_argnums count positions."""
    try:
        known = list(inspect.signature(fun).parameters.values())
    except (TypeError, ValueError):
        return fun(*arguments.values())
    rest = dict(arguments)
    positional = []
    for p in known:
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.name in rest:
            positional.append(rest.pop(p.name))
        else:
            break
    return fun(*positional, **rest)


# The modes of a first run, which the others then follow in what it chose.
_SEARCHING = ({"outer": True}, {"prove": True, "eager": True})
_MOST_OWNERS = 4

# How a call is made: with the instance traced, within a transform of haiku's; else as it stands.
TRACED, HAIKU = "traced self", "haiku"


def call(module: Any, entry: Any, run: Any) -> Any:
    """Run the entry as `run` wants it; the arguments that worked are told as "chosen", "adapted" and "owner"."""
    namespace = vars(module)
    searching = run.mode in _SEARCHING and not entry.get("pinned")
    search = _Search(run, namespace, searching)
    for _ in range(_MOST_OWNERS if searching else 1):
        entry = dict(entry)
        for fun, told, itself in _ways(module, entry, namespace, search):
            if search.of(fun, told, itself):
                return search.result
        if "owner" not in entry:
            break
        entry["owner"] += 1
    return search.give_up()


def _ways(module: Any, entry: Any, namespace: Any, search: Any) -> Any:
    """(a function, the entry that says how it is called, the instance to be traced) until one works."""
    how = entry.get("how")
    itself = None
    if how in (None, TRACED) and entry.get("jit"):
        itself = traced_self.of(module, entry, namespace)
    if itself is not None:
        yield owner.plain(module, entry), dict(entry, how=TRACED), itself
    if how != HAIKU and (itself is None or how != TRACED):
        try:
            yield owner.find(module, entry, namespace), entry, None
        except NoInputs as e:
            search.problem = search.problem or e
    if how == HAIKU or owner.wants_haiku(search.problem):
        yield owner.in_haiku(module, entry, namespace), dict(entry, how=HAIKU), None


class _Search:
    """Arguments tried on one function after the other, and what became of them."""

    def __init__(self, run: Any, namespace: Any, searching: bool) -> None:
        self.run, self.namespace, self.searching = run, namespace, searching
        self.problem: Any = None
        self.unverified: Any = None
        self.result: Any = None

    def of(self, fun: Any, entry: Any, itself: Any = None) -> bool:
        """Whether some arguments are accepted; then the result of the first of them is there."""
        run = self.run
        own = [n for n, origin in enumerate(entry.get("origins", ())) if origin != "search"]
        attempts = Attempts(entry["assignments"], own, self.searching)
        for number, arguments, changed in attempts:
            try:
                made = Call(fun, arguments, entry, self.namespace, itself)
            except Exception as e:
                self.problem = self.problem or e
                continue
            chosen = {"chosen": number, "adapted": arguments if changed else None}
            chosen.update(owner=entry.get("owner", 0), how=entry.get("how", "as it stands"))
            run.told.update(chosen)
            run.product = None
            run.watcher.reset()
            try:
                self.result = _with_keys(made, fun, entry, run, self.namespace)
                return True
            except MemoryError:
                raise  # other arguments would not mend that, and each attempt is dear
            except Exception as e:
                self.problem = self.problem or e
                if _telling(e, run):
                    if _proves(e, made) or (
                        _accepted(made, run.watcher) if run.product is None else run.product == "works"
                    ):
                        raise
                    self.unverified = self.unverified or (chosen, e)
                attempts.failed(number, arguments, e)
        return False

    def give_up(self) -> Any:
        """Raise what tells most."""
        if self.unverified is not None:
            self.run.told.update(self.unverified[0], unverified=True)
            raise self.unverified[1]
        self.run.told.update(chosen=None, adapted=None)
        if isinstance(self.problem, NoInputs):
            raise self.problem
        why = f"{type(self.problem).__name__}: {str(self.problem)[:300]}"
        raise NoInputs("no arguments were found that the function accepts; the first try gave " + why)


_PROOFS = frozenset(
    (
        "TracerArrayConversionError",
        "TracerBoolConversionError",
        "TracerIntegerConversionError",
        "ConcretizationTypeError",
        "NonConcreteBooleanIndexError",
    )
)


def _proves(error: BaseException, made: Call) -> bool:
    """Whether wrong arguments cannot have caused this: JAX's own error about a tracer, and only arrays traced."""
    known = any(c.__name__ in _PROOFS for c in type(error).__mro__)
    return known and all(hasattr(v, "shape") for v in compat.jax().tree_util.tree_leaves(made.abstract()))


def _with_keys(made: Call, fun: Any, entry: Any, run: Any, namespace: Any) -> Any:
    """Run; a string key that is missed in an invented mapping is added and the run repeated, a few times."""
    for _ in range(6):
        try:
            return _run(made, fun, entry, run, namespace)
        except KeyError as e:
            key = e.args[0] if e.args else None
            trees = [v for v in made.traced.values() if isinstance(v, dict) and v and key not in v]
            if not isinstance(key, str) or not trees:
                raise
            for tree in trees:
                tree[key] = next(iter(tree.values()))
            run.watcher.reset()
    raise KeyError("too many keys missing")


def _run(made: Call, fun: Any, entry: Any, run: Any, namespace: Any) -> Any:
    jax = compat.jax()
    inner = entry.get("inner")
    if inner:  # a factory: what it returns is the function in question
        made_by_it = fun if entry.get("held") else made.plainly()
        if inspect.isgenerator(made_by_it):
            run.generator, made_by_it = made_by_it, next(made_by_it)  # kept, so that it isn't closed meanwhile
        product = _picked(made_by_it, inner)
        if product is not None:
            code = getattr(unwrapped(product), "__code__", None)
            known = inner.get("given") or inner["by_line"].get(str(getattr(code, "co_firstlineno", 0)), [{}])
            return _product(product, dict(entry, assignments=known, inner=None), run, namespace)
        if not entry.get("jit"):
            return made_by_it
    if entry.get("jit") and not is_transformed(fun):
        jitted = jax.jit(made.function())
        run.reporter.stage("call")
        if not run.mode.get("record") and not run.mode.get("eager"):
            jax.eval_shape(jitted, *made.abstract())
        if run.mode == {"fold": True}:
            return None
        out = jitted(*made.values())
        if run.mode.get("record"):
            out = jitted(*made.values())
        return out
    if run.mode in ({"fold": True}, {"outer": True}) and is_transformed(fun):
        # Abstractly first: most hazards show, and nothing is compiled for them.
        jax.eval_shape(made.function(), *made.abstract())
        if run.mode == {"fold": True}:  # whether it traces is all that is asked
            return None
    return made.plainly()


def _picked(value: Any, inner: Any) -> Any:
    return pick(value, inner["file"], range(inner["first"], inner["last"] + 1))


def _product(product: Any, entry: Any, run: Any, namespace: Any) -> Any:
    problem: Any = None
    run.product = "unverified"
    attempts = Attempts(entry["assignments"], further=run.mode in _SEARCHING)
    for number, arguments, _ in attempts:
        try:
            run.told["inner"] = arguments
            made = Call(product, arguments, dict(entry, static=(), traced=()), namespace)
            return _run(made, product, entry, run, namespace)
        except Exception as e:
            if _telling(e, run) and _works_eagerly(made):
                run.product = "works"
                raise
            if problem is None or (_telling(e, run) and not _telling(problem, run)):
                problem = e
            attempts.failed(number, arguments, e)
    raise problem


def _telling(error: BaseException, run: Any) -> bool:
    """Whether this error may be about tracing rather than about wrong arguments: it stands where somebody looks."""
    described = errors.describe(error, run.home)
    spots = {(w.file, n) for w in run.watcher.watches for n in range(w.first, w.last + 1)}
    spots.update((f, n) for f, a, b in run.request.get("related", ()) for n in range(a, b + 1))
    for link in [described] + described["chain"]:
        if link["frames"] and (link["frames"][-1][0], link["frames"][-1][1]) in spots:
            return True
        names = set(link["mro"])
        if names & {"ConcretizationTypeError", "UnexpectedTracerError", "NonConcreteBooleanIndexError"}:
            return True
        if names & {"TracerArrayConversionError", "TracerIntegerConversionError", "TracerBoolConversionError"}:
            return True
    return False


def _accepted(made: Call, watcher: Any) -> bool:
    """Whether the function takes these arguments where nothing stays traced that it wants as a Python value."""
    with watcher.paused():
        return _works_folded(made) or _works_eagerly(made)


def _works_folded(made: Call) -> bool:
    """Whether it traces with what doesn't depend on its arguments computed while tracing; compiles next to nothing."""
    jax = compat.jax()
    inside = copy.copy(made)
    inside.fun = without_jit(made.fun)
    try:
        jax.eval_shape(modes.folded(jax, inside.function()), *made.abstract())
    except Exception:
        return False
    return True


def _works_eagerly(made: Call) -> bool:
    try:
        with compat.jax().disable_jit():
            made.plainly()
    except Exception:
        return False
    return True
