"""STATE: traced code that writes outer state, or freezes outer state that it reads."""

from __future__ import annotations

from dataclasses import replace

from omnilint.analysis import nodes as cst
from omnilint.analysis.events import Event
from omnilint.hazards.claim import Claim, transform_of
from omnilint.model import Place, Related

_CODES = {
    "global": "OMN201",
    "closure": "OMN202",
    "attribute": "OMN203",
    "container": "OMN204",
    "iterator": "OMN205",
    "random": "OMN206",
    "clock": "OMN207",
    "stale": "OMN208",
    "memo": "OMN209",
}
_NOUNS = {
    "global": "the global `{0}`",
    "closure": "the outer variable `{0}`",
    "attribute": "the attribute `{0}` of an object made outside",
    "container": "the outer container `{0}`",
}


def claim(e: Event) -> Claim | None:
    """The finding stands at the write, or at the read that is frozen."""
    code = _CODES.get(e.kind)
    if code is None:
        return None
    place = _memoised_place(e) if e.kind == "memo" else e.unit.place(e.node)
    link = e.link or (e.value.link if e.value is not None else None) or (e.trace.link if e.trace is not None else None)
    declared = e.data.get("declared")
    extra = [] if declared is None else [Related(e.unit.place(declared), f"`{e.what}` is declared an outer name here")]
    if "read" in e.data:
        unit, node = e.data["read"]
        extra.append(Related(unit.place(node), f"`{e.what}` is read here"))
    return Claim(
        e, code, _message(e), place, ("state", Place(place.path, place.line, 1, place.line, 1)), "", link, None, extra
    )


def _memoised_place(e: Event) -> Place:
    """A memoised function, with its decorators."""
    whole = e.unit.place(e.node)
    if type(e.node) is not cst.FunctionDef or not e.node.decorators:
        return whole
    first = e.unit.place(e.node.decorators[0].decorator)
    return replace(whole, line=first.line, column=max(1, first.column - 1))


def _message(e: Event) -> str:
    under = transform_of(e) or "a transform"
    what = e.what
    match e.kind:
        case "random":
            return (
                f"{what} runs once, while {under} traces: every later call gets the same number; "
                "use jax.random with a key that is passed in"
            )
        case "clock":
            return (
                f"{what} is read once, while {under} traces, and its value is frozen; "
                "read the clock outside and pass it in"
            )
        case "stale":
            function = e.data.get("function", "a jitted function")
            return (
                f"`{what}` is changed after `{function}` was compiled with its old value: the compiled function "
                "doesn't see the change; pass it as an argument"
            )
        case "iterator":
            return (
                f"next() advances an outer iterator once, while {under} traces; draw the value outside and pass it in"
            )
        case "memo":
            return (
                f"`{what}` memoises a value made while {under} traces: the tracer outlives its trace "
                "(UnexpectedTracerError later); compute it outside, or with numpy"
            )
    noun = _NOUNS[e.kind].format(what) if what else "an outer object"
    if e.data.get("role") == "counter":
        return (
            f"{noun} is updated once, while {under} traces, not on each call, and traced code uses its value; "
            "pass the state in and return the new one"
        )
    return (
        f"a tracer is stored in {noun} while {under} traces: it happens once, not on each call, and using it "
        "later raises UnexpectedTracerError; return the value instead"
    )
