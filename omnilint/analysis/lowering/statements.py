"""Statements and patterns, lowered."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from omnilint.analysis import nodes as cst
from omnilint.analysis.lowering.expressions import argument, keywords, parameters
from omnilint.analysis.lowering.signs import ASYNC, AUGMENTED, DOT

if TYPE_CHECKING:
    from omnilint.analysis.lowering.lower import Lowering


def _function(lo: Lowering, n: Any) -> Any:
    return cst.FunctionDef(
        cst.Name(n.name),
        parameters(lo, n.args),
        lo.block(n.body),
        _decorators(lo, n),
        None if n.returns is None else cst.Annotation(lo.expression(n.returns)),
        ASYNC if isinstance(n, ast.AsyncFunctionDef) else None,
    )


def _decorators(lo: Lowering, n: Any) -> Any:
    return tuple(cst.Decorator(lo.expression(d)) for d in n.decorator_list)


def _class(lo: Lowering, n: ast.ClassDef) -> Any:
    bases = tuple(argument(lo, b) for b in n.bases)
    return cst.ClassDef(cst.Name(n.name), lo.block(n.body), bases, keywords(lo, n.keywords), _decorators(lo, n))


def _orelse(lo: Lowering, body: list[ast.stmt]) -> Any:
    return cst.Else(lo.block(body)) if body else None


def _if(lo: Lowering, n: ast.If) -> Any:
    if len(n.orelse) == 1 and isinstance(n.orelse[0], ast.If):
        orelse = lo.statement(n.orelse[0])
    else:
        orelse = _orelse(lo, n.orelse)
    return cst.If(lo.expression(n.test), lo.block(n.body), orelse)


def _for(lo: Lowering, n: Any) -> Any:
    mark = ASYNC if isinstance(n, ast.AsyncFor) else None
    return cst.For(lo.expression(n.target), lo.expression(n.iter), lo.block(n.body), _orelse(lo, n.orelse), mark)


def _while(lo: Lowering, n: ast.While) -> Any:
    return cst.While(lo.expression(n.test), lo.block(n.body), _orelse(lo, n.orelse))


def _try(lo: Lowering, n: Any) -> Any:
    star = not isinstance(n, ast.Try)
    handler: Callable[[Any, Any, Any], Any] = cst.ExceptStarHandler if star else cst.ExceptHandler
    handlers = tuple(
        handler(lo.block(h.body), lo.optional(h.type), None if h.name is None else cst.AsName(cst.Name(h.name)))
        for h in n.handlers
    )
    final = cst.Finally(lo.block(n.finalbody)) if n.finalbody else None
    whole: Callable[[Any, Any, Any, Any], Any] = cst.TryStar if star else cst.Try
    return whole(lo.block(n.body), handlers, _orelse(lo, n.orelse), final)


def _with(lo: Lowering, n: Any) -> Any:
    items = tuple(
        cst.WithItem(
            lo.expression(i.context_expr),
            None if i.optional_vars is None else cst.AsName(lo.expression(i.optional_vars)),
        )
        for i in n.items
    )
    return cst.With(items, lo.block(n.body), ASYNC if isinstance(n, ast.AsyncWith) else None)


def _match(lo: Lowering, n: Any) -> Any:
    cases = tuple(cst.MatchCase(_pattern(lo, c.pattern), lo.block(c.body), lo.optional(c.guard)) for c in n.cases)
    return cst.Match(lo.expression(n.subject), cases)


def _pattern(lo: Lowering, p: Any) -> Any:
    out = _PATTERNS[type(p).__name__](lo, p)
    lo.origins[id(out)] = p
    return out


def _optional_name(name: str | None) -> Any:
    return None if name is None else cst.Name(name)


def _sequence_element(lo: Lowering, p: Any) -> Any:
    return _pattern(lo, p) if type(p).__name__ == "MatchStar" else cst.MatchSequenceElement(_pattern(lo, p))


_PATTERNS: dict[str, Callable[[Lowering, Any], Any]] = {
    "MatchValue": lambda lo, p: cst.MatchValue(lo.expression(p.value)),
    "MatchSingleton": lambda lo, p: cst.MatchSingleton(cst.Name(repr(p.value))),
    "MatchSequence": lambda lo, p: cst.MatchList(tuple(_sequence_element(lo, x) for x in p.patterns)),
    "MatchStar": lambda lo, p: cst.MatchStar(_optional_name(p.name)),
    "MatchMapping": lambda lo, p: cst.MatchMapping(
        tuple(
            cst.MatchMappingElement(lo.expression(k), _pattern(lo, x)) for k, x in zip(p.keys, p.patterns, strict=True)
        ),
        _optional_name(p.rest),
    ),
    "MatchClass": lambda lo, p: cst.MatchClass(
        lo.expression(p.cls),
        tuple(cst.MatchSequenceElement(_pattern(lo, x)) for x in p.patterns),
        tuple(
            cst.MatchKeywordElement(cst.Name(k), _pattern(lo, x))
            for k, x in zip(p.kwd_attrs, p.kwd_patterns, strict=True)
        ),
    ),
    "MatchAs": lambda lo, p: cst.MatchAs(
        None if p.pattern is None else _pattern(lo, p.pattern), _optional_name(p.name)
    ),
    "MatchOr": lambda lo, p: cst.MatchOr(tuple(cst.MatchOrElement(_pattern(lo, x)) for x in p.patterns)),
}


def _dotted(text: str) -> cst.Name | cst.Attribute:
    first, *rest = text.split(".")
    out: cst.Name | cst.Attribute = cst.Name(first)
    for word in rest:
        out = cst.Attribute(out, cst.Name(word))
    return out


def _aliases(names: list[ast.alias]) -> Any:
    return tuple(
        cst.ImportAlias(_dotted(a.name), None if a.asname is None else cst.AsName(cst.Name(a.asname))) for a in names
    )


def _import_from(lo: Lowering, n: ast.ImportFrom) -> Any:
    names = cst.ImportStar() if n.names[0].name == "*" else _aliases(n.names)
    return cst.ImportFrom(None if n.module is None else _dotted(n.module), names, (DOT,) * n.level)


def _assign(lo: Lowering, n: ast.Assign) -> Any:
    targets = tuple(cst.AssignTarget(lo.expression(t)) for t in n.targets)
    return cst.Assign(targets, lo.expression(n.value))


def _ann_assign(lo: Lowering, n: ast.AnnAssign) -> Any:
    annotation = cst.Annotation(lo.expression(n.annotation))
    return cst.AnnAssign(lo.expression(n.target), annotation, lo.optional(n.value))


def _names(kind: Callable[[tuple[cst.NameItem, ...]], cst.CSTNode]) -> Callable[[Lowering, Any], Any]:
    return lambda lo, n: kind(tuple(cst.NameItem(cst.Name(x)) for x in n.names))


def _delete(lo: Lowering, n: ast.Delete) -> Any:
    if len(n.targets) == 1:
        return cst.Del(lo.expression(n.targets[0]))
    return cst.Del(cst.Tuple(tuple(cst.Element(lo.expression(t)) for t in n.targets)))


def _expr(lo: Lowering, n: ast.Expr) -> Any:
    return cst.Pass() if isinstance(n.value, ast.Constant) else cst.Expr(lo.expression(n.value))


def _raise(lo: Lowering, n: ast.Raise) -> Any:
    return cst.Raise(lo.optional(n.exc), None if n.cause is None else cst.From(lo.expression(n.cause)))


STATEMENTS: dict[type[ast.stmt], Callable[[Lowering, Any], Any]] = {
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.Try: _try,
    ast.With: _with,
    ast.AsyncWith: _with,
}
for _name, _handler in (("TryStar", _try), ("Match", _match)):
    if hasattr(ast, _name):
        STATEMENTS[getattr(ast, _name)] = _handler
SMALL: dict[type[ast.stmt], Callable[[Lowering, Any], Any]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _ann_assign,
    ast.AugAssign: lambda lo, n: cst.AugAssign(lo.expression(n.target), AUGMENTED[type(n.op)], lo.expression(n.value)),
    ast.Return: lambda lo, n: cst.Return(lo.optional(n.value)),
    ast.Raise: _raise,
    ast.Assert: lambda lo, n: cst.Assert(lo.expression(n.test), lo.optional(n.msg)),
    ast.Expr: _expr,
    ast.Delete: _delete,
    ast.Global: _names(cst.Global),
    ast.Nonlocal: _names(cst.Nonlocal),
    ast.Import: lambda lo, n: cst.Import(_aliases(n.names)),
    ast.ImportFrom: _import_from,
    ast.Break: lambda lo, n: cst.Break(),
    ast.Continue: lambda lo, n: cst.Continue(),
}
