"""Expressions: what each kind of node evaluates to."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from omnilint.rounding import asserting, objects
from omnilint.rounding.arithmetic import binary, result
from omnilint.rounding.flow import assign, item, join
from omnilint.rounding.frame import Frame
from omnilint.rounding.trees import record
from omnilint.rounding.values import Array, Check, Const, Function, Opaque, Record, Seq, Value

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine

# Indexed updates, `x.at[i].add(v)`: which operation combines the old element with the new one.
UPDATES = {"add": "sum", "multiply": "prod", "mul": "prod", "set": "where", "min": "minimum", "max": "maximum"}
LIST_METHODS = frozenset({"append", "extend", "insert"})


def evaluate(m: Machine, node: ast.expr, frame: Frame) -> Value:
    """The value of `node` in `frame`."""
    match node:
        case ast.Constant(value):
            return m.const(value, frame.depth)
        case ast.Name(name):
            return m.lookup(name, frame)
        case ast.Attribute(value, name):
            return objects.attribute(m, m.evaluate(value, frame), name, node, frame)
        case ast.Call():
            return _call(m, node, frame)
        case ast.BinOp(left, op, right):
            return binary(m, op, m.evaluate(left, frame), m.evaluate(right, frame), node, frame)
        case ast.UnaryOp(op, operand):
            return _unary(m, op, m.evaluate(operand, frame), node, frame)
        case ast.Compare(left, [op], [right]):
            return _compare(m, op, m.evaluate(left, frame), m.evaluate(right, frame), node, frame)
        case ast.BoolOp(op, values):
            return _boolean(m, op, [m.evaluate(v, frame) for v in values], node, frame)
        case ast.Subscript(value, index):
            return _subscript(m, m.evaluate(value, frame), index, frame)
        case ast.Tuple(elements) | ast.List(elements):
            return m.seq(_items(m, elements, frame), frame.depth)
        case ast.Dict(keys, values):
            return _dict(m, keys, values, frame)
        case ast.IfExp(test, body, orelse):
            chosen = m.evaluate(test, frame)
            if isinstance(chosen, Const):
                return m.evaluate(body if chosen.value else orelse, frame)
            return join(m, m.evaluate(body, frame), m.evaluate(orelse, frame))
        case ast.Lambda():
            key = m.key("lambda", id(node), frame.serial)
            return Function(key=key, form=key, module=frame.module, node=node, closure=frame)
        case (
            ast.ListComp(element, generators) | ast.GeneratorExp(element, generators) | ast.SetComp(element, generators)
        ):
            return _comprehension(m, element, generators, frame)
        case ast.NamedExpr(target, value):
            evaluated = m.evaluate(value, frame)
            assign(m, target, evaluated, frame)
            return evaluated
    return m.opaque("expression", id(node), frame.serial, depth=frame.depth)


def _call(m: Machine, node: ast.Call, frame: Frame) -> Value:
    match node.func:
        case ast.Attribute(ast.Subscript(ast.Attribute(base, "at"), index), name) if name in UPDATES and node.args:
            return _updated(m, m.evaluate(base, frame), index, name, m.evaluate(node.args[0], frame), node, frame)
        case ast.Attribute(ast.Name(held), name) if name in LIST_METHODS and isinstance(frame.names.get(held), Seq):
            return _grown(m, held, name, [m.evaluate(a, frame) for a in node.args], frame)
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


def _unary(m: Machine, op: ast.unaryop, value: Value, node: ast.AST, frame: Frame) -> Value:
    if isinstance(value, Const) and isinstance(value.value, bool | int | float):
        if isinstance(op, ast.USub):
            return m.const(-value.value, value.depth)
        if isinstance(op, ast.Not):
            return m.const(not value.value, value.depth)
    if isinstance(value, Array) and isinstance(op, ast.USub | ast.UAdd):
        return result(m, node, frame, "negative", [value], library=value.library, kind="exact", spread=0.0)
    return m.opaque(type(op).__name__, value.key, depth=min(frame.depth, value.depth))


def _compare(m: Machine, op: ast.cmpop, left: Value, right: Value, node: ast.AST, frame: Frame) -> Value:
    check = asserting.compared_by_operator(m, op, left, right, node, frame)
    if check is not None:
        return check
    if isinstance(left, Const) and isinstance(right, Const):
        match op:
            case ast.Eq() | ast.Is():
                return m.const(left.value == right.value, min(left.depth, right.depth))
            case ast.NotEq() | ast.IsNot():
                return m.const(left.value != right.value, min(left.depth, right.depth))
    if isinstance(op, ast.In | ast.NotIn) and isinstance(left, Const) and isinstance(right, Seq) and not right.open:
        listed = [v.value for v in right.items if isinstance(v, Const)]
        if len(listed) == len(right.items):
            return m.const((left.value in listed) == isinstance(op, ast.In), left.depth)
    if isinstance(left, Array) or isinstance(right, Array):
        library = "jax" if "jax" in {getattr(v, "library", "") for v in (left, right)} else "numpy"
        return result(
            m, node, frame, type(op).__name__, [left, right], library=library, kind="discrete", spread=0.0, dtype="bool"
        )
    return m.opaque(type(op).__name__, left.key, right.key, depth=min(frame.depth, left.depth, right.depth))


def _boolean(m: Machine, op: ast.boolop, values: Sequence[Value], node: ast.AST, frame: Frame) -> Value:
    if all(isinstance(v, Const) for v in values):
        for value in values[:-1]:
            if isinstance(value, Const) and bool(value.value) == isinstance(op, ast.Or):
                return value
        return values[-1]
    if isinstance(op, ast.And) and any(isinstance(v, Check) for v in values):
        return m.seq(list(values), frame.depth)  # each of them is asserted when the whole is
    return m.opaque("boolean", id(node), *(v.key for v in values), depth=min([frame.depth, *(v.depth for v in values)]))


def _subscript(m: Machine, value: Value, index: ast.expr, frame: Frame) -> Value:
    if isinstance(index, ast.Slice) and isinstance(value, Seq) and not value.open:
        bounds = [None if b is None else m.evaluate(b, frame) for b in (index.lower, index.upper, index.step)]
        if all(b is None or (isinstance(b, Const) and isinstance(b.value, int)) for b in bounds):
            part = value.items[slice(*(b.value if isinstance(b, Const) else None for b in bounds))]
            return m.seq(part, value.depth)
    where = m.evaluate(index, frame) if not isinstance(index, ast.Slice) else _slice_key(m, index, frame)
    depth = min(frame.depth, value.depth)
    if isinstance(value, Record) and isinstance(where, Const) and where.value in value.items:
        held = value.items[where.value]
        return replace(held, depth=min(held.depth, where.depth, value.depth))
    if isinstance(value, Seq) and isinstance(where, Const) and isinstance(where.value, int):
        if not value.open and -len(value.items) <= where.value < len(value.items):
            return value.items[where.value]
        if value.open and value.items:
            return value.items[-1]
    if isinstance(value, Array):
        key, form = m.key("item", value.key, where.key), m.key("item", value.form, where.form)
        return replace(value, key=key, form=form, depth=depth, edge=None, tail=0.0)
    key, form = m.key("item", value.key, where.key), m.key("item", value.form, where.form)
    return Opaque(key=key, form=form, depth=depth, trail=value.trail)


def _slice_key(m: Machine, index: ast.Slice, frame: Frame) -> Value:
    parts = [
        m.evaluate(b, frame) if b is not None else m.const(None, frame.depth)
        for b in (index.lower, index.upper, index.step)
    ]
    return m.opaque("slice", *(p.key for p in parts), depth=frame.depth)


def _dict(m: Machine, keys: Sequence[ast.expr | None], values: Sequence[ast.expr], frame: Frame) -> Value:
    items: dict[object, Value] = {}
    known = True
    for key, value in zip(keys, values, strict=True):
        evaluated = m.evaluate(value, frame)
        if key is None:
            known = known and isinstance(evaluated, Record)
            items |= evaluated.items if isinstance(evaluated, Record) else {}
            continue
        name = m.evaluate(key, frame)
        if isinstance(name, Const):
            items[name.value] = evaluated
        else:
            # A key that is no constant (a dtype, say) still keeps its value as an example.
            items[("key", name.key)] = evaluated
    if not known:
        return m.opaque("dict", *(v.key for v in items.values()), depth=frame.depth)
    return record(m, items, frame.depth)


def _comprehension(m: Machine, element: ast.expr, generators: Sequence[ast.comprehension], frame: Frame) -> Value:
    inner = replace(frame, names=dict(frame.names), returns=[])
    first = m.evaluate(generators[0].iter, inner)
    if len(generators) == 1 and not generators[0].ifs and isinstance(first, Seq) and not first.open:
        found: list[Value] = []
        for value in first.items[:8]:
            assign(m, generators[0].target, value, inner)
            found.append(m.evaluate(element, inner))
        return m.seq(found, frame.depth, is_open=len(first.items) > 8)
    for generator in generators:
        source = m.evaluate(generator.iter, inner)
        example = source.items[0] if isinstance(source, Seq) and source.items else item(m, source, 0, -1, inner)
        assign(m, generator.target, example, inner)
    return m.seq([m.evaluate(element, inner)], frame.depth, is_open=True)
