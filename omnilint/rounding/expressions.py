"""Expressions: what each kind of node evaluates to."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from omnilint.rounding import asserting, objects, trees
from omnilint.rounding.arithmetic import binary, result
from omnilint.rounding.binding import assign, elements, item, join
from omnilint.rounding.copying import replace
from omnilint.rounding.frame import Frame
from omnilint.rounding.trees import record
from omnilint.rounding.values import Array, Check, Const, Function, Opaque, Record, Seq, Value

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine

# Indexed updates, `x.at[i].add(v)`: which operation combines the old element with the new one.
UPDATES = {"add": "sum", "multiply": "prod", "mul": "prod", "set": "where", "min": "minimum", "max": "maximum"}
LIST_METHODS = frozenset({"append", "extend", "insert"})
_SPECIAL = LIST_METHODS.union(UPDATES)


def unknown(m: Machine, node: ast.expr, frame: Frame) -> Value:
    """A value like no other: what nothing is known of."""
    return m.opaque("expression", id(node), frame.serial, depth=frame.depth)


def _lambda(m: Machine, node: ast.Lambda, frame: Frame) -> Value:
    key = m.key("lambda", id(node), frame.serial)
    return Function(key=key, form=key, depth=frame.depth, module=frame.module, node=node, closure=frame)


def _conditional(m: Machine, node: ast.IfExp, frame: Frame) -> Value:
    chosen = m.evaluate(node.test, frame)
    if isinstance(chosen, Const):
        return m.evaluate(node.body if chosen.value else node.orelse, frame)
    return join(m, m.evaluate(node.body, frame), m.evaluate(node.orelse, frame))


def _named(m: Machine, node: ast.NamedExpr, frame: Frame) -> Value:
    value = m.evaluate(node.value, frame)
    assign(m, node.target, value, frame)
    return value


def _binary(m: Machine, node: ast.BinOp, frame: Frame) -> Value:
    return binary(m, node.op, m.evaluate(node.left, frame), m.evaluate(node.right, frame), node, frame)


def _call(m: Machine, node: ast.Call, frame: Frame) -> Value:
    if isinstance(node.func, ast.Attribute) and node.func.attr in _SPECIAL:
        special = _special(m, node, node.func, frame)
        if special is not None:
            return special
    callee = m.evaluate(node.func, frame)
    arguments = _items(m, node.args, frame)
    keywords: dict[str, Value] = {}
    for keyword in node.keywords:
        value = m.evaluate(keyword.value, frame)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif isinstance(value, Record):
            keywords |= {k: v for k, v in value.items.items() if isinstance(k, str)}
        else:
            # Unknown keyword arguments: what they would have set is unknown, so no default may be assumed.
            keywords["**"] = value
    return m.call(callee, arguments, keywords, node, frame)


def _special(m: Machine, node: ast.Call, callee: ast.Attribute, frame: Frame) -> Value | None:
    """`x.at[i].add(v)` and `listed.append(v)`, None for other calls."""
    match callee:
        case ast.Attribute(ast.Subscript(ast.Attribute(base, "at"), index), name) if name in UPDATES and node.args:
            return _updated(m, m.evaluate(base, frame), index, name, m.evaluate(node.args[0], frame), node, frame)
        case ast.Attribute(ast.Name(held), name) if name in LIST_METHODS and isinstance(frame.names.get(held), Seq):
            return _grown(m, held, name, [m.evaluate(a, frame) for a in node.args], frame)
    return None


def _updated(m: Machine, base: Value, index: ast.expr, name: str, value: Value, node: ast.AST, frame: Frame) -> Value:
    where = m.evaluate(index, frame)
    if not isinstance(base, Array):
        return m.opaque("updated", base.key, where.key, name, value.key, depth=min(base.depth, value.depth))
    operation = UPDATES[name]
    facts = m.table.operations[operation]
    updated = result(
        m,
        node,
        frame,
        operation,
        [base, value, where] if isinstance(where, Const) else [base, value],
        library="jax",
        kind=facts.kind,
        spread=facts.spread,
        dtype=base.dtype,
        text=f"`.at[...].{name}`",
    )
    # One element moved by a constant is a finite-difference step.
    trail = binary(m, ast.Add(), base, value, node, frame).trail if name == "add" else None
    return replace(updated, trail=trail)


def _grown(m: Machine, name: str, method: str, arguments: Sequence[Value], frame: Frame) -> Value:
    held = frame.names[name]
    assert isinstance(held, Seq)
    if method == "extend" and arguments and isinstance(arguments[0], Seq):
        new: tuple[Value, ...] = arguments[0].items
    else:
        new = tuple(arguments[-1:])
    # The items kept are examples: a loop is interpreted twice at most.
    frame.names[name] = m.seq((*held.items, *new)[-8:], held.depth, is_open=True)
    return m.const(None, frame.depth)


def _items(m: Machine, nodes: Sequence[ast.expr], frame: Frame) -> list[Value]:
    found: list[Value] = []
    for node in nodes:
        if not isinstance(node, ast.Starred):
            found.append(m.evaluate(node, frame))
            continue
        value = m.evaluate(node.value, frame)
        if isinstance(value, Seq) and not value.open:
            found.extend(value.items)
        else:
            found.append(m.opaque("star", value.key, depth=value.depth))
    return found


def _unary(m: Machine, node: ast.UnaryOp, frame: Frame) -> Value:
    op, value = node.op, m.evaluate(node.operand, frame)
    if isinstance(value, Const) and isinstance(value.value, (bool, int, float)):
        if isinstance(op, ast.USub):
            return m.const(-value.value, value.depth)
        if isinstance(op, ast.Not):
            return m.const(not value.value, value.depth)
    if isinstance(value, Array) and isinstance(op, (ast.USub, ast.UAdd)):
        return result(m, node, frame, "negative", [value], library=value.library, kind="exact", spread=0.0)
    return m.opaque(type(op).__name__, value.key, depth=min(frame.depth, value.depth))


def _compare(m: Machine, node: ast.Compare, frame: Frame) -> Value:
    left, right = m.evaluate(node.left, frame), m.evaluate(node.comparators[0], frame)
    if len(node.ops) > 1:
        return unknown(m, node, frame)
    op = node.ops[0]
    check = asserting.compared_by_operator(m, op, left, right, node, frame)
    if check is not None:
        return check
    if isinstance(left, Const) and isinstance(right, Const):
        match op:
            case ast.Eq() | ast.Is():
                return m.const(left.value == right.value, min(left.depth, right.depth))
            case ast.NotEq() | ast.IsNot():
                return m.const(left.value != right.value, min(left.depth, right.depth))
    if isinstance(op, (ast.In, ast.NotIn)) and isinstance(left, Const) and isinstance(right, Seq) and not right.open:
        listed = [v.value for v in right.items if isinstance(v, Const)]
        if len(listed) == len(right.items):
            return m.const((left.value in listed) == isinstance(op, ast.In), left.depth)
    if isinstance(left, Array) or isinstance(right, Array):
        library = "jax" if "jax" in {getattr(v, "library", "") for v in (left, right)} else "numpy"
        return result(
            m, node, frame, type(op).__name__, [left, right], library=library, kind="discrete", spread=0.0, dtype="bool"
        )
    return m.opaque(type(op).__name__, left.key, right.key, depth=min(frame.depth, left.depth, right.depth))


def _boolean(m: Machine, node: ast.BoolOp, frame: Frame) -> Value:
    op, values = node.op, [m.evaluate(v, frame) for v in node.values]
    if all(isinstance(v, Const) for v in values):
        for value in values[:-1]:
            if isinstance(value, Const) and bool(value.value) == isinstance(op, ast.Or):
                return value
        return values[-1]
    if isinstance(op, ast.And) and any(isinstance(v, Check) for v in values):
        return m.seq(list(values), frame.depth)  # each of them is asserted when the whole is
    return m.opaque("boolean", id(node), *(v.key for v in values), depth=min([frame.depth, *(v.depth for v in values)]))


def _subscript(m: Machine, node: ast.Subscript, frame: Frame) -> Value:
    value, index = m.evaluate(node.value, frame), node.slice
    if isinstance(index, ast.Slice) and isinstance(value, Seq) and not value.open:
        bounds = [None if b is None else m.evaluate(b, frame) for b in (index.lower, index.upper, index.step)]
        if all(b is None or (isinstance(b, Const) and isinstance(b.value, int)) for b in bounds):
            part = value.items[slice(*(b.value if isinstance(b, Const) else None for b in bounds))]
            return m.seq(part, value.depth)
    if isinstance(index, ast.Slice) and isinstance(value, Seq) and value.open:
        return m.seq(value.items, value.depth, is_open=True)
    where = m.evaluate(index, frame)
    depth = min(frame.depth, value.depth)
    if isinstance(value, Record) and trees.name_of(m, where) in value.items:
        held = value.items[trees.name_of(m, where)]
        return replace(held, depth=min(held.depth, where.depth, value.depth))
    if isinstance(value, Seq) and isinstance(where, Const) and isinstance(where.value, int):
        if not value.open and -len(value.items) <= where.value < len(value.items):
            return value.items[where.value]
        if value.open and value.items:
            return value.items[-1]
    if isinstance(value, Seq) and isinstance(where, Opaque) and value.open and value.items:
        return value.items[-1]
    if isinstance(value, Array):
        key, form = m.key("item", value.key, where.key), m.key("item", value.form, where.form)
        return replace(value, key=key, form=form, depth=depth, edge=None, tail=0.0)
    key, form = m.key("item", value.key, where.key), m.key("item", value.form, where.form)
    return Opaque(key=key, form=form, depth=depth, trail=value.trail)


def _slice(m: Machine, index: ast.Slice, frame: Frame) -> Value:
    parts = [
        m.evaluate(b, frame) if b is not None else m.const(None, frame.depth)
        for b in (index.lower, index.upper, index.step)
    ]
    return m.opaque("slice", *(p.key for p in parts), depth=frame.depth)


def _dict(m: Machine, node: ast.Dict, frame: Frame) -> Value:
    items: dict[object, Value] = {}
    known = True
    for key, value in zip(node.keys, node.values, strict=True):
        evaluated = m.evaluate(value, frame)
        if key is None:
            known = known and isinstance(evaluated, Record)
            items |= evaluated.items if isinstance(evaluated, Record) else {}
            continue
        name = m.evaluate(key, frame)
        items[trees.name_of(m, name)] = evaluated
    if not known:
        return m.opaque("dict", *(v.key for v in items.values()), depth=frame.depth)
    return record(m, items, frame.depth)


def _comprehension(m: Machine, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, frame: Frame) -> Value:
    element, generators = node.elt, node.generators
    inner = replace(frame, names=dict(frame.names), returns=[])
    evaluated = m.evaluate(generators[0].iter, inner)
    first = elements(m, evaluated, inner) or evaluated
    if len(generators) == 1 and not generators[0].ifs and isinstance(first, Seq) and not first.open:
        found: list[Value] = []
        for value in first.items[:8]:
            assign(m, generators[0].target, value, inner)
            found.append(m.evaluate(element, inner))
        return m.seq(found, frame.depth, is_open=len(first.items) > 8)
    for i, generator in enumerate(generators):
        source = m.evaluate(generator.iter, inner) if i else first
        held = elements(m, source, inner)
        example = held.items[0] if held is not None and held.items else item(m, source, 0, -1, inner)
        assign(m, generator.target, example, inner)
    return m.seq([m.evaluate(element, inner)], frame.depth, is_open=True)


def _name(m: Machine, node: ast.Name, frame: Frame) -> Value:
    return frame.names.get(node.id) or m.lookup(node.id, frame)


def _constant(m: Machine, node: ast.Constant, frame: Frame) -> Value:
    return m.const(node.value, frame.depth)


def _attribute(m: Machine, node: ast.Attribute, frame: Frame) -> Value:
    return objects.attribute(m, m.evaluate(node.value, frame), node.attr, node, frame)


def _list(m: Machine, node: ast.List | ast.Tuple, frame: Frame) -> Value:
    return m.seq(_items(m, node.elts, frame), frame.depth)


# What each kind of node evaluates to; the rest is unknown.
KINDS: dict[type[ast.AST], Callable[[Machine, Any, Frame], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Tuple: _list,
    ast.List: _list,
    ast.Dict: _dict,
    ast.IfExp: _conditional,
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.SetComp: _comprehension,
    ast.NamedExpr: _named,
}
