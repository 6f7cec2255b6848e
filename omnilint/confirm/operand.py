"""The value that a finding is about, as a question that a frame can answer: was it a traced one?

A formula is JSON: ["is", name] and ["holds", name] ask for a dotted name's value (itself, or in it),
["part", attribute, formula] for an attribute of what another is of, ["jax", name, formulas] for the result of a
function of JAX's, ["any", formulas] and ["all", formulas] for several. A yes means that the value was traced for sure;
what can't be seen without running it again is a no.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from omnilint.model import Finding, Place, of_constants

Formula = list[Any]

_NEVER: Formula = ["any", []]
# What these give is as traced as what goes in; other functions of Python's may be anybody's.
_PLAIN = frozenset({"abs", "sum", "max", "min", "pow", "divmod"})
# Functions that make an array from a shape alone: their first argument is the one that has to be static.
_MAKE = frozenset({"zeros", "ones", "empty", "full", "eye", "identity", "arange", "tri", "iota"})


def operand(finding: Finding, statement: ast.stmt | None) -> Formula | None:
    """The formula for a SHAPE or CONC finding at an expression; None when its place is no expression of its own.

    What SHAPE findings are about was made at their place, which no name there tells.
    """
    if statement is None or of_constants(finding.code) or not finding.code.startswith("OMN5"):
        return None
    node = _at(statement, finding.place)
    if node is None:
        return None
    if isinstance(node, ast.Subscript):
        return _any(_bounds(node.slice))
    if isinstance(node, ast.Call):
        return _any(_wanted(node, finding))
    return _formula(node, top=True)


def _at(statement: ast.stmt, place: Place) -> ast.expr | None:
    """The outermost expression that covers the place, no more and no less."""
    for node in ast.walk(statement):
        if isinstance(node, ast.expr):
            start, end = (node.lineno, node.col_offset + 1), (node.end_lineno, (node.end_col_offset or 0) + 1)
            if start == (place.line, place.column) and end == (place.end_line, place.end_column):
                return node
    return None


def _bounds(index: ast.expr) -> list[ast.expr]:
    """What has to be static in an index: the bounds of its slices, else all of it."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    slices = [p for p in parts if isinstance(p, ast.Slice)]
    return [b for s in slices for b in (s.lower, s.upper, s.step) if b is not None] if slices else list(parts)


def _wanted(call: ast.Call, finding: Finding) -> list[ast.expr]:
    """The arguments that a call needs as Python values, or what it is a method of where there are none."""
    words = finding.message.split("`")
    named = words[1] if len(words) > 3 and " of " in words[2] else ""
    by_name = [k.value for k in call.keywords if k.arg == named]
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if by_name:
        return by_name
    if not named:
        return [*call.args] or ([call.func.value] if isinstance(call.func, ast.Attribute) else [])
    if len(call.args) < 2 or name in _MAKE:
        return call.args[:1]
    # Which one it is, is not known here: all that come into question have to be traced.
    return [ast.Tuple([a for a in call.args[1:] if not isinstance(a, ast.Constant)], ast.Del())]


def _any(nodes: Sequence[ast.expr]) -> Formula:
    return ["any", [_formula(n, top=True) for n in nodes]]


def _chain(node: ast.expr) -> str | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def _formula(node: ast.expr, top: bool = False) -> Formula:
    chain = _chain(node)
    if chain is not None:
        return ["holds" if top else "is", chain]
    if isinstance(node, ast.Tuple | ast.List):
        both = "all" if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Del) and node.elts else "any"
        return [both, [_formula(e, top) for e in node.elts]]
    if isinstance(node, ast.Starred | ast.NamedExpr | ast.FormattedValue):
        return _formula(node.value, top)
    if isinstance(node, ast.UnaryOp):
        return _formula(node.operand)
    if isinstance(node, ast.BinOp):
        return ["any", [_formula(node.left), _formula(node.right)]]
    if isinstance(node, ast.Compare):
        plain = isinstance(node.ops[0], ast.Is | ast.IsNot | ast.In | ast.NotIn)
        return _NEVER if plain else ["any", [_formula(node.left), _formula(node.comparators[0])]]
    if isinstance(node, ast.BoolOp):
        return _formula(node.values[0])
    if isinstance(node, ast.IfExp):
        return ["all", [_formula(node.body), _formula(node.orelse)]]
    if isinstance(node, ast.Subscript):
        return _formula(node.value)
    if isinstance(node, ast.Attribute):
        return ["part", node.attr, _formula(node.value)]
    if isinstance(node, ast.Call):
        return _of_call(node)
    return _NEVER


def _of_call(node: ast.Call) -> Formula:
    """The result of a call: JAX's functions and the methods of a traced value give traced ones."""
    given = [_formula(a) for a in (*node.args, *(k.value for k in node.keywords))]
    if isinstance(node.func, ast.Name) and node.func.id in _PLAIN:
        return ["any", given]
    chain = _chain(node.func)
    by_jax: list[Formula] = [["jax", chain, given]] if chain is not None else []
    if isinstance(node.func, ast.Attribute):
        by_jax.append(["part", node.func.attr, _formula(node.func.value)])
    return ["any", by_jax]
