"""Derivatives: trees of the shape of what a function is differentiated by, and how their leaves round."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from omnilint.rounding.copying import replace
from omnilint.rounding.frame import Frame
from omnilint.rounding.trees import rebuilt
from omnilint.rounding.values import Array, Const, Opaque, Record, Seq, Value, Wrapped

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine

# Operations that are not linear from which on compiling a gradient as a whole is taken to change its last bits: terms
# that the value adds up vanish from the derivatives of few. Measured: jitted against eager gradients of 16 losses.
MANY_BENDS = 6


def derived(m: Machine, callee: Wrapped, value: Value, arguments: Sequence[Value], frame: Frame) -> Value:
    """What a differentiated function gives where the plain one gives `value`: gradients, values and auxiliaries."""
    auxiliary = isinstance(callee.auxiliary, Const) and bool(callee.auxiliary.value)
    slopes = _slopes(m, callee, value, arguments)
    if callee.transform == "value_and_grad":
        return m.seq([value, slopes], frame.depth)
    if auxiliary and isinstance(value, Seq) and len(value.items) == 2:
        return m.seq([slopes, value.items[1]], frame.depth)
    return slopes


def _slopes(m: Machine, callee: Wrapped, value: Value, arguments: Sequence[Value]) -> Value:
    """Derivatives by the arguments that `argnums` names, by the first of them unless it is given."""
    chosen = callee.argnums
    if chosen is None:
        return _tree(m, callee.transform, value, arguments[0] if arguments else value)
    if isinstance(chosen, Seq) and not chosen.open:
        parts = [_by(m, callee.transform, value, arguments, number) for number in chosen.items]
        return m.seq(parts, chosen.depth)
    return _by(m, callee.transform, value, arguments, chosen)


def _by(m: Machine, tag: str, value: Value, arguments: Sequence[Value], number: Value) -> Value:
    if isinstance(number, Const) and isinstance(number.value, int) and number.value < len(arguments):
        return _tree(m, tag, value, arguments[number.value])
    return _leaf(m, tag, value, number, 0)


def _tree(m: Machine, tag: str, value: Value, argument: Value) -> Value:
    """The derivatives by one argument, a tree of its shape."""
    places = itertools.count()
    if not isinstance(argument, (Seq, Record)) or (isinstance(argument, Seq) and argument.open):
        return _leaf(m, tag, value, argument, 0)
    return rebuilt(m, argument, lambda leaf: _leaf(m, tag, value, leaf, next(places)))


def _leaf(m: Machine, tag: str, value: Value, leaf: Value, place: int) -> Value:
    """One derivative: it rounds as long as the function is not linear throughout."""
    head = value.items[0] if isinstance(value, Seq) and value.items else value
    key, form = m.key(tag, head.key, leaf.key, place), m.key(tag, head.form, leaf.form, place)
    if not isinstance(head, Array):
        return Opaque(key=key, form=form, depth=head.depth)
    # The derivative of one non-linear operation may be exact (x**2); of two in a row it is a product of rounded values.
    loud = head.loudest if head.bent >= 2 or head.steep else None
    errors = {} if loud is None else {form: replace(loud, amount=head.noise)}
    return replace(
        head,
        key=key,
        form=form,
        library="jax",
        staged=True,
        errors=errors,
        grid=head.grid or (head.bent < 2 and not head.steep),
        uniform=None,
        fuses=head.steep or (head.fuses and head.bent >= MANY_BENDS),
        edge=None,
        tail=0.0,
        gap=None,
        trail=None,
    )
