"""Control-flow primitives and tree functions: they call what they are given."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from omnilint.rounding.binding import item, join
from omnilint.rounding.copying import replace
from omnilint.rounding.dtypes import as_float
from omnilint.rounding.frame import Frame
from omnilint.rounding.operands import traced
from omnilint.rounding.trees import leaves, rebuilt, record
from omnilint.rounding.values import Array, Const, Error, Record, Seq, Value

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine

# Steps of a loop of unknown length: fewer would hardly be written as one.
FEW = 8
# Leaves of a tree that are listed.
MOST_LEAVES = 64


def call(
    m: Machine, dotted: str, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.AST, frame: Frame
) -> Value | None:
    """The value of a control-flow primitive or tree function, None for anything else."""
    kind = m.table.control.get(dotted)
    if kind is None:
        return None
    if kind == "tree-map":
        return _tree_map(m, arguments, node, frame)
    if kind == "tree-same":
        return arguments[0] if arguments else None
    if kind in ("tree-leaves", "tree-flatten"):
        return _leaves(m, arguments[0], kind == "tree-flatten", frame) if arguments else None
    bound = dict(keywords)
    # Everything but the functions is traced, Python floats included.
    match kind, [traced(m, v, True, node, frame) for v in arguments]:
        case "scan", [body, *rest]:
            return _scan(m, body, [*rest, *([bound["init"]] if "init" in bound else [])], bound, node, frame)
        case "loop", [lower, upper, body, start]:
            steps = None
            if isinstance(lower, Const) and isinstance(upper, Const) and isinstance(upper.value, int):
                steps = as_float(upper.value - lower.value)
            index = m.opaque("index", id(node), depth=frame.depth)
            once = m.call(body, [index, start], {}, node, frame)
            return looped(m, m.call(body, [index, once], {}, node, frame), steps, node, frame, "lax.fori_loop")
        case "while", [_, body, start]:
            once = m.call(body, [start], {}, node, frame)
            return looped(m, m.call(body, [once], {}, node, frame), None, node, frame, "lax.while_loop")
        case "associate", [body, xs, *_]:
            x = _element(m, xs, frame)
            return looped(m, m.call(body, [x, x], {}, node, frame), None, node, frame, "lax.associative_scan")
        case "map", [body, xs]:
            return looped(m, m.call(body, [_element(m, xs, frame)], {}, node, frame), 1.0, node, frame, "lax.map")
        case "cond", [_, left, right, *operands]:
            if isinstance(left, Seq):
                return None
            return join(m, m.call(left, operands, {}, node, frame), m.call(right, operands, {}, node, frame))
    return None


def _scan(
    m: Machine, body: Value, rest: Sequence[Value], keywords: Mapping[str, Value], node: ast.AST, frame: Frame
) -> Value | None:
    if not rest:
        return None
    start = rest[0]
    xs = rest[1] if len(rest) > 1 else keywords.get("xs", m.const(None, frame.depth))
    length = keywords.get("length", rest[2] if len(rest) > 2 else None)
    steps = as_float(length.value) if isinstance(length, Const) and isinstance(length.value, int) else None
    x = xs if isinstance(xs, Const) else _element(m, xs, frame)
    once = m.call(body, [start, x], {}, node, frame)
    carry = item(m, once, 0, 2, frame)
    value = m.call(body, [carry, x], {}, node, frame)
    if not (isinstance(value, Seq) and len(value.items) == 2):
        return None
    return looped(m, value, steps, node, frame, "lax.scan")


def looped(m: Machine, value: Value, steps: float | None, node: ast.AST, frame: Frame, name: str) -> Value:
    """The result of a compiled loop whose body, run on its own result, gives `value`.

    Rounding that every step adds to adds up like a random walk.
    """
    growth = math.sqrt(max(steps, 1.0) if steps is not None else FEW)

    def leaf(v: Value) -> Value:
        if isinstance(v, Const):
            return v
        key, form = m.key(name, v.key), m.key(name, v.form)
        if not isinstance(v, Array):
            return replace(v, key=key, form=form)
        loud = v.loudest
        errors = {}
        grows = steps != 1.0 and v.bent > 0
        if loud is not None:
            errors = {form: Error(v.noise * growth, loud.dtype, True, frame.module, node, f"`{name}`", grows)}
        return replace(v, key=key, form=form, library="jax", traced=True, staged=True, errors=errors, uniform=None)

    return rebuilt(m, value, leaf)


def _element(m: Machine, value: Value, frame: Frame) -> Value:
    if isinstance(value, Seq):
        return m.seq([_element(m, v, frame) for v in value.items], value.depth, value.open)
    if isinstance(value, Const):
        return value
    element = item(m, value, None, 1, frame)
    return replace(element, library="jax", traced=True) if isinstance(element, Array) else element


def _tree_map(m: Machine, arguments: Sequence[Value], node: ast.AST, frame: Frame) -> Value | None:
    if len(arguments) < 2:
        return None
    function, *trees = arguments
    trees = [t for t in trees if not (isinstance(t, Const) and t.value is None)]
    if not trees:  # the map of None is None
        return m.const(None, frame.depth)
    if not trees:
        return None
    first = trees[0]
    if isinstance(first, Seq) and all(isinstance(t, Seq) and len(t.items) == len(first.items) for t in trees):
        groups = zip(*(t.items for t in trees if isinstance(t, Seq)), strict=True)
        return m.seq([_mapped(m, function, list(g), node, frame) for g in groups], frame.depth, first.open)
    if isinstance(first, Record) and all(isinstance(t, Record) and set(t.items) == set(first.items) for t in trees):
        records = [t for t in trees if isinstance(t, Record)]
        return record(
            m, {k: _mapped(m, function, [t.items[k] for t in records], node, frame) for k in first.items}, frame.depth
        )
    return m.call(function, trees, {}, node, frame)


def _leaves(m: Machine, tree: Value, definition: bool, frame: Frame) -> Value:
    """The leaves of a tree as a list, and its definition where that is asked for."""
    listed: Value = tree
    if isinstance(tree, (Seq, Record)):
        found = leaves(tree)
        is_open = len(found) > MOST_LEAVES or (isinstance(tree, Seq) and tree.open)
        listed = m.seq(found[:MOST_LEAVES], tree.depth, is_open)
    if not definition:
        return listed
    return m.seq([listed, m.opaque("definition", tree.key, depth=tree.depth)], frame.depth)


def _mapped(m: Machine, function: Value, trees: list[Value], node: ast.AST, frame: Frame) -> Value:
    if any(isinstance(t, (Seq, Record)) for t in trees):
        return _tree_map(m, [function, *trees], node, frame) or m.opaque("tree", id(node), depth=frame.depth)
    return m.call(function, trees, {}, node, frame)
