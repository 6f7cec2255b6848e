"""Calls: into project functions, through transforms, into libraries."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from omnilint.index.module import FunctionNode, ModuleIndex
from omnilint.rounding import gradients, library, objects, scope, spots
from omnilint.rounding.binding import join
from omnilint.rounding.copying import replace
from omnilint.rounding.frame import Frame
from omnilint.rounding.operands import traced
from omnilint.rounding.trees import rebuilt, record
from omnilint.rounding.values import (
    FAR,
    Array,
    ClassRef,
    Function,
    Instance,
    Opaque,
    Partial,
    Record,
    Seq,
    Signature,
    Symbol,
    Value,
    Wrapped,
    least,
)

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine

# How deep calls are followed.
DEPTH = 8


def call(
    m: Machine,
    callee: Value,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    node: ast.AST,
    frame: Frame,
) -> Value:
    """The value of `callee(*arguments, **keywords)` called at `node` in `frame`."""
    m.fuel -= 1
    if m.fuel < 0:
        return m.opaque("spent", id(node), depth=frame.depth)
    return _CALLS.get(type(callee), unknown)(m, callee, arguments, keywords, node, frame)


def unknown(
    m: Machine,
    callee: Value,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    node: ast.AST,
    frame: Frame,
) -> Value:
    """The result of a call that can't be looked into: equal for equal callee and arguments."""
    values = [callee, *arguments, *keywords.values()]
    trail = next((v.trail for v in arguments if v.trail is not None and v.trail.kind == "shift"), None)
    key, form = m.keys(("call",), values)
    return Opaque(key=key, form=form, depth=least(frame.depth, values), trail=trail)


def _part(
    m: Machine, callee: Partial, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.AST, frame: Frame
) -> Value:
    return call(m, callee.callee, [*callee.arguments, *arguments], {**callee.keywords, **keywords}, node, frame)


def _object(
    m: Machine, callee: Instance, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.AST, frame: Frame
) -> Value:
    found = objects.class_member(m, callee.cls, "__call__", callee, node, frame)
    if found is not None:
        return call(m, found, arguments, keywords, node, frame)
    return unknown(m, callee, arguments, keywords, node, frame)


def _enter(
    m: Machine,
    function: Function,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    node: ast.AST,
    frame: Frame,
) -> Value:
    if function.node in m.active or frame.depth >= DEPTH:
        return unknown(m, function, arguments, keywords, node, frame)
    given = [function.owner, *arguments] if function.owner is not None else list(arguments)
    inner = Frame(
        function.module,
        bind(m, function, given, keywords, frame.depth + 1),
        x64=frame.x64,
        eager=frame.eager,
        depth=frame.depth + 1,
        caller=frame,
        call=node,
        closure=function.closure,
        node=function.node,
    )
    m.active.append(function.node)
    try:
        if isinstance(function.node, ast.Lambda):
            return _supplied(m, m.evaluate(function.node.body, inner), min(function.depth, frame.depth))
        if _generates(m, function.module, function.node):
            return unknown(m, function, arguments, keywords, node, frame)
        m.execute(function.node.body, inner)
    finally:
        m.active.pop()
    if not inner.returns:
        return m.const(None, frame.depth)
    value = inner.returns[0]
    for other in inner.returns[1:]:
        value = join(m, value, other)
    return _supplied(m, value, min(function.depth, frame.depth))


def _supplied(m: Machine, value: Value, depth: int) -> Value:
    """The result of a call, supplied by the frame that made it or by the one that supplied the function."""
    if not isinstance(value, (Seq, Record)):
        return replace(value, depth=depth) if value.depth > depth else value
    return rebuilt(m, value, lambda v: replace(v, depth=depth) if v.depth > depth else v)


def _generates(m: Machine, module: ModuleIndex, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    if node not in m.generators:
        text = module.lines[node.lineno - 1 : node.end_lineno]
        m.generators[node] = any("yield" in line for line in text) and _yields(node)
    return m.generators[node]


def _yields(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(n, (ast.Yield, ast.YieldFrom)) for statement in node.body for n in spots.nodes_of(statement))


def bind(
    m: Machine, function: Function, arguments: Sequence[Value], keywords: Mapping[str, Value], depth: int
) -> dict[str, Value]:
    """Parameters bound to arguments; a default is evaluated where the function was defined; the rest is unknown."""
    spec = _signature(m, function.node)
    names = dict(zip(spec.positional, arguments, strict=False))
    names.update({k: v for k, v in keywords.items() if k in spec.every})
    for name, default in spec.defaults:
        if name not in names:
            names[name] = _default(m, function, default)
    if spec.vararg is not None:
        names[spec.vararg] = m.seq(arguments[len(spec.positional) :], FAR)
    if spec.kwarg is not None:
        names[spec.kwarg] = record(m, {k: v for k, v in keywords.items() if k not in spec.every}, FAR)
    for name in spec.every.difference(names):
        # Unknown, and never equal to the same parameter of another call.
        names[name] = m.opaque("parameter", id(function.node), name, depth=depth)
    if "**" in keywords:
        for name in spec.every.difference(keywords, spec.positional[: len(arguments)]):
            names[name] = m.opaque("parameter", id(function.node), name, depth=depth)
    return names


def _signature(m: Machine, node: FunctionNode | ast.Lambda) -> Signature:
    found = m.signatures.get(node)
    if found is None:
        spec = node.args
        positional = [p.arg for p in (*spec.posonlyargs, *spec.args)]
        named = [(p.arg, d) for p, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None]
        found = m.signatures[node] = Signature(
            positional,
            frozenset([*positional, *(p.arg for p in spec.kwonlyargs)]),
            [*zip(reversed(positional), reversed(spec.defaults), strict=False), *named],
            spec.vararg.arg if spec.vararg is not None else None,
            spec.kwarg.arg if spec.kwarg is not None else None,
        )
    return found


def _default(m: Machine, function: Function, node: ast.expr) -> Value:
    if function.closure is not None:
        return scope.far(m.evaluate(node, function.closure))
    return scope.fixed(m, node, function.module)


def _transformed(
    m: Machine,
    callee: Wrapped,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    node: ast.AST,
    frame: Frame,
) -> Value:
    if callee.transform.startswith("x64."):
        before, frame.x64 = frame.x64, callee.transform.removeprefix("x64.")
        try:
            return call(m, callee.callee, arguments, keywords, node, frame)
        finally:
            frame.x64 = before
    fold = callee.transform != "jit"
    arguments = [traced(m, v, fold, node, frame) for v in arguments]
    keywords = {k: traced(m, v, fold, node, frame) for k, v in keywords.items()}
    value = call(m, callee.callee, arguments, keywords, node, frame)
    if callee.transform == "jit" and frame.eager:
        return value
    if callee.transform == "jit":
        return _reformed(m, value, lambda v: _staged(replace(v, form=m.key("jit", v.form))))
    if callee.transform in ("grad", "value_and_grad"):
        return gradients.derived(m, callee, value, arguments, frame)
    tag = callee.transform
    return _reformed(m, value, lambda v: _staged(replace(v, key=m.key(tag, v.key), form=m.key(tag, v.form))))


def _staged(value: Value) -> Value:
    return replace(value, staged=True) if isinstance(value, Array) else value


def _reformed(m: Machine, value: Value, change: Callable[[Value], Value]) -> Value:
    return rebuilt(m, value, lambda v: change(v) if isinstance(v, (Array, Opaque)) else v)


# What calling each kind of value does; the rest can't be looked into.
_CALLS: dict[type[Value], Callable[..., Value]] = {
    Function: _enter,
    Partial: _part,
    Wrapped: _transformed,
    ClassRef: objects.instantiate,
    Instance: _object,
    Symbol: library.call,
}
