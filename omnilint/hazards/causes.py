"""What makes several needs one finding: the same traced number, which one change would make concrete.

A number that an array's layout depends on (a shape, a slice bound, a loop count) must be known while tracing. Where
it is computed by Python's operators from the same arguments of the same traced function, or is the same result, the
first need is told and the others are attached to it. Conditions and conversions of what is computed from an argument
have repairs of their own (`lax.cond`, keeping an array), so they are attached only where it has to be static anyway.
"""

from __future__ import annotations

from omnilint.analysis.code import Code
from omnilint.analysis.definitions import Bound, Func, Partial, Transformed
from omnilint.analysis.events import Event
from omnilint.analysis.traces import Link, Trace
from omnilint.analysis.values import Value
from omnilint.model import Place

Cause = tuple[object, ...]

# Needs that nothing but a number known while tracing can meet, and those that such a number would meet as well.
FIRM = frozenset({"range", "shape", "slice", "static"})
MET_TOGETHER = FIRM | {"bool", "float", "hash", "index", "int"}


def of(e: Event) -> Cause | None:
    """The traced number that is needed: an argument, several, or what was made of other values; None if not known."""
    assert e.value is not None
    origin = _origin(e)
    sources = (e.value.param,) if e.value.param is not None else e.value.source
    if origin is None or not sources:
        return None
    names = sorted(s for s in sources if isinstance(s, str))
    if len(names) == len(sources):
        return ("param", *names, *origin)
    places = [(made[0].place(made[1]), *made[2:]) for made in sources if not isinstance(made, str)]
    return ("made", *names, *sorted(places), *origin)


def arguments(e: Event) -> tuple[str, ...]:
    """The arguments that the needed number is computed from, if from nothing else."""
    if e.value is None:
        return ()
    if e.value.param is not None:
        return (e.value.param,)
    return e.value.source if all(isinstance(s, str) for s in e.value.source) else ()


def _origin(e: Event) -> Cause | None:
    """Where the argument became traced, in which function, and through which functions that were handed in."""
    assert e.value is not None
    handed: list[Place] = []
    for link in e.value.link.chain() if e.value.link is not None else ():
        if link.callee is not None:
            unit, node = link.callee
            handed.append(unit.place(node))
        if link.kind in ("transform", "assumed"):
            return (link.place, _traced_at(e.trace, link), *handed)
    return None


def _traced_at(trace: Trace | None, link: Link) -> Place | None:
    """The function that is traced: a project's own decorator applies one transform to many."""
    while trace is not None and trace.link is not link:
        trace = trace.parent
    made = trace.owner if trace is not None else None
    code = _code(made.func) if isinstance(made, Transformed) else None
    return code.unit.place(code.node) if code is not None else None


def _code(func: Value) -> Code | None:
    while isinstance(func, (Bound, Partial, Transformed)):
        func = func.func
    return func.code if isinstance(func, Func) else None
