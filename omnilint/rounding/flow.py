"""Statements: assignments, branches, loops, `with` and `try`, assertions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from omnilint.rounding import asserting, scope
from omnilint.rounding.arithmetic import as_array, binary
from omnilint.rounding.frame import Frame
from omnilint.rounding.values import Array, Const, Instance, Opaque, Record, Seq, Symbol, Trail, Value

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine

# Elements of a loop over known values that are run one by one.
UNROLLED = 8
# Contexts and handlers that say that a failing comparison is expected.
DECLARED = frozenset(
    {"raises", "assertRaises", "assertRaisesRegex", "assertRaisesWithLiteralMatch", "suppress", "warns"}
)


def execute(m: Machine, body: Sequence[ast.stmt], frame: Frame) -> bool:
    """Run the statements; True when control does not go past them (return, raise, break, continue)."""
    return any(_statement(m, statement, frame) for statement in body)


def _statement(m: Machine, node: ast.stmt, frame: Frame) -> bool:
    match node:
        case ast.Expr(value):
            m.evaluate(value, frame)
        case ast.Assign(targets, value):
            evaluated = m.evaluate(value, frame)
            for target in targets:
                assign(m, target, evaluated, frame)
        case ast.AnnAssign(target, _, value) if value is not None:
            assign(m, target, m.evaluate(value, frame), frame)
        case ast.AugAssign(target, op, value):
            _augment(m, target, op, m.evaluate(value, frame), node, frame)
        case ast.Return(value):
            frame.returns.append(m.evaluate(value, frame) if value else m.const(None, frame.depth))
            return True
        case ast.Raise() | ast.Break() | ast.Continue():
            return True
        case ast.Assert(test):
            asserting.asserted(m, m.evaluate(test, frame), frame)
        case ast.If(ast.UnaryOp(ast.Not(), claim), [*_, ast.Raise()] as body, orelse):
            holds = m.evaluate(claim, frame)
            asserting.asserted(m, holds, frame)  # an assertion written by hand
            return _branch(m, m.opaque("not", holds.key, depth=holds.depth), body, orelse, frame)
        case ast.If(test, body, orelse):
            return _branch(m, m.evaluate(test, frame), body, orelse, frame)
        case ast.For(target, iterable, body, orelse) | ast.AsyncFor(target, iterable, body, orelse):
            _loop(m, target, m.evaluate(iterable, frame), body, frame)
            return execute(m, orelse, frame)
        case ast.While(test, body, orelse):
            m.evaluate(test, frame)
            _repeat(m, [(None, None)] * 2, body, frame, certain=False)
        case ast.With(items, body) | ast.AsyncWith(items, body):
            return _with(m, items, body, frame)
        case ast.Try(body, handlers, orelse, finalbody) | ast.TryStar(body, handlers, orelse, finalbody):
            return _try(m, body, handlers, orelse, finalbody, frame)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            frame.names[node.name] = scope.define(m, node, frame)
        case ast.Match(_, cases):
            for case in cases:
                forget(m, case.body, frame)
        case ast.Import() | ast.ImportFrom():
            for alias in node.names:
                frame.names.pop((alias.asname or alias.name).partition(".")[0], None)
        case _:
            pass
    return False


def assign(m: Machine, target: ast.expr, value: Value, frame: Frame) -> None:
    """Bind a target to a value."""
    if isinstance(target, ast.Name):
        frame.names[target.id] = value
    elif isinstance(target, ast.Tuple | ast.List):
        starred = any(isinstance(e, ast.Starred) for e in target.elts)
        for i, element in enumerate(target.elts):
            inner = element.value if isinstance(element, ast.Starred) else element
            assign(m, inner, item(m, value, i if not starred else None, len(target.elts), frame), frame)
    elif isinstance(target, ast.Attribute):
        owner = m.evaluate(target.value, frame)
        if isinstance(owner, Instance):
            owner.attributes[target.attr] = value
    elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
        _store(m, target.value.id, target.slice, value, frame)


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


def _store(m: Machine, name: str, index: ast.expr, value: Value, frame: Frame) -> None:
    held = frame.names.get(name)
    where = m.evaluate(index, frame)
    if isinstance(held, Record) and isinstance(where, Const):
        frame.names[name] = replace(held, items={**held.items, where.value: value})
    elif held is not None:
        frame.names[name] = m.opaque("stored", held.key, where.key, value.key, depth=min(held.depth, value.depth))


def _augment(m: Machine, target: ast.expr, op: ast.operator, value: Value, node: ast.AST, frame: Frame) -> None:
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


def _branch(m: Machine, test: Value, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt], frame: Frame) -> bool:
    if isinstance(test, Const):
        return execute(m, body if test.value else orelse, frame)
    before = dict(frame.names)
    left = execute(m, body, frame)
    after_body, frame.names = frame.names, before
    right = execute(m, orelse, frame)
    if left:
        return right
    frame.names = after_body if right else merged(m, after_body, frame.names, frame)
    return False


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
        return m.seq([*left.items, *right.items][-8:], depth, is_open=True)
    return m.opaque("either", left.key, right.key, depth=depth)


def _loop(m: Machine, target: ast.expr, iterable: Value, body: Sequence[ast.stmt], frame: Frame) -> None:
    if isinstance(iterable, Seq) and not iterable.open and len(iterable.items) <= UNROLLED:
        rounds: list[tuple[ast.expr | None, Value | None]] = [(target, value) for value in iterable.items]
        _repeat(m, rounds, body, frame, certain=True)
        return
    element = item(m, iterable, 0, -1, frame)
    if isinstance(iterable, Seq) and iterable.items:
        element = iterable.items[0]
    _repeat(m, [(target, element)] * 2, body, frame, certain=isinstance(iterable, Seq | Array))


def _repeat(
    m: Machine,
    rounds: Sequence[tuple[ast.expr | None, Value | None]],
    body: Sequence[ast.stmt],
    frame: Frame,
    certain: bool,
) -> None:
    before = dict(frame.names)
    for target, value in rounds:
        if target is not None and value is not None:
            assign(m, target, value, frame)
        if execute(m, body, frame):
            frame.names = merged(m, before, frame.names, frame)
            return
    if not certain:
        frame.names = merged(m, before, frame.names, frame)


def _with(m: Machine, items: Sequence[ast.withitem], body: Sequence[ast.stmt], frame: Frame) -> bool:
    x64, quiet, eager = frame.x64, frame.quiet, frame.eager
    for entry in items:
        context = m.evaluate(entry.context_expr, frame)
        callee = entry.context_expr.func if isinstance(entry.context_expr, ast.Call) else entry.context_expr
        name = callee.attr if isinstance(callee, ast.Attribute) else callee.id if isinstance(callee, ast.Name) else ""
        if name in DECLARED:
            frame.quiet += 1
        elif isinstance(context, Symbol) and context.dotted == "mode.eager":
            frame.eager = True
        elif isinstance(context, Symbol):
            frame.x64 = context.dotted.removeprefix("x64.") if context.dotted.startswith("x64.") else frame.x64
        elif isinstance(context, Opaque) and "x64" in frame.module.source.text:
            frame.x64 = "unknown"  # it may be a helper that switches
        if entry.optional_vars is not None:
            assign(m, entry.optional_vars, context, frame)
    ended = execute(m, body, frame)
    swallowed = frame.quiet > quiet
    frame.x64, frame.quiet, frame.eager = x64, quiet, eager
    return ended and not swallowed


def _try(
    m: Machine,
    body: Sequence[ast.stmt],
    handlers: Sequence[ast.ExceptHandler],
    orelse: Sequence[ast.stmt],
    finalbody: Sequence[ast.stmt],
    frame: Frame,
) -> bool:
    caught = [n for h in handlers for n in _caught(m, h, frame)]
    expected = any(n in ("builtins.AssertionError", "builtins.Exception", "builtins.BaseException") for n in caught)
    frame.quiet += expected
    before = dict(frame.names)
    ended = execute(m, body, frame)
    frame.quiet -= expected
    if not ended:
        ended = execute(m, orelse, frame)
    for handler in handlers:
        forget(m, handler.body, frame)
        frame.names = merged(m, before, frame.names, frame) if not ended else frame.names
    return execute(m, finalbody, frame) or ended


def _caught(m: Machine, handler: ast.ExceptHandler, frame: Frame) -> Iterator[str]:
    if handler.type is None:
        yield "builtins.BaseException"
        return
    for node in handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]:
        value = m.evaluate(node, frame)
        if isinstance(value, Symbol):
            yield value.dotted


def forget(m: Machine, body: Sequence[ast.stmt], frame: Frame) -> None:
    """Names that statements which may or may not run bind are unknown afterwards."""
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                frame.names[node.id] = m.opaque("forgotten", id(node), depth=frame.depth)
