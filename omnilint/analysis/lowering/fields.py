"""What a lowered node holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

# The attributes that a lowered node has, by class. Each is a node, a sequence of nodes, text or None.
FIELDS: dict[type[cst.CSTNode], tuple[str, ...]] = {
    cst.Module: ("body",),
    cst.IndentedBlock: ("body",),
    cst.SimpleStatementLine: ("body",),
    # compound statements
    cst.FunctionDef: ("name", "params", "body", "decorators", "returns", "asynchronous"),
    cst.ClassDef: ("name", "body", "bases", "keywords", "decorators"),
    cst.If: ("test", "body", "orelse"),
    cst.For: ("target", "iter", "body", "orelse", "asynchronous"),
    cst.While: ("test", "body", "orelse"),
    cst.Try: ("body", "handlers", "orelse", "finalbody"),
    cst.TryStar: ("body", "handlers", "orelse", "finalbody"),
    cst.ExceptHandler: ("body", "type", "name"),
    cst.ExceptStarHandler: ("body", "type", "name"),
    cst.With: ("items", "body", "asynchronous"),
    cst.WithItem: ("item", "asname"),
    cst.Else: ("body",),
    cst.Finally: ("body",),
    cst.Match: ("subject", "cases"),
    cst.MatchCase: ("pattern", "body", "guard"),
    cst.MatchValue: ("value",),
    cst.MatchSingleton: ("value",),
    cst.MatchList: ("patterns",),
    cst.MatchSequenceElement: ("value",),
    cst.MatchStar: ("name",),
    cst.MatchMapping: ("elements", "rest"),
    cst.MatchMappingElement: ("key", "pattern"),
    cst.MatchClass: ("cls", "patterns", "kwds"),
    cst.MatchKeywordElement: ("key", "pattern"),
    cst.MatchAs: ("pattern", "name"),
    cst.MatchOr: ("patterns",),
    cst.MatchOrElement: ("pattern",),
    # simple statements
    cst.Assign: ("targets", "value"),
    cst.AssignTarget: ("target",),
    cst.AnnAssign: ("target", "annotation", "value"),
    cst.AugAssign: ("target", "operator", "value"),
    cst.Return: ("value",),
    cst.Raise: ("exc", "cause"),
    cst.Assert: ("test", "msg"),
    cst.Expr: ("value",),
    cst.Del: ("target",),
    cst.Global: ("names",),
    cst.Nonlocal: ("names",),
    cst.NameItem: ("name",),
    cst.Import: ("names",),
    cst.ImportFrom: ("module", "names", "relative"),
    cst.ImportAlias: ("name", "asname"),
    cst.ImportStar: (),
    cst.AsName: ("name",),
    cst.Dot: (),
    cst.Pass: (),
    cst.Break: (),
    cst.Continue: (),
    # functions
    cst.Parameters: ("params", "star_arg", "kwonly_params", "star_kwarg", "posonly_params"),
    cst.Param: ("name", "annotation", "default"),
    cst.Annotation: ("annotation",),
    cst.Decorator: ("decorator",),
    cst.Asynchronous: (),
    # expressions
    cst.Name: ("value",),
    cst.Attribute: ("value", "attr"),
    cst.Integer: ("value",),
    cst.Float: ("value",),
    cst.Imaginary: ("value",),
    cst.Ellipsis: (),
    cst.SimpleString: ("value",),
    cst.FormattedString: ("parts",),
    cst.FormattedStringText: ("value",),
    cst.FormattedStringExpression: ("expression", "conversion", "format_spec"),
    cst.Tuple: ("elements",),
    cst.List: ("elements",),
    cst.Set: ("elements",),
    cst.Element: ("value",),
    cst.StarredElement: ("value",),
    cst.Dict: ("elements",),
    cst.DictElement: ("key", "value"),
    cst.StarredDictElement: ("value",),
    cst.BinaryOperation: ("left", "operator", "right"),
    cst.UnaryOperation: ("operator", "expression"),
    cst.BooleanOperation: ("left", "operator", "right"),
    cst.Comparison: ("left", "comparisons"),
    cst.ComparisonTarget: ("operator", "comparator"),
    cst.IfExp: ("test", "body", "orelse"),
    cst.Subscript: ("value", "slice"),
    cst.SubscriptElement: ("slice",),
    cst.Index: ("value", "star"),
    cst.Slice: ("lower", "upper", "step"),
    cst.Lambda: ("params", "body"),
    cst.NamedExpr: ("target", "value"),
    cst.Await: ("expression",),
    cst.Yield: ("value",),
    cst.From: ("item",),
    cst.ListComp: ("elt", "for_in"),
    cst.SetComp: ("elt", "for_in"),
    cst.GeneratorExp: ("elt", "for_in"),
    cst.DictComp: ("key", "value", "for_in"),
    cst.CompFor: ("target", "iter", "ifs", "inner_for_in", "asynchronous"),
    cst.CompIf: ("test",),
    cst.Call: ("func", "args"),
    cst.Arg: ("value", "keyword", "star"),
}
_NO_FIELDS: tuple[str, ...] = ()


def parts(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The nodes right below a lowered node, in the order of `FIELDS`."""
    for name in FIELDS.get(type(node), _NO_FIELDS):
        value = getattr(node, name)
        if type(value) is tuple:
            yield from value
        elif value is not None and type(value) is not str:
            yield value


def every(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A lowered node and all below it."""
    todo = [node]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(parts(node))


def same(a: cst.CSTNode, b: cst.CSTNode) -> bool:
    """Do two lowered nodes say the same?"""
    if type(a) is not type(b):
        return False
    return all(_same(getattr(a, f), getattr(b, f)) for f in FIELDS.get(type(a), _NO_FIELDS))


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, cst.CSTNode):
        return isinstance(b, cst.CSTNode) and same(a, b)
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(_same, a, b))
    return bool(a == b)
