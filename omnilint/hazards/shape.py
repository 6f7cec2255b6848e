"""SHAPE, and CONC of constants: jax.numpy used on what is known while tracing, where Python needs the result."""

from __future__ import annotations

from omnilint.analysis.events import Event
from omnilint.analysis.traces import Link
from omnilint.hazards.claim import Claim, start_of
from omnilint.model import Place, Related

_CODES = {
    "shape": "OMN101",
    "static": "OMN101",
    "bool": "OMN102",
    "int": "OMN103",
    "float": "OMN103",
    "range": "OMN103",
    "numpy": "OMN103",
    "format": "OMN103",
    "index": "OMN104",
    "slice": "OMN104",
    "mask": "OMN104",
    "data": "OMN104",
    "hash": "OMN103",
}
_NEEDED_AS = {
    "shape": "as a shape",
    "static": "as a static parameter",
    "bool": "as a condition",
    "int": "as a Python int",
    "float": "as a Python number",
    "range": "as a loop count",
    "numpy": "by NumPy",
    "format": "in a format",
    "index": "as a Python index",
    "slice": "as a slice bound",
    "mask": "as a mask",
    "data": "to size an array",
    "hash": "as a key",
}


_STAGED = "is staged out here"


def claim(e: Event) -> Claim:
    """The finding stands where the value was staged, not where it is missed."""
    return _claim(
        e,
        _CODES[e.kind],
        "though nothing traced goes into it",
        "compute it with math, numpy or plain Python instead",
    )


def claim_of_data(e: Event) -> Claim:
    """The same of constants and of data that nobody traces: numpy would have given the value."""
    return _claim(
        e,
        "OMN516",
        "even where its operands are concrete",
        "compute it with numpy where the operands are known, or keep it an array (jnp.where, lax.cond)",
    )


def _claim(e: Event, code: str, although: str, advice: str) -> Claim:
    assert e.value is not None
    demand = e.unit.place(e.node)
    steps = [k for k in (e.value.link.chain() if e.value.link else ()) if k.stages]
    statement = e.unit.place(e.statement) if e.statement is not None else demand
    # A result of unknown size is missed where it is asked for, whatever it is computed from.
    root = _root(steps, statement) if e.kind != "data" else None
    place = root.place if root is not None else demand
    needed = _NEEDED_AS[e.kind]
    what = f" ({e.what})" if e.what else ""
    raises = f" and JAX raises {e.exception}" if e.exception else ""
    staged = root.message.removesuffix(_STAGED).strip() if root is not None else "this"
    if staged == "staged out here":
        staged = "this"
    message = f"{staged} is staged out while tracing, {although}; its value is needed {needed}{what}{raises}; {advice}"
    extra = [Related(demand, f"its value is needed here {needed}{what}")]
    for unit, node in [step.skipped for step in steps if step.skipped is not None]:
        extra.append(Related(unit.place(node), "so this never runs while tracing: it asks for what is no tracer"))
    return Claim(
        e,
        code,
        message,
        place,
        ("shape", start_of(place)),
        f"needed {needed}",
        e.value.link,
        root.unit if root is not None else None,
        extra,
    )


def _root(steps: list[Link], statement: Place) -> Link | None:
    """The last staged operation outside of the statement that needs the value, else the innermost one.

    A mere conversion stands for what it converts.
    """
    outside = [s for s in steps if not _inside(s.place, statement)]
    for step in outside:
        if step.message.startswith("`") and not step.message.startswith("`.astype()`"):
            return step
    return outside[0] if outside else steps[-1] if steps else None


def _inside(p: Place, statement: Place) -> bool:
    return p.path == statement.path and statement.line <= p.line <= _last_line(statement)


def _last_line(statement: Place) -> int:
    return statement.line if statement.end_line - statement.line > 3 else statement.end_line
