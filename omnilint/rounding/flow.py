"""Statements: assignments, branches, loops, `with` and `try`, assertions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from omnilint.rounding import asserting, scope
from omnilint.rounding.binding import assign, augment, elements, forget, item, merged
from omnilint.rounding.frame import Frame
from omnilint.rounding.growing import mark_growing
from omnilint.rounding.values import Array, Const, Opaque, Record, Seq, Symbol, Value

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
    for statement in body:
        if m.fuel < 0:
            return True
        run = _KINDS.get(type(statement))
        if run is not None and run(m, statement, frame):
            return True
    return False


def _expression(m: Machine, node: ast.Expr, frame: Frame) -> None:
    m.evaluate(node.value, frame)


def _assign(m: Machine, node: ast.Assign, frame: Frame) -> None:
    value = m.evaluate(node.value, frame)
    for target in node.targets:
        assign(m, target, value, frame)


def _annotated(m: Machine, node: ast.AnnAssign, frame: Frame) -> None:
    if node.value is not None:
        assign(m, node.target, m.evaluate(node.value, frame), frame)


def _augment(m: Machine, node: ast.AugAssign, frame: Frame) -> None:
    augment(m, node.target, node.op, m.evaluate(node.value, frame), node, frame)


def _return(m: Machine, node: ast.Return, frame: Frame) -> bool:
    frame.returns.append(m.evaluate(node.value, frame) if node.value else m.const(None, frame.depth))
    return True


def _assert(m: Machine, node: ast.Assert, frame: Frame) -> None:
    asserting.asserted(m, m.evaluate(node.test, frame), frame)


def _if(m: Machine, node: ast.If, frame: Frame) -> bool:
    test = node.test
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and isinstance(node.body[-1], ast.Raise):
        holds = m.evaluate(test.operand, frame)
        asserting.asserted(m, holds, frame)  # an assertion written by hand
        return _branch(m, m.opaque("not", holds.key, depth=holds.depth), node.body, node.orelse, frame)
    return _branch(m, m.evaluate(test, frame), node.body, node.orelse, frame)


def _for(m: Machine, node: ast.For | ast.AsyncFor, frame: Frame) -> bool:
    _loop(m, node.target, m.evaluate(node.iter, frame), node.body, frame)
    return execute(m, node.orelse, frame)


def _while(m: Machine, node: ast.While, frame: Frame) -> None:
    m.evaluate(node.test, frame)
    before = dict(frame.names)
    _repeat(m, [(None, None)] * 2, node.body, frame, certain=False)
    mark_growing(m, before, frame)


def _define(m: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, frame: Frame) -> None:
    frame.names[node.name] = scope.define(m, node, frame)


def _match(m: Machine, node: ast.Match, frame: Frame) -> None:
    for case in node.cases:
        forget(m, case.body, frame)


def _import(m: Machine, node: ast.Import | ast.ImportFrom, frame: Frame) -> None:
    for alias in node.names:
        frame.names.pop((alias.asname or alias.name).partition(".")[0], None)


def _leave(m: Machine, node: ast.stmt, frame: Frame) -> bool:
    return True


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
    if isinstance(iterable, Record):
        iterable = elements(m, iterable, frame) or iterable
    if isinstance(iterable, Seq) and not iterable.open and len(iterable.items) <= UNROLLED:
        rounds: list[tuple[ast.expr | None, Value | None]] = [(target, value) for value in iterable.items]
        _repeat(m, rounds, body, frame, certain=True)
        return
    element = item(m, iterable, 0, -1, frame)
    if isinstance(iterable, Seq) and iterable.items:
        element = iterable.items[0]
    before = dict(frame.names)
    _repeat(m, [(target, element)] * 2, body, frame, certain=isinstance(iterable, (Seq, Array)))
    mark_growing(m, before, frame)


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


def _with(m: Machine, node: ast.With | ast.AsyncWith, frame: Frame) -> bool:
    x64, quiet, eager = frame.x64, frame.quiet, frame.eager
    for entry in node.items:
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
    ended = execute(m, node.body, frame)
    swallowed = frame.quiet > quiet
    frame.x64, frame.quiet, frame.eager = x64, quiet, eager
    return ended and not swallowed


def _of_library(m: Machine, callee: ast.expr, frame: Frame) -> bool:
    value = m.evaluate(callee, frame)
    return isinstance(value, Symbol) and value.dotted.partition(".")[0] in scope.LIBRARIES


def _try(m: Machine, node: ast.Try | ast.TryStar, frame: Frame) -> bool:
    caught = [n for h in node.handlers for n in _caught(m, h, frame)]
    expected = any(n in ("builtins.AssertionError", "builtins.Exception", "builtins.BaseException") for n in caught)
    frame.quiet += expected
    before = dict(frame.names)
    ended = execute(m, node.body, frame)
    frame.quiet -= expected
    if not ended:
        ended = execute(m, node.orelse, frame)
    for handler in node.handlers:
        forget(m, handler.body, frame)
        frame.names = merged(m, before, frame.names, frame) if not ended else frame.names
    return execute(m, node.finalbody, frame) or ended


def _caught(m: Machine, handler: ast.ExceptHandler, frame: Frame) -> Iterator[str]:
    if handler.type is None:
        yield "builtins.BaseException"
        return
    for node in handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]:
        value = m.evaluate(node, frame)
        if isinstance(value, Symbol):
            yield value.dotted


# What running each kind of statement does; True when control does not go past it.
_KINDS: dict[type[ast.AST], Callable[[Machine, Any, Frame], bool | None]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augment,
    ast.Return: _return,
    ast.Raise: _leave,
    ast.Break: _leave,
    ast.Continue: _leave,
    ast.Assert: _assert,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.FunctionDef: _define,
    ast.AsyncFunctionDef: _define,
    ast.ClassDef: _define,
    ast.Match: _match,
    ast.Import: _import,
    ast.ImportFrom: _import,
}
