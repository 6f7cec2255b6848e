"""The parameters of a function: which there are, what one is by default, what a call gives for it."""

from __future__ import annotations

import ast

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def by_position(function: Function) -> list[ast.arg]:
    """The parameters that an argument by position goes to, in order."""
    return [*function.args.posonlyargs, *function.args.args]


def named(function: Function) -> list[ast.arg]:
    """All parameters that take one value each, in order."""
    return [*by_position(function), *function.args.kwonlyargs]


def parameter(function: Function, name: str) -> ast.arg | None:
    """The parameter of this name that takes one value."""
    return next((p for p in named(function) if p.arg == name), None)


def default_of(function: ast.AST | None, name: str) -> ast.expr | None:
    """What a parameter is where it isn't given."""
    if not isinstance(function, Function):
        return None
    a = function.args
    missing = len(by_position(function)) - len(a.defaults)
    defaults = [*[None] * missing, *a.defaults, *a.kw_defaults]
    return next((d for p, d in zip(named(function), defaults, strict=True) if p.arg == name), None)


def argument_for(call: ast.Call, function: Function, own: ast.arg) -> ast.expr | None:
    """What a call of the function gives for one of its parameters, where that can be told."""
    for keyword in call.keywords:
        if keyword.arg == own.arg:
            return keyword.value
    parameters = by_position(function)
    at = parameters.index(own) if own in parameters else len(call.args)
    starred = any(isinstance(a, ast.Starred) for a in call.args)
    return call.args[at] if at < len(call.args) and not starred else None
