"""Writes to state that outlives a trace, and what they do to it."""

from __future__ import annotations

from typing import Any

from omnilint.analysis import held, tables
from omnilint.analysis import nodes as cst
from omnilint.analysis.code import Scope
from omnilint.analysis.definitions import Func, Instance
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import children
from omnilint.analysis.traces import Link
from omnilint.analysis.values import NONE, Const, Either, JaxArray, Mapping, Mutable, Opaque, Seq, Static, Tup, Value


def managed(base: Instance, frame: Frame) -> bool:
    """Does a library look after attribute writes to this object?"""
    from omnilint.analysis.objects import external_bases

    return any(b.startswith(tuple(tables.words("managed_roots"))) for b in external_bases(base.cls))


def leaks(value: Value, depth: int = 3) -> JaxArray | None:
    """A tracer of which it is certain that it would be stored along with `value`."""
    if isinstance(value, JaxArray):
        return value if value.traced else None
    if depth <= 0:
        return None
    if isinstance(value, Either):
        found = [leaks(v, depth - 1) for v in value.options if not isinstance(v, Const)]
        return found[0] if found and all(found) else None
    if isinstance(value, Instance):
        # An object that carries tracers in its fields.
        fields = value.attrs.values() if value.cls.record or value.cls.tree else ()
        return next((f for v in fields if (f := leaks(v, depth - 1))), None)
    inner = captured(value) if isinstance(value, Func) else children(value)
    return next((f for v in inner if (f := leaks(v, depth - 1))), None)


def captured(func: Func) -> list[Value]:
    """What a function that was defined while tracing has captured there."""
    held = func.attrs.get("__func__")
    func = held if isinstance(held, Func) else func
    scope, out = func.scope, []
    names = func.code.facts.names if scope is not None and scope.trace is not None else ()
    while scope is not None and scope.trace is not None:
        out += [scope.vars[n] for n in names if n in scope.vars]
        scope = scope.parent
    return out


def write(
    it: Interp,
    frame: Frame,
    kind: str,
    holder: Mutable | Scope | Func,
    name: Any,
    old: Value | None,
    new: Value,
    node: cst.CSTNode,
    rmw: bool,
    label: str,
) -> Value:
    """Note a write to `holder`: a leak when it outlives the trace, staleness when a trace has read it.

    Gives the value to store: a counter that is advanced while tracing is marked, and becomes a
    finding when traced code uses it.
    """
    it.ledger.save(holder)
    key = (id(holder), name)
    it.oldest_write = min(it.oldest_write, holder.serial if isinstance(holder, Mutable) else 0)
    if it.is_outer(holder.trace):
        tracer = leaks(new)
        if tracer is not None:
            seen = declared(frame, kind, label)
            it.event(frame, kind, node, value=tracer, what=label, slot=key, certain=True, role="leak", **seen)
            it.keep.append(holder)
            return new
        if name is not None:
            it.stored.undo(it, key)
        if kind in ("closure", "container") and isinstance(new, (Opaque, Func, Tup)):
            held.note(it, frame, kind, new, label, node, key)
        elif rmw and isinstance(new, (Static, Const)) and it.staging and new.key() != NONE.key():
            word = new.kind if isinstance(new, Static) else type(new.value).__name__
            taint = Link(frame.unit, node, label, it.trace.link if it.trace else None, f"counter:{kind}")
            return Static(word, taint=taint)
    elif it.trace is None and not it.guard and not it.care and not it.restoring:
        it.epoch += key in it.frozen
        # A function that writes a place more than once sets and restores it around a call.
        writes = it.host_writes.setdefault((id(frame.code), *key), set())
        writes.add(id(node))
        if key not in it.frozen:
            return new
        if len(writes) > 1:
            for compiled in it.frozen[key]:
                compiled.stale.pop(key, None)
            return new
        for compiled in it.frozen[key]:
            if compiled.called:
                compiled.stale[key] = (frame.unit, node, frame.statement, label, new)
    return new


def declared(frame: Frame, kind: str, name: str) -> dict[str, Any]:
    """Where the name that is written was declared global or nonlocal."""
    node = frame.scope.declared.get(name) if kind in ("global", "closure") else None
    return {} if node is None else {"declared": node}


def adopt(it: Interp, holder: Mutable, value: Value, depth: int = 3) -> None:
    """What is stored in an outer object outlives the trace as well."""
    if isinstance(value, (Seq, Mapping, Instance)) and value.trace is not holder.trace:
        it.ledger.save(value)
        it.stored.adopted(value)
        value.trace = holder.trace
        if depth:
            for child in children(value):
                adopt(it, holder, child, depth - 1)
    elif isinstance(value, Tup) and depth:
        for child in value.items:
            adopt(it, holder, child, depth - 1)


def memoised(it: Interp, frame: Frame, base: Instance, name: str, value: Value, func: Func, node: cst.CSTNode) -> None:
    """A cached property, or another memo, keeps `value` beyond the trace."""
    if not it.is_outer(base.trace) or (base.open and not _keeps(it, base)):
        return
    tracer = leaks(value)
    if tracer is not None:
        unit, sure = func.code.unit, not base.open
        inner = Frame(frame.state, unit, Scope(func.scope, None), func.code.qualname.rpartition(".")[0])
        read = (frame.unit, node)
        it.event(inner, "memo", func.code.node, value=tracer, what=name, certain=sure, role="leak", read=read)


def _keeps(it: Interp, base: Instance) -> bool:
    """Does an object that nobody was seen to make outlive the trace, with nothing worked out beforehand?"""
    from omnilint.analysis.objects import find, foreign_bases

    unseen = base.passed or foreign_bases(base.cls) or find(base.cls, "__post_init__") is not None
    return not unseen and it.trace is not None and it.trace.certain


def touch(it: Interp, holder: Mutable) -> None:
    """Something is about to be taken out of `holder`: a call that does it isn't memoised."""
    it.ledger.save(holder)
    it.oldest_write = min(it.oldest_write, holder.serial)
