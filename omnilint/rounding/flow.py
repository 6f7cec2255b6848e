"""Statements: assignments, branches, loops, `with` and `try`, assertions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from omnilint.rounding import asserting, scope
from omnilint.rounding.binding import assign, augment, forget, item, merged
from omnilint.rounding.frame import Frame
from omnilint.rounding.values import Array, Const, Opaque, Seq, Symbol, Value

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
    return any(m.fuel < 0 or _statement(m, statement, frame) for statement in body)


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
            augment(m, target, op, m.evaluate(value, frame), node, frame)
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
        elif isinstance(context, Opaque) and "x64" in frame.module.source.text and not _of_library(m, callee, frame):
            frame.x64 = "unknown"  # it may be a helper that switches
        if entry.optional_vars is not None:
            assign(m, entry.optional_vars, context, frame)
    ended = execute(m, body, frame)
    swallowed = frame.quiet > quiet
    frame.x64, frame.quiet, frame.eager = x64, quiet, eager
    return ended and not swallowed


def _of_library(m: Machine, callee: ast.expr, frame: Frame) -> bool:
    value = m.evaluate(callee, frame)
    return isinstance(value, Symbol) and value.dotted.partition(".")[0] in scope.LIBRARIES


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
