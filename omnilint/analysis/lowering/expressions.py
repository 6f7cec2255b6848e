"""Expressions, lowered."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from omnilint.analysis import nodes as cst
from omnilint.analysis.lowering.signs import (
    AND,
    ASYNC,
    BINARY,
    COMPARE,
    OR,
    UNARY,
)

if TYPE_CHECKING:
    from omnilint.analysis.lowering.lower import Lowering


def parameters(lo: Lowering, a: ast.arguments) -> Any:
    """The parameters of a function or a lambda."""
    positional = [*a.posonlyargs, *a.args]
    absent: list[ast.expr | None] = [None] * (len(positional) - len(a.defaults))
    params = [_param(lo, p, d) for p, d in zip(positional, [*absent, *a.defaults], strict=True)]
    cut = len(a.posonlyargs)
    return cst.Parameters(
        tuple(params[cut:]),
        None if a.vararg is None else _param(lo, a.vararg, None),
        tuple(_param(lo, p, d) for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True)),
        None if a.kwarg is None else _param(lo, a.kwarg, None),
        tuple(params[:cut]),
    )


def _param(lo: Lowering, a: ast.arg, default: ast.expr | None) -> Any:
    annotation = None if a.annotation is None else cst.Annotation(lo.expression(a.annotation))
    out = cst.Param(cst.Name(a.arg), annotation, lo.optional(default))
    lo.origins[id(out)] = a
    return out


def _name_of(lo: Lowering, n: ast.Name) -> Any:
    return cst.Name(n.id)


def _attribute(lo: Lowering, n: ast.Attribute) -> Any:
    return cst.Attribute(lo.expression(n.value), cst.Name(n.attr))


def _constant(lo: Lowering, n: ast.Constant) -> Any:
    value: Any = n.value
    kind = type(value)
    if kind is str or kind is bytes:
        return cst.SimpleString(repr(value))
    if kind is int:
        return cst.Integer(str(value) if -(1 << 4000) < value < 1 << 4000 else hex(value))
    if kind is float:
        return cst.Float(repr(value) if value < float("inf") else "1e999")
    if kind is complex:
        return cst.Imaginary(repr(value))
    return cst.Ellipsis() if value is ... else cst.Name(repr(value))


def _formatted(lo: Lowering, n: ast.JoinedStr) -> Any:
    before = len(lo.origins)
    out = _parts(lo, n)
    if _INNER_PLACES_WRONG and n.end_lineno != n.lineno:
        for node in list(lo.origins)[before:]:
            lo.origins[node] = n
    return cst.FormattedString(out)


# Until 3.12, Python misplaced what stands inside of a formatted string over several lines.
_INNER_PLACES_WRONG = sys.version_info < (3, 12)


def _parts(lo: Lowering, n: ast.JoinedStr) -> tuple[Any, ...]:
    out: list[Any] = []
    for p in n.values:
        if isinstance(p, ast.FormattedValue):
            conversion = chr(p.conversion) if p.conversion > 0 else None
            spec = _parts(lo, p.format_spec) if isinstance(p.format_spec, ast.JoinedStr) else None
            out.append(cst.FormattedStringExpression(lo.expression(p.value), conversion, spec))
        elif isinstance(p, ast.Constant):
            out.append(cst.FormattedStringText(str(p.value)))
    return tuple(out)


def _element(lo: Lowering, n: ast.expr) -> Any:
    if isinstance(n, ast.Starred):
        out = cst.StarredElement(lo.expression(n.value))
        lo.origins[id(out)] = n
        return out
    return cst.Element(_slice(lo, n) if isinstance(n, ast.Slice) else lo.expression(n))


def _slice(lo: Lowering, n: ast.Slice) -> cst.Call:
    """A slice among the elements of a tuple, as in `x[*i, 1:]`."""
    bounds = [cst.Name("None") if b is None else lo.expression(b) for b in (n.lower, n.upper, n.step)]
    out = cst.Call(cst.Name("slice"), tuple(cst.Arg(b, None, "") for b in bounds))
    lo.origins[id(out)] = n
    return out


def _display(kind: Callable[[tuple[Any, ...]], cst.CSTNode]) -> Callable[[Lowering, Any], Any]:
    return lambda lo, n: kind(tuple([_element(lo, e) for e in n.elts]))


def _dict(lo: Lowering, n: ast.Dict) -> Any:
    return cst.Dict(
        tuple(
            cst.StarredDictElement(lo.expression(v))
            if k is None
            else cst.DictElement(lo.expression(k), lo.expression(v))
            for k, v in zip(n.keys, n.values, strict=True)
        )
    )


def _binary(lo: Lowering, n: ast.BinOp) -> Any:
    return cst.BinaryOperation(lo.expression(n.left), BINARY[type(n.op)], lo.expression(n.right))


def _unary(lo: Lowering, n: ast.UnaryOp) -> Any:
    return cst.UnaryOperation(UNARY[type(n.op)], lo.expression(n.operand))


def _boolean(lo: Lowering, n: ast.BoolOp) -> Any:
    sign = AND if isinstance(n.op, ast.And) else OR
    out = lo.expression(n.values[0])
    for i, value in enumerate(n.values[1:], 2):
        out = cst.BooleanOperation(out, sign, lo.expression(value))
        if i < len(n.values):  # the last one is the whole
            lo.origins[id(out)] = _span(n.values[0], value)
    return out


def _span(first: ast.expr, last: ast.expr) -> ast.expr:
    """An expression that reaches from one to another."""
    return ast.Constant(
        value=None,
        lineno=first.lineno,
        col_offset=first.col_offset,
        end_lineno=last.end_lineno,
        end_col_offset=last.end_col_offset,
    )


def _comparison(lo: Lowering, n: ast.Compare) -> Any:
    pairs = zip(n.ops, n.comparators, strict=True)
    targets = [cst.ComparisonTarget(COMPARE[type(o)], lo.expression(c)) for o, c in pairs]
    return cst.Comparison(lo.expression(n.left), tuple(targets))


def _subscript(lo: Lowering, n: ast.Subscript) -> Any:
    index: Any = n.slice
    several = isinstance(index, ast.Tuple) and index.elts and not any(isinstance(e, ast.Starred) for e in index.elts)
    elements = [cst.SubscriptElement(_index(lo, e)) for e in (index.elts if several else (index,))]
    return cst.Subscript(lo.expression(n.value), tuple(elements))


def _index(lo: Lowering, n: Any) -> Any:
    if isinstance(n, ast.Slice):
        return cst.Slice(lo.optional(n.lower), lo.optional(n.upper), lo.optional(n.step))
    return cst.Index(lo.expression(n), None)


def _comprehension(kind: Callable[[Any, Any], cst.CSTNode]) -> Callable[[Lowering, Any], Any]:
    return lambda lo, n: kind(lo.expression(n.elt), _loops(lo, n.generators))


def _loops(lo: Lowering, generators: list[ast.comprehension]) -> Any:
    out = None
    for g in reversed(generators):
        ifs = tuple(cst.CompIf(lo.expression(c)) for c in g.ifs)
        mark = ASYNC if g.is_async else None
        out = cst.CompFor(lo.expression(g.target), lo.expression(g.iter), ifs, out, mark)
    return out


def argument(lo: Lowering, n: ast.expr) -> Any:
    """A positional argument."""
    if isinstance(n, ast.Starred):
        out = cst.Arg(lo.expression(n.value), None, "*")
    else:
        out = cst.Arg(lo.expression(n), None, "")
    lo.origins[id(out)] = n
    return out


def keywords(lo: Lowering, given: list[ast.keyword]) -> Any:
    """Keyword arguments."""
    return tuple(
        [
            cst.Arg(lo.expression(k.value), None, "**")
            if k.arg is None
            else cst.Arg(lo.expression(k.value), cst.Name(k.arg), "")
            for k in given
        ]
    )


def _call(lo: Lowering, n: ast.Call) -> Any:
    args = tuple([argument(lo, a) for a in n.args])
    return cst.Call(lo.expression(n.func), args + keywords(lo, n.keywords) if n.keywords else args)


def _yield_from(lo: Lowering, n: ast.YieldFrom) -> Any:
    return cst.Yield(cst.From(lo.expression(n.value)))


EXPRESSIONS: dict[type[ast.expr], Callable[[Lowering, Any], Any]] = {
    ast.Name: _name_of,
    ast.Attribute: _attribute,
    ast.Constant: _constant,
    ast.JoinedStr: _formatted,
    ast.Tuple: _display(cst.Tuple),
    ast.List: _display(cst.List),
    ast.Set: _display(cst.Set),
    ast.Starred: lambda lo, n: cst.StarredElement(lo.expression(n.value)),
    ast.Dict: _dict,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _comparison,
    ast.IfExp: lambda lo, n: cst.IfExp(lo.expression(n.test), lo.expression(n.body), lo.expression(n.orelse)),
    ast.Subscript: _subscript,
    ast.Lambda: lambda lo, n: cst.Lambda(parameters(lo, n.args), lo.expression(n.body)),
    ast.NamedExpr: lambda lo, n: cst.NamedExpr(lo.expression(n.target), lo.expression(n.value)),
    ast.Await: lambda lo, n: cst.Await(lo.expression(n.value)),
    ast.Yield: lambda lo, n: cst.Yield(lo.optional(n.value)),
    ast.YieldFrom: _yield_from,
    ast.ListComp: _comprehension(cst.ListComp),
    ast.SetComp: _comprehension(cst.SetComp),
    ast.GeneratorExp: _comprehension(cst.GeneratorExp),
    ast.DictComp: lambda lo, n: cst.DictComp(lo.expression(n.key), lo.expression(n.value), _loops(lo, n.generators)),
    ast.Call: _call,
}
