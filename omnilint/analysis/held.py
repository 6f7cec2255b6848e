"""Objects of which nothing is known but that they were there before the trace, and what is stored in them."""

from __future__ import annotations

from collections.abc import Iterator

from omnilint.analysis import effects, tables
from omnilint.analysis import nodes as cst
from omnilint.analysis.definitions import Func
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import arrays_in, children
from omnilint.analysis.stored import EMPTYING, TAKING, Slot
from omnilint.analysis.traces import Link, Trace
from omnilint.analysis.values import CONCRETE, UNKNOWN, Held, JaxArray, Mapping, Opaque, Seq, Tup, Unknown, Value

# Methods that store their arguments in the object, whatever it is.
_STORING = frozenset(["append", "appendleft", "add", "insert", "extend", "update", "setdefault"])


def held(it: Interp, value: Value, trace: Trace | None, label: str) -> Value:
    """An unknown value that a scope or an object holds, made under `trace`; anything else is given back."""
    if it.trace is None or not isinstance(value, Unknown) or isinstance(value, (Held, Opaque)):
        return value
    return Held(trace, label) if it.is_outer(trace) and not in_kernel(trace) else value


def in_kernel(trace: Trace | None) -> bool:
    """Was something made in the body of a kernel? What bodies within write to are references then."""
    while trace is not None:
        spec = tables.transforms().get(trace.name)
        if spec is not None and spec.kind == "kernel":
            return True
        trace = trace.parent
    return False


def part_of(value: Unknown) -> Value:
    """An attribute or item of something unknown."""
    if isinstance(value, Held):
        return value
    return Opaque(value.link, True) if isinstance(value, Opaque) else UNKNOWN


def store(it: Interp, frame: Frame, base: Unknown, kind: str, value: Value, label: str, node: cst.CSTNode) -> None:
    """Note that `value` is stored in an object that may have been there before the trace."""
    if isinstance(base, Held) and it.is_outer(base.trace):
        slot = (base.label, label or base.label)
        if kind == "attribute" and effects.leaks(value) is None:
            it.stored.undo(it, slot)
        note(it, frame, kind, value, label or base.label, node, slot)


def store_by_method(it: Interp, frame: Frame, base: Value, node: cst.Call, given: list[Value]) -> None:
    """Note what `names.append(x)` and the like store in an unknown object, when nobody uses what they give back."""
    if not isinstance(base, Held) or type(node.func) is not cst.Attribute:
        return
    alone = type(frame.statement) is cst.Expr and frame.statement.value is node
    word = node.func.attr.value
    if alone and word in _STORING:
        for value in given:
            store(it, frame, base, "container", value, base.label, node)
    elif word in TAKING or word in EMPTYING:
        it.stored.undo(it, (base.label, base.label), last=word in TAKING)


def note(it: Interp, frame: Frame, kind: str, value: Value, label: str, node: cst.CSTNode, slot: Slot) -> None:
    """A leak, when `value` certainly holds a tracer, or comes from an unknown function that got one."""
    tracer = effects.leaks(value)
    if tracer is not None:
        it.event(frame, kind, node, value=tracer, what=label, slot=slot, certain=False, role="leak")
        return
    opaque = next(_opaque_in(value), None)
    if opaque is None or it.trace is None:
        return
    if it.trace.name == "assumed":
        seen = effects.declared(frame, kind, label)
        it.event(frame, kind, node, link=opaque.link, what=label, slot=slot, certain=False, role="leak", **seen)
    elif not opaque.part:
        entry = (opaque, it.trace, frame, kind, node, label, frame.statement)
        it.pending.append(entry)
        it.stored.note(it, slot, lambda: it.pending.remove(entry) if entry in it.pending else None)


def _opaque_in(value: Value, depth: int = 2) -> Iterator[Opaque]:
    if isinstance(value, Opaque):
        yield value
    elif depth:
        for v in effects.captured(value) if isinstance(value, Func) else children(value):
            yield from _opaque_in(v, depth - 1)


def returned_from_trace(it: Interp, value: Value, trace: Trace) -> None:
    """What a traced function returns is arrays: then so is what was stored of it."""
    if not it.pending:
        return
    given = [value, *children(value)]
    for opaque, inside, frame, kind, node, label, statement in it.pending:
        if inside is trace and any(v is opaque for v in given):
            frame.statement = statement
            it.event(frame, kind, node, link=opaque.link, what=label, certain=False, role="leak")
    it.pending = [p for p in it.pending if p[1] is not trace]


def unknown_result(it: Interp, frame: Frame, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode) -> Value:
    """What an unknown function gives for its arguments."""
    if not it.staging:
        return UNKNOWN
    tracer = next((a for v in (*args, *kwargs.values()) for a in _arrays(v) if a.profile != CONCRETE), None)
    if tracer is None:
        return UNKNOWN
    return Opaque(Link(frame.unit, node, "computed from traced values here", tracer.link, "call"), False)


def _arrays(value: Value) -> list[JaxArray]:
    return list(arrays_in(value, 2)) if isinstance(value, (JaxArray, Tup, Seq, Mapping)) else []
