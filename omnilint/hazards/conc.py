"""CONC: a traced value where Python needs a concrete one."""

from __future__ import annotations

from collections.abc import Sequence

from omnilint.analysis.events import Event
from omnilint.analysis.indexing import ASSIGNING, INDEXING
from omnilint.hazards import causes
from omnilint.hazards.claim import Claim, start_of, transform_of
from omnilint.model import Related

_CODES = {
    "bool": "OMN501",
    "int": "OMN502",
    "float": "OMN502",
    "shape": "OMN503",
    "index": "OMN504",
    "slice": "OMN504",
    "range": "OMN502",
    "numpy": "OMN505",
    "mask": "OMN506",
    "data": "OMN507",
    "static": "OMN508",
    "hash": "OMN509",
    "format": "OMN514",
}


_ANY = "a value that depends on traced arguments"


def claim(e: Event) -> Claim:
    """The finding stands where the concrete value is needed."""
    assert e.value is not None
    place = e.unit.place(e.node)
    param = e.value.param
    firm = param is not None or e.kind in causes.FIRM or causes.are_meant_static(e)
    names = causes.arguments(e) if firm and e.kind in causes.MET_TOGETHER else (param,) if param else ()
    whole = f"`{param}`" if param else f"a value computed from {_listed(names)}" if names else _ANY
    raises = f" (JAX raises {e.exception})" if e.exception else ""
    message = f"{_problem(e, whole)}{raises}; {_advice(e, names)}"
    one = e.what == "match" and e.statement is not None  # the cases of a match have one remedy
    root: tuple[object, ...] = ("conc", start_of(e.unit.place(e.statement) if one and e.statement else place))
    made = causes.of(e)
    after: tuple[object, ...] | None = None
    if made is not None and e.kind in causes.MET_TOGETHER:
        if firm:
            root = made
        elif made[0] == "param":
            after = made
    return Claim(e, _CODES[e.kind], message, place, root, _short(e), e.value.link, after=after)


def _short(e: Event) -> str:
    return {"bool": "a condition", "range": "a loop count", "shape": "a shape", "slice": "a slice bound"}.get(
        e.kind, "a concrete value is needed"
    )


def _problem(e: Event, whole: str) -> str:
    what = e.what
    match e.kind:
        case "bool":
            return f"{whole} is traced, and {_quoted(what)} needs its truth value"
        case "int" | "float":
            return f"{what} needs the number, and {whole} is traced"
        case "shape" | "static":
            return f"{what} must be static, and {whole} is traced"
        case "index":
            return f"{what} needs a Python integer, and {whole} is traced"
        case "slice":
            return f"a slice bound must be static, and {whole} is traced"
        case "range":
            return f"{what} needs a Python integer, and {whole} is traced"
        case "numpy":
            return f"{what} converts its operands to NumPy arrays, and {whole} is traced"
        case "mask":
            return "indexing with a traced boolean mask gives an array of unknown size"
        case "data":
            return f"the size of the result of {what} depends on traced values"
        case "hash":
            return f"{whole} is traced and can't be hashed, which {what} needs"
        case _:
            return f"{whole} is traced, and {what} needs its value"


def _quoted(what: str) -> str:
    """Keywords in backticks: "`if` needs its truth value"."""
    return f"`{what}`" if what.isalpha() else what


def _listed(names: Sequence[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)


# What to do with NumPy's arrays, which have no function of jax.numpy to take the place of.
_ADVICE_ON_ARRAYS = {
    ASSIGNING: "make it a jax.numpy array and use `x = x.at[...].set(...)`",
    INDEXING: "index jnp.asarray(...) of it instead",
}


def _advice(e: Event, names: Sequence[str]) -> str:
    option = f"{names[0]!r}," if len(names) == 1 else ", ".join(map(repr, names))
    static = f"make {_listed(names)} static (static_argnames=({option}))" if names and _can_be_static(e) else ""
    match e.kind:
        case "bool":
            other = "use lax.cond, lax.while_loop or jnp.where"
            return f"{static}, or {other}" if static else other
        case "int" | "float":
            return f"{static or 'keep it an array'}, or do the conversion outside of the traced function"
        case "shape" | "static":
            return static or "pass it as a static argument, or use a fixed size and a mask"
        case "index":
            return f"{static + ', or ' if static else ''}index a jnp.array instead"
        case "slice":
            return f"{static + ', or ' if static else ''}use lax.dynamic_slice with a fixed size, or a mask"
        case "range":
            return f"{static + ', or ' if static else ''}use lax.fori_loop"
        case "numpy" if e.what in _ADVICE_ON_ARRAYS:
            return _ADVICE_ON_ARRAYS[e.what]
        case "numpy":
            return f"use the jax.{'scipy' if 'scipy' in e.what else 'numpy'} function of the same name"
        case "mask":
            return "use jnp.where with three arguments, or a fixed size"
        case "data":
            size = e.data.get("parameter") or "size"
            return f"give it a fixed size ({size}=…), or use jnp.where with three arguments"
        case "hash":
            return "use a static value as the key, or an array lookup"
        case _:
            return "use jax.debug.print, or format outside of the traced function"


def _can_be_static(e: Event) -> bool:
    return e.trace is not None and transform_of(e).rpartition(".")[2] in causes.TAKE_STATIC


def special(e: Event) -> Claim | None:
    """Events of CONC that aren't the need of a single value."""
    place = e.unit.place(e.node)
    root: tuple[object, ...] = (e.kind, start_of(place))
    function, parameter = e.data.get("function", ""), e.data.get("parameter", "")
    link = e.link if e.link is not None else (e.value.link if e.value is not None else None)
    named = f" for `{parameter}`" if parameter else ""
    extra: list[Related] = []
    match e.kind:
        case "nonarray":
            code = "OMN510"
            message = (
                f"{e.what} is passed{named} to `{function}`, which is jitted (JAX raises TypeError: "
                "not a valid JAX type); make the argument static, or leave it out of the pytree"
            )
        case "unhashable":
            code = "OMN511"
            message = (
                f"{e.what} is passed{named} to `{function}`, where that argument is static: it must be hashable "
                "(JAX raises ValueError: Non-hashable static arguments); pass a Python number, a string or a tuple"
            )
        case "constructor":
            code = "OMN512"
            message = (
                f"the constructor of pytree `{e.what}` inspects its leaves, and {e.data.get('transform')} rebuilds "
                "it from placeholders that have none of that (AttributeError); check in a factory, or skip the check "
                "in tree_unflatten"
            )
        case "false":
            code = "OMN513"
            message = f"{e.what} on a traced array silently gives False; use jnp.array_equal, whose result stays traced"
        case "item":
            code = "OMN515"
            message = (
                f"{e.what} turns a differentiated value into a plain number, so its gradient is silently lost; "
                "keep it an array, or say so with lax.stop_gradient"
            )
        case _:
            return None
    return Claim(e, code, message, place, root, "", link, None, extra)
