"""Expressions, lowered."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from omnilint.analysis import nodes as cst
from omnilint.analysis.lowering.nodes import (
    AND,
    ARG,
    ASYNC,
    ATTRIBUTE,
    BINARY,
    CALL,
    COMPARE,
    ELEMENT,
    NAME,
    NEW,
    OR,
    STRING,
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
    return NEW[cst.Parameters](
        tuple(params[cut:]),
        None if a.vararg is None else _param(lo, a.vararg, None),
        tuple(_param(lo, p, d) for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True)),
        None if a.kwarg is None else _param(lo, a.kwarg, None),
        tuple(params[:cut]),
    )


def _param(lo: Lowering, a: ast.arg, default: ast.expr | None) -> Any:
    annotation = None if a.annotation is None else NEW[cst.Annotation](lo.expression(a.annotation))
    out = NEW[cst.Param](NAME(a.arg), annotation, lo.optional(default))
    lo.origins[id(out)] = a
    return out


def _name_of(lo: Lowering, n: ast.Name) -> Any:
    return NAME(n.id)


def _attribute(lo: Lowering, n: ast.Attribute) -> Any:
    return ATTRIBUTE(lo.expression(n.value), NAME(n.attr))


def _constant(lo: Lowering, n: ast.Constant) -> Any:
    value: Any = n.value
    kind = type(value)
    if kind is str or kind is bytes:
        return STRING(repr(value))
    if kind is int:
        return NEW[cst.Integer](str(value) if -(1 << 4000) < value < 1 << 4000 else hex(value))
    if kind is float:
        return NEW[cst.Float](repr(value) if value < float("inf") else "1e999")
    if kind is complex:
        return NEW[cst.Imaginary](repr(value))
    return NEW[cst.Ellipsis]() if value is ... else NAME(repr(value))


def _formatted(lo: Lowering, n: ast.JoinedStr) -> Any:
    before = len(lo.origins)
    out = _parts(lo, n)
    if _INNER_PLACES_WRONG and n.end_lineno != n.lineno:
        for node in list(lo.origins)[before:]:
            lo.origins[node] = n
    return NEW[cst.FormattedString](out)


# Until 3.12, Python misplaced what stands inside of a formatted string over several lines.
_INNER_PLACES_WRONG = sys.version_info < (3, 12)


def _parts(lo: Lowering, n: ast.JoinedStr) -> tuple[Any, ...]:
    out = []
    for p in n.values:
        if isinstance(p, ast.FormattedValue):
            conversion = chr(p.conversion) if p.conversion > 0 else None
            spec = _parts(lo, p.format_spec) if isinstance(p.format_spec, ast.JoinedStr) else None
            out.append(NEW[cst.FormattedStringExpression](lo.expression(p.value), conversion, spec))
        elif isinstance(p, ast.Constant):
            out.append(NEW[cst.FormattedStringText](p.value))
    return tuple(out)


def _element(lo: Lowering, n: ast.expr) -> Any:
    if isinstance(n, ast.Starred):
        out = NEW[cst.StarredElement](lo.expression(n.value))
        lo.origins[id(out)] = n
        return out
    return ELEMENT(lo.expression(n))


def _display(kind: type[cst.CSTNode]) -> Callable[[Lowering, Any], Any]:
    make = NEW[kind]
    return lambda lo, n: make(tuple([_element(lo, e) for e in n.elts]))


def _dict(lo: Lowering, n: ast.Dict) -> Any:
    return NEW[cst.Dict](
        tuple(
            NEW[cst.StarredDictElement](lo.expression(v))
            if k is None
            else NEW[cst.DictElement](lo.expression(k), lo.expression(v))
            for k, v in zip(n.keys, n.values, strict=True)
        )
    )


def _binary(lo: Lowering, n: ast.BinOp) -> Any:
    return NEW[cst.BinaryOperation](lo.expression(n.left), BINARY[type(n.op)], lo.expression(n.right))


def _unary(lo: Lowering, n: ast.UnaryOp) -> Any:
    return NEW[cst.UnaryOperation](UNARY[type(n.op)], lo.expression(n.operand))


def _boolean(lo: Lowering, n: ast.BoolOp) -> Any:
    sign = AND if isinstance(n.op, ast.And) else OR
    out = lo.expression(n.values[0])
    for i, value in enumerate(n.values[1:], 2):
        out = NEW[cst.BooleanOperation](out, sign, lo.expression(value))
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
    make = NEW[cst.ComparisonTarget]
    targets = tuple([make(COMPARE[type(o)], lo.expression(c)) for o, c in zip(n.ops, n.comparators, strict=True)])
    return NEW[cst.Comparison](lo.expression(n.left), targets)


def _subscript(lo: Lowering, n: ast.Subscript) -> Any:
    index: Any = n.slice
    several = isinstance(index, ast.Tuple) and index.elts and not any(isinstance(e, ast.Starred) for e in index.elts)
    make = NEW[cst.SubscriptElement]
    elements = tuple(make(_index(lo, e)) for e in (index.elts if several else (index,)))
    return NEW[cst.Subscript](lo.expression(n.value), elements)


def _index(lo: Lowering, n: Any) -> Any:
    if isinstance(n, ast.Slice):
        return NEW[cst.Slice](lo.optional(n.lower), lo.optional(n.upper), lo.optional(n.step))
    return NEW[cst.Index](lo.expression(n), None)


def _comprehension(kind: type[cst.CSTNode]) -> Callable[[Lowering, Any], Any]:
    make = NEW[kind]
    return lambda lo, n: make(lo.expression(n.elt), _loops(lo, n.generators))


def _loops(lo: Lowering, generators: list[ast.comprehension]) -> Any:
    out = None
    for g in reversed(generators):
        ifs = tuple(NEW[cst.CompIf](lo.expression(c)) for c in g.ifs)
        mark = ASYNC if g.is_async else None
        out = NEW[cst.CompFor](lo.expression(g.target), lo.expression(g.iter), ifs, out, mark)
    return out


def argument(lo: Lowering, n: ast.expr) -> Any:
    """A positional argument."""
    if isinstance(n, ast.Starred):
        out = ARG(lo.expression(n.value), None, "*")
    else:
        out = ARG(lo.expression(n), None, "")
    lo.origins[id(out)] = n
    return out


def keywords(lo: Lowering, given: list[ast.keyword]) -> Any:
    """Keyword arguments."""
    return tuple(
        [
            ARG(lo.expression(k.value), None, "**") if k.arg is None else ARG(lo.expression(k.value), NAME(k.arg), "")
            for k in given
        ]
    )


def _call(lo: Lowering, n: ast.Call) -> Any:
    args = tuple([argument(lo, a) for a in n.args])
    return CALL(lo.expression(n.func), args + keywords(lo, n.keywords) if n.keywords else args)


def _yield_from(lo: Lowering, n: ast.YieldFrom) -> Any:
    return NEW[cst.Yield](NEW[cst.From](lo.expression(n.value)))


EXPRESSIONS: dict[type[ast.expr], Callable[[Lowering, Any], Any]] = {
    ast.Name: _name_of,
    ast.Attribute: _attribute,
    ast.Constant: _constant,
    ast.JoinedStr: _formatted,
    ast.Tuple: _display(cst.Tuple),
    ast.List: _display(cst.List),
    ast.Set: _display(cst.Set),
    ast.Starred: lambda lo, n: NEW[cst.StarredElement](lo.expression(n.value)),
    ast.Dict: _dict,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _comparison,
    ast.IfExp: lambda lo, n: NEW[cst.IfExp](lo.expression(n.test), lo.expression(n.body), lo.expression(n.orelse)),
    ast.Subscript: _subscript,
    ast.Slice: _index,
    ast.Lambda: lambda lo, n: NEW[cst.Lambda](parameters(lo, n.args), lo.expression(n.body)),
    ast.NamedExpr: lambda lo, n: NEW[cst.NamedExpr](lo.expression(n.target), lo.expression(n.value)),
    ast.Await: lambda lo, n: NEW[cst.Await](lo.expression(n.value)),
    ast.Yield: lambda lo, n: NEW[cst.Yield](lo.optional(n.value)),
    ast.YieldFrom: _yield_from,
    ast.ListComp: _comprehension(cst.ListComp),
    ast.SetComp: _comprehension(cst.SetComp),
    ast.GeneratorExp: _comprehension(cst.GeneratorExp),
    ast.DictComp: lambda lo, n: NEW[cst.DictComp](
        lo.expression(n.key), lo.expression(n.value), _loops(lo, n.generators)
    ),
    ast.Call: _call,
}
