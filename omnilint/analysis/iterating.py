"""Builtins that make and consume iterables."""

from __future__ import annotations

from collections.abc import Callable

from omnilint.analysis import calls
from omnilint.analysis import nodes as cst
from omnilint.analysis.definitions import Instance
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import join
from omnilint.analysis.traces import Link
from omnilint.analysis.values import CONCRETE, UNKNOWN, Const, JaxArray, Mapping, Seq, Static, Tup, Value

Args = list[Value]
Kwargs = dict[str, Value]


def iterable(kind: str) -> Callable[..., Value]:
    """`list(…)`, `tuple(…)`, `set(…)`, `frozenset(…)`."""

    def call(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
        from omnilint.analysis.expressions import iterate

        if not args:
            return Tup(()) if kind == "tuple" else Seq(kind, [], None, it.trace)
        if isinstance(args[0], Static) and args[0].kind == "shape" and kind == "tuple":
            return args[0]
        if isinstance(args[0], Const) and isinstance(args[0].value, range) and len(args[0].value) <= 32:
            numbers = [Const(i) for i in args[0].value]
            return Tup(numbers) if kind == "tuple" else Seq(kind, list[Value](numbers), None, it.trace)
        items, elem = iterate(it, frame, args[0], node)
        if kind in ("set", "frozenset"):
            it.demand(frame, elem, "hash", node, f"`{kind}()`", "TypeError")
        if items is not None:
            return Tup(items) if kind == "tuple" else Seq(kind, items, None, it.trace)
        return Seq(kind, None, elem, it.trace)

    return call


def enumerated(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """`enumerate(…)`."""
    from omnilint.analysis.expressions import iterate

    items, elem = iterate(it, frame, args[0] if args else UNKNOWN, node)
    if items is not None and len(args) == 1 and not kwargs:
        return Seq("iterator", [Tup((Const(i), v)) for i, v in enumerate(items)], None, it.trace)
    return Seq("iterator", None, Tup((Static("int"), elem)), it.trace)


_FEW = 8


def zipped(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """`zip(…)`."""
    from omnilint.analysis.expressions import iterate

    parts = [iterate(it, frame, v, node) for v in args]
    if parts and all(p[0] is not None for p in parts) and "*" not in kwargs:
        rows = zip(*(p[0] or [] for p in parts), strict=False)
        return Seq("iterator", [Tup(r) for r in rows], None, it.trace)
    if "*" in kwargs:
        return Seq("iterator", None, UNKNOWN, it.trace)
    known = [len(p[0]) for p in parts if p[0] is not None]
    if known and min(known) <= _FEW:  # the others are as long, or nobody would zip them
        rows = zip(*(p[0] if p[0] is not None else [p[1]] * min(known) for p in parts), strict=False)
        return Seq("iterator", [Tup(r) for r in rows], None, it.trace)
    return Seq("iterator", None, Tup(p[1] for p in parts), it.trace)


def mapped(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """`map(…)`."""
    from omnilint.analysis.expressions import iterate

    if len(args) < 2:
        return UNKNOWN
    parts = [iterate(it, frame, v, node) for v in args[1:]]
    if all(p[0] is not None for p in parts):
        rows = list(zip(*(p[0] or [] for p in parts), strict=False))
        if len(rows) <= 8:
            return Seq("iterator", [calls.call(it, frame, args[0], list(r), {}, node) for r in rows], None, it.trace)
    return Seq("iterator", None, calls.call(it, frame, args[0], [p[1] for p in parts], {}, node), it.trace)


def filtered(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """`filter(…)`."""
    from omnilint.analysis.expressions import iterate

    if len(args) < 2:
        return UNKNOWN
    _, elem = iterate(it, frame, args[1], node)
    kept = elem if isinstance(args[0], Const) else calls.call(it, frame, args[0], [elem], {}, node)
    it.demand(frame, kept, "bool", node, "`filter()`", "TracerBoolConversionError")
    return Seq("iterator", None, elem, it.trace)


def backwards(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """`reversed(…)`."""
    from omnilint.analysis.expressions import iterate

    items, elem = iterate(it, frame, args[0] if args else UNKNOWN, node)
    return Seq("iterator", items[::-1] if items is not None else None, elem, it.trace)


def following(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """`next(…)`."""
    from omnilint.analysis.expressions import iterate
    from omnilint.analysis.objects import get_attribute

    v = args[0] if args else UNKNOWN
    if isinstance(v, Instance):
        return calls.call(it, frame, get_attribute(it, frame, v, "__next__", node), [], {}, node)
    if isinstance(v, Seq):
        if v.kind == "iterator" and it.is_outer(v.trace):
            link = Link(frame.unit, node, "next()", it.trace.link if it.trace else None, "iterator")
            return _drawn_once(it, iterate(it, frame, v, node)[1], link)
        out = iterate(it, frame, v, node)[1]
        return join(out, args[1]) if len(args) > 1 else out
    return UNKNOWN


def _drawn_once(it: Interp, value: Value, link: Link) -> Value:
    """What a trace takes from an outer iterator: the same on each later call."""
    if isinstance(value, Tup):
        return Tup(_drawn_once(it, v, link) for v in value.items)
    if isinstance(value, (Const, Static)) and it.staging:
        kind = value.kind if isinstance(value, Static) else type(value.value).__name__
        return Static(kind, taint=link)
    if isinstance(value, JaxArray) and value.profile == CONCRETE:
        it.tainted(link, "abstract")
    return value


def iterator(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """`iter(…)`."""
    from omnilint.analysis.expressions import iterate

    items, elem = iterate(it, frame, args[0] if args else UNKNOWN, node)
    return Seq("iterator", items, elem if items is None else None, it.trace)


def dictionary(it: Interp, frame: Frame, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """`dict(…)`."""
    from omnilint.analysis.expressions import iterate
    from omnilint.analysis.operators import merge

    out = Mapping({}, None, it.trace)
    if args:
        if isinstance(args[0], Mapping):
            merge(out, args[0])
        else:
            items, elem = iterate(it, frame, args[0], node)
            for pair in items if items is not None else [elem]:
                if isinstance(pair, Tup) and len(pair.items) == 2:
                    k, v = pair.items
                    if isinstance(k, Const) and items is not None:
                        out.items[k.value] = v
                    else:
                        out.elem = v if out.elem is None else join(out.elem, v)
                elif isinstance(args[0], JaxArray):
                    out.elem = args[0].but(param=None)
                else:
                    out.elem = UNKNOWN
    for name, value in kwargs.items():
        if name in ("*", "**"):
            out.elem = UNKNOWN
        else:
            out.items[name] = value
    return out
