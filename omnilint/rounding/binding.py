"""Names and what they hold: assignment, unpacking, and what two paths leave behind."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from omnilint.rounding import spots
from omnilint.rounding.arithmetic import binary
from omnilint.rounding.copying import replace
from omnilint.rounding.frame import Frame
from omnilint.rounding.operands import as_array
from omnilint.rounding.values import Array, Const, Instance, Record, Seq, Trail, Value

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine


def assign(m: Machine, target: ast.expr, value: Value, frame: Frame) -> None:
    """Bind a target to a value."""
    if isinstance(target, ast.Name):
        frame.names[target.id] = value
    elif isinstance(target, (ast.Tuple, ast.List)):
        starred = any(isinstance(e, ast.Starred) for e in target.elts)
        if starred and isinstance(value, Seq) and not value.open and len(value.items) >= len(target.elts) - 1:
            value, starred = _gathered(m, target.elts, value, frame), False
        for i, element in enumerate(target.elts):
            inner = element.value if isinstance(element, ast.Starred) else element
            assign(m, inner, item(m, value, i if not starred else None, len(target.elts), frame), frame)
    elif isinstance(target, ast.Attribute):
        owner = m.evaluate(target.value, frame)
        if isinstance(owner, Instance):
            owner.attributes[target.attr] = value
    elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
        _store(m, target.value.id, target.slice, value, frame)


def _gathered(m: Machine, targets: Sequence[ast.expr], value: Seq, frame: Frame) -> Seq:
    """The parts that targets with a starred one among them get: as many as targets."""
    first = next(i for i, e in enumerate(targets) if isinstance(e, ast.Starred))
    last = len(value.items) - (len(targets) - first - 1)
    rest = m.seq(value.items[first:last], value.depth)
    return m.seq([*value.items[:first], rest, *value.items[last:]], value.depth)


def item(m: Machine, value: Value, index: int | None, count: int, frame: Frame) -> Value:
    """One of the `count` parts that a value is unpacked into; `index` None: any of them."""
    if isinstance(value, Seq) and index is not None:
        if value.open and value.items:
            return value.items[-1]
        if len(value.items) == count:
            return value.items[index]
    if isinstance(value, Array):
        key = m.key("item", value.key, index)
        return replace(value, key=key, form=m.key("item", value.form, index), edge=None, tail=0.0)
    return m.opaque("item", value.key, index, depth=min(frame.depth, value.depth))


def elements(m: Machine, value: Value, frame: Frame) -> Seq | None:
    """What iterating over a value goes through: a dict's keys, an array's rows by example; None when unknown."""
    if isinstance(value, Seq):
        return value
    if isinstance(value, Record):
        return m.seq([m.const(k, frame.depth) for k in value.items], value.depth)
    if isinstance(value, Array) and value.library != "unknown":
        return m.seq([item(m, value, 0, -1, frame)], value.depth, is_open=True)
    return None


def _store(m: Machine, name: str, index: ast.expr, value: Value, frame: Frame) -> None:
    held = frame.names.get(name)
    where = m.evaluate(index, frame)
    if isinstance(held, Record) and isinstance(where, Const):
        frame.names[name] = replace(held, items={**held.items, where.value: value})
    elif isinstance(held, Array) and isinstance(value, Array) and value.trail and value.trail.kind == "quotient":
        # `slope[i] = (f(up) - f(down)) / (2 * h)`: the array fills with difference quotients.
        key, form = m.key("stored", value.key), m.key("stored", value.form)
        frame.names[name] = replace(value, key=key, form=form, library=held.library, dtype=held.dtype)
    elif held is not None:
        frame.names[name] = m.opaque("stored", held.key, where.key, value.key, depth=min(held.depth, value.depth))


def augment(m: Machine, target: ast.expr, op: ast.operator, value: Value, node: ast.AST, frame: Frame) -> None:
    """`target op= value`."""
    if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
        # `x[i] += h` on a NumPy array: the classic step of a finite difference.
        held = frame.names.get(target.value.id)
        if held is not None:
            moved = binary(m, op, held, value, node, frame)
            trail = moved.trail if isinstance(moved.trail, Trail) else None
            frame.names[target.value.id] = replace(
                as_array(m, held, frame), key=moved.key, form=moved.form, trail=trail
            )
        return
    current = m.evaluate(_loaded(target), frame)
    assign(m, target, binary(m, op, current, value, node, frame), frame)


def _loaded(target: ast.expr) -> ast.expr:
    match target:
        case ast.Name(name):
            return ast.copy_location(ast.Name(name, ast.Load()), target)
        case ast.Attribute(value, attribute):
            return ast.copy_location(ast.Attribute(value, attribute, ast.Load()), target)
    return target


def merged(m: Machine, left: dict[str, Value], right: dict[str, Value], frame: Frame) -> dict[str, Value]:
    """The names after two paths meet."""
    missing = m.opaque("unbound", depth=frame.depth)
    return {name: join(m, left.get(name, missing), right.get(name, missing)) for name in {**left, **right}}


def join(m: Machine, left: Value, right: Value) -> Value:
    """A value that is one or the other."""
    if left is right or (left.key == right.key and left.form == right.form):
        return left
    key, form = m.key("either", left.key, right.key), m.key("either", left.form, right.form)
    depth = min(left.depth, right.depth)
    if isinstance(left, Array) and isinstance(right, Array):
        calmer = left if left.noise <= right.noise else right
        return replace(
            calmer,
            key=key,
            form=form,
            depth=depth,
            library=left.library if left.library == right.library else "unknown",
            dtype=left.dtype if left.dtype == right.dtype else None,
            grid=left.grid or right.grid,
            uniform=None,
            edge=None,
            tail=0.0,
            gap=None,
        )
    if isinstance(left, Seq) and isinstance(right, Seq):
        if not (left.open or right.open) and len(left.items) == len(right.items):
            return m.seq([join(m, a, b) for a, b in zip(left.items, right.items, strict=True)], depth)
        return m.seq([*left.items, *right.items][-8:], depth, is_open=True)
    return m.opaque("either", left.key, right.key, depth=depth)


def forget(m: Machine, body: Sequence[ast.stmt], frame: Frame) -> None:
    """Names that statements which may or may not run bind are unknown afterwards."""
    for statement in body:
        for node in spots.nodes_of(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                frame.names[node.id] = m.opaque("forgotten", id(node), depth=frame.depth)
