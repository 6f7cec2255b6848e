"""Optimisers: gradient transformations, the schedules that they call, and the transformations that they are made of."""

from __future__ import annotations

from functools import partial

from omnilint.analysis import calls, tables
from omnilint.analysis import nodes as cst
from omnilint.analysis.definitions import Bound, Func, Instance, Native, Partial, Transformed
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import arrays_in, children
from omnilint.analysis.layers import computed, tree_of
from omnilint.analysis.records import record_class
from omnilint.analysis.traces import Link
from omnilint.analysis.values import ABSTRACT, UNKNOWN, Const, Either, JaxArray, Mapping, Seq, Static, Tup, Value

Args = list[Value]
Kwargs = dict[str, Value]


def make(word: str, it: Interp, frame: Frame, dotted: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """Call a maker of transformations or schedules."""
    if word == "joining":
        return Native("schedule", partial(_joined, it, _schedules(children(args[0]) if args else ())))
    if word == "injecting":
        return Native("factory", partial(_injected, it, args[0])) if len(args) == 1 and not kwargs else UNKNOWN
    if word == "combining":
        return _transformation(it, frame, (), _inner([*args, *kwargs.values()]), None)
    named = [kwargs[k] for k in tables.layers()["optimizers"]["schedules"] if k in kwargs]
    return _transformation(it, frame, _schedules([*args[:1], *named]) if word == "scheduled" else (), (), None)


def _schedules(values: object) -> tuple[Value, ...]:
    assert isinstance(values, (list, tuple))
    kinds = (Func, Bound, Partial, Transformed, Native, Instance, Either)
    return tuple(v for v in values if isinstance(v, kinds))


def _inner(values: Args, depth: int = 2) -> tuple[Value, ...]:
    """The transformations among these values, and in the containers among them."""
    out: Args = []
    for v in values:
        if isinstance(v, Instance) and {"init", "update"} <= v.attrs.keys():
            out.append(v)
        elif depth and isinstance(v, (Tup, Seq, Mapping)):
            out += _inner(list(children(v)), depth - 1)
    return tuple(out)


def _joined(
    it: Interp, schedules: tuple[Value, ...], frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode
) -> Value:
    for s in schedules:
        calls.call(it, frame, s, args, kwargs, node)
    return computed(it, frame, args, node, "join_schedules")


def _injected(it: Interp, factory: Value, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """What `inject_hyperparams(factory)` makes: numbers and schedules are arrays when it calls the factory again."""
    given = {k: v for k, v in kwargs.items() if k not in ("*", "**")}
    schedules = _schedules(list(given.values()))
    return _transformation(it, frame, schedules, (), partial(_again, it, factory, given) if not args else None)


def _again(it: Interp, factory: Value, given: Kwargs, count: JaxArray, frame: Frame, node: cst.CSTNode) -> None:
    def array(v: Value) -> Value:
        number = isinstance(v, Const) and type(v.value) in (int, float)
        number = number or (isinstance(v, Static) and v.kind in ("int", "float"))
        return count.but(dtype=None) if number or v in _schedules([v]) else v

    if isinstance(factory, Func):
        calls.call(it, frame, factory, [], {k: array(v) for k, v in given.items()}, node)


def _transformation(
    it: Interp, frame: Frame, schedules: tuple[Value, ...], inner: tuple[Value, ...], again: object
) -> Instance:
    """A pair of `init` and `update` that calls schedules and other transformations."""
    cls = record_class(it, frame.state, tables.layers()["optimizers"]["record"])

    def init(f: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
        return tree_of(it, f, args, node, "init")

    def update(f: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
        grads = args[0] if args else UNKNOWN
        state = args[1] if len(args) > 1 else kwargs.get("state", UNKNOWN)
        source = next((a for a in arrays_in(state) if a.traced), None)
        if it.staging:
            message = "the count of its state is handed to the schedule here"
            link = Link(f.unit, node, message, source.link if source is not None else None, "passed")
            count = JaxArray(ABSTRACT, link=link, dtype="int32", maybe=source is None)
            for s in schedules:
                calls.call(it, f, s, [count], {}, node)
            if callable(again):
                again(count, f, node)
        for t in inner:
            assert isinstance(t, Instance)
            own = t.attrs["update"]
            # What a function of the user's keeps in its state may be anything.
            rest = UNKNOWN if source is None or not isinstance(own, Native) else source.but(param=None, tree=True)
            calls.call(it, f, own, [grads, rest, *args[2:]], kwargs, node)
        updates = tree_of(it, f, [grads, state], node, "update")
        return Tup((updates, UNKNOWN if source is None else updates))

    out = Instance(cls, it.trace)
    out.attrs = {"init": Native("init", init), "update": Native("update", update)}
    return out
