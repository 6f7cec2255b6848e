"""What makes several needs one finding: the same traced number, which one change would make concrete.

A number that an array's layout depends on (a shape, a slice bound, a loop count) must be known while tracing. Where
it is computed by Python's operators from the same arguments of the same traced function, or is the same result, the
first need is told and the others are attached to it. Conditions and conversions of what is computed from an argument
have repairs of their own (`lax.cond`, keeping an array), so they are attached only where it has to be static anyway,
or is meant to be: declared `int`, `bool` or `str`, in a function under a transform that takes static arguments.
"""

from __future__ import annotations

from collections.abc import Iterator

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
TAKE_STATIC = frozenset({"jit", "pmap", "checkpoint", "remat", "filter_jit"})


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


def are_meant_static(e: Event) -> bool:
    """Is the needed number computed from arguments alone that are declared as Python's numbers, flags or words?"""
    trace = _trace(e.trace, next((link for link in _chain(e) if link.kind == "transform"), None))
    code = _code(trace.owner.func) if trace is not None and isinstance(trace.owner, Transformed) else None
    names = arguments(e)
    if not names or code is None or trace is None or trace.name.rpartition(".")[2] not in TAKE_STATIC:
        return False
    return all(_is_declared(code, name) for name in names)


def _is_declared(code: Code, name: str) -> bool:
    annotation, default = code.params.annotations.get(name), code.params.defaults.get(name)
    if annotation is not None:
        return code.unit.text(annotation).strip("'\"") in ("int", "bool", "str")
    return default is not None and code.unit.text(default) in ("True", "False")


def _chain(e: Event) -> Iterator[Link]:
    return e.value.link.chain() if e.value is not None and e.value.link is not None else iter(())


def _origin(e: Event) -> Cause | None:
    """Where the argument became traced, in which function, and through which functions that were handed in."""
    handed: list[Place] = []
    for link in _chain(e):
        if link.callee is not None:
            unit, node = link.callee
            handed.append(unit.place(node))
        if link.kind in ("transform", "assumed"):
            return (link.place, _traced_at(e.trace, link), *handed)
    return None


def _trace(trace: Trace | None, link: Link | None) -> Trace | None:
    """The trace, of this one and those around it, that a reason speaks of."""
    while trace is not None and trace.link is not link:
        trace = trace.parent
    return trace


def _traced_at(trace: Trace | None, link: Link) -> Place | None:
    """The function that is traced: a project's own decorator applies one transform to many."""
    trace = _trace(trace, link)
    made = trace.owner if trace is not None else None
    code = _code(made.func) if isinstance(made, Transformed) else None
    return code.unit.place(code.node) if code is not None else None


def _code(func: Value) -> Code | None:
    while isinstance(func, (Bound, Partial, Transformed)):
        func = func.func
    return func.code if isinstance(func, Func) else None
