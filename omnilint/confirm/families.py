"""Which exceptions can come of which hazard: by class and by message, since JAX's classes alone don't tell."""

from __future__ import annotations

import re
from typing import Any

# Raised by JAX itself for a tracer where Python needs a value; the same names since 0.4.
TRACER_ERRORS = frozenset(
    {
        "ConcretizationTypeError",
        "TracerBoolConversionError",
        "TracerIntegerConversionError",
        "TracerArrayConversionError",
        "NonConcreteBooleanIndexError",
        "UnexpectedTracerError",
    }
)

# Ordinary exceptions that are about tracers all the same, by what their messages say (checked on 0.4.13 to 0.10.2).
TRACER_WORDS = re.compile(
    r"Tracer\b|Tracer[>(']|JitTracer|Traced<|traced array|\btracers?\b"
    r"|concrete values? of integer type|Shapes must be 1D sequences of concrete"
    r"|must be concrete|Abstract (tracer )?value|abstract array"
    r"|Slice entries must be static integers|static integers"
    r"|Non-hashable static arguments|unhashable type: '[\w.]*(Tracer|ArrayImpl|Array)'"
    r"|parameters to jaxpr equations must have __hash__"
    r"|not a valid JAX type|Error interpreting argument to"
    r"|setting an array element with a sequence"
    r"|expected a sequence of integers or a single integer"
    r"|Only integer scalar arrays can be converted"
    r"|ShapedArray|ShapeDtypeStruct|ensure_compile_time_eval"
    r"|Reverse-mode differentiation does not work for lax\.(while_loop|fori_loop)"
)

# What a static argument that cannot be one makes JAX say.
_STATIC_WORDS = re.compile(r"static|hash", re.IGNORECASE)

# The interpreter's and JAX's ways to say that a name or an argument is not there.
NAME_ERRORS = frozenset(
    {
        "AttributeError",
        "ImportError",
        "ModuleNotFoundError",
        "NameError",
        "TypeError",
        "NotImplementedError",
        "RuntimeError",
    }
)


def about_tracers(error: dict[str, Any]) -> bool:
    """Whether this exception is one that only a traced value can cause."""
    if TRACER_ERRORS & set(error.get("mro", ())) or error.get("type") in TRACER_ERRORS:
        return True
    return bool(TRACER_WORDS.search(str(error.get("message", ""))))


def strict(error: dict[str, Any]) -> bool:
    """Whether the class alone says that a tracer was the trouble: wrong arguments never look like this."""
    return bool(TRACER_ERRORS & {error.get("type"), *error.get("mro", ())})


def escaped(error: dict[str, Any]) -> bool:
    """Whether this exception is an escaped tracer's: JAX says so, or a tracer is met outside of any trace."""
    if "UnexpectedTracerError" in error.get("mro", ()) or error.get("type") == "UnexpectedTracerError":
        return True
    frames = error.get("frames") or []
    return about_tracers(error) and bool(frames) and not frames[-1][3]


def fits(code: str, error: dict[str, Any]) -> bool:
    """Whether a finding of `code` explains `error`."""
    kind = error.get("type", "")
    if code.startswith("OMN3"):
        return kind == "AssertionError" or "AssertionError" in error.get("mro", ())
    if code.startswith("OMN4"):
        return bool(NAME_ERRORS & set(error.get("mro", ())))
    if about_tracers(error):
        return True
    if code == "OMN512":
        # A pytree class's own checks met a placeholder: any exception, but from within JAX's rebuilding.
        frames = error.get("frames") or []
        return bool(frames) and (any(f[2] == "tree_unflatten" for f in frames) or frames[-1][3])
    if code in ("OMN508", "OMN510", "OMN511"):
        return kind in ("TypeError", "ValueError") and bool(_STATIC_WORDS.search(str(error.get("message", ""))))
    return False


def first_words(message: str) -> str:
    """JAX's message cut to what a person reads: its first line and the line that says what was traced."""
    lines = [line.strip() for line in message.strip().splitlines()]
    kept = lines[:1]
    for line in lines[1:]:
        if line.startswith(
            (
                "The error occurred while tracing",
                "This concrete value was not available",
                "The leaked intermediate value was created",
                "The function being traced when",
            )
        ):
            kept.append(line)
    return " ".join(kept)[:700]
