"""Calls of a function that is one of several known ones: each may run, whatever chose it."""

from __future__ import annotations

from omnilint.analysis import calls
from omnilint.analysis import nodes as cst
from omnilint.analysis.definitions import Bound, Ext, Func, Instance, Partial, Transformed
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import join_all
from omnilint.analysis.values import ARGUMENT, UNKNOWN, AnyOf, Either, JaxArray, Tup, Value

_OF_THE_RUN = (Func, Transformed, Bound, Partial)


def call_each(
    it: Interp, frame: Frame, func: Either, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    """What the alternatives give for these arguments, together.

    What was taken from a container by a key that isn't known can be any of its values. What a condition has chosen
    may hang together with whether it is traced, and with what: Python may ask for values in it, but it keeps what it
    stores. Where other conditions stand around the call, or objects were chosen with their methods, not even that is
    certain.
    """
    chosen = _jitted_or_not(func)
    if not isinstance(chosen, Either):
        return calls.call(it, frame, chosen, args, kwargs, node)
    of_jax = [f for f in func.options if isinstance(f, Ext) and f.dotted.startswith("jax.")]
    if of_jax and len(of_jax) < len(func.options) and (not isinstance(func, AnyOf) or _same_name(func)):
        return _jax_or_else(it, frame, func, of_jax, args, kwargs, node)
    several = not isinstance(func, AnyOf) and sum(isinstance(f, _OF_THE_RUN) for f in func.options) > 1
    objects = {id(f.self) for f in func.options if isinstance(f, Bound)}
    conditional = frame.turns > 0 or it.uncertain != frame.settled or len(objects) > 1
    it.choosing += several
    try:
        with it.branch(), it.guarded(several and conditional):
            return join_all(calls.call(it, frame, f, args, kwargs, node) for f in func.options)
    finally:
        it.choosing -= several


def or_another(value: Value, depth: int = 2) -> Value:
    """An object of the run that may have been replaced by another one by now; whatever else is given back."""
    if isinstance(value, Instance):
        return Either((value, UNKNOWN))
    if isinstance(value, Tup) and depth:
        return Tup(or_another(v, depth - 1) for v in value.items)
    return value


def _same_name(func: Either) -> bool:
    """Is it the function of one name in several libraries?"""
    words = {f.dotted.rpartition(".")[2] if isinstance(f, Ext) else "" for f in func.options}
    return len(words) == 1 and "" not in words


def _jax_or_else(
    it: Interp,
    frame: Frame,
    func: Either,
    of_jax: list[Ext],
    args: list[Value],
    kwargs: dict[str, Value],
    node: cst.CSTNode,
) -> Value:
    """A function of JAX, or one that stands in for it where JAX isn't used: nothing is traced there."""
    with it.branch():
        result = join_all(calls.call(it, frame, f, args, kwargs, node) for f in of_jax)
    if it.trace is not None and isinstance(result, JaxArray) and result.traced and result.cause == ARGUMENT:
        return result
    with it.branch(), it.guarded():
        return join_all(
            [result, *(calls.call(it, frame, f, args, kwargs, node) for f in func.options if f not in of_jax)]
        )


def _jitted_or_not(func: Either) -> Value:
    """A function that is jitted under some condition: what holds when it is decides."""
    made = [f for f in func.options if isinstance(f, Transformed)]
    if len(made) == 1 and len(func.options) == 2:
        other = next(f for f in func.options if f is not made[0])
        if made[0].func is other or made[0].func.key() == other.key():
            return made[0]
    return func
