"""Single comparisons that can't be too tight: a loose tolerance, a side that nothing rounds, a bound that is none."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from omnilint.index.module import ModuleIndex
from omnilint.rounding import spots
from omnilint.rounding.table import Table

# From this relative tolerance on, float32 results are not questioned (8 eps).
LOOSE = 9e-7
# The same for modules with compiled loops, in which rounding adds up.
LOOSE_LOOPS = 2e-5
LOOPS = frozenset({"scan", "fori_loop", "while_loop", "associative_scan"})
# The largest literal that is a bound on a distance.
SMALL_LITERAL = 0.01
# What a comparison can be, as far as its text tells.
TIGHT, LAX, NONE = "tight", "lax", "none"

_SIZES = frozenset({"shape", "dtype", "ndim", "size"})
_NO_ARRAY = _SIZES | {"len", "type", "set", "list", "str", "repr", "id", "int", "typeof", "structure", "keys"}
_ZEROS = frozenset({"zeros", "zeros_like"})
_MADE = _ZEROS | {"ones", "ones_like", "eye", "full", "arange"}


@dataclass
class Reader:
    """Reads the comparisons of one module; remembers what its names are bound to."""

    module: ModuleIndex
    table: Table
    _known: dict[str, float | None] = field(default_factory=dict)

    def call(self, node: ast.Call, name: str, limit: float, equality: bool) -> str:
        """What calling the comparison called `name` in the table may be; from a tolerance of `limit` on it is lax."""
        if name not in self.table.sides:
            return TIGHT
        sides = node.args[: self.table.sides[name]]
        if name in self.table.exact_vocabulary:
            return TIGHT if equality and not any(map(_exact, sides)) else NONE
        if sides and len(sides) == self.table.sides[name] and _zero(sides[-1]):
            return NONE  # next to zero the scale of the error is that of the terms
        given = [k for k in node.keywords if k.arg is None or k.arg in self.table.keywords]
        meanings = {self.table.keywords.get(k.arg or "", "") for k in given}
        default = self.table.loosest_default[name] if len(node.args) <= self.table.sides[name] else 0.0
        if default >= limit and not meanings & {"", "rtol"}:
            return LAX
        return LAX if self.relaxed(node, limit) else TIGHT

    def relaxed(self, node: ast.Call, limit: float) -> bool:
        """Whether a call, of whatever, is given a tolerance too large to question."""
        for keyword in node.keywords:
            meaning = self.table.keywords.get(keyword.arg or "")
            if meaning in ("rtol", "atol"):
                value = self.number(keyword.value)
                if value is not None and value >= (limit if meaning == "rtol" else 2 * limit):
                    return True
        return False

    def bound(self, node: ast.Compare, limit: float, distances: bool, equality: bool) -> str:
        """What `a < b` may be when it is asserted (or `a == b`): a bound on a distance counts, a small one always."""
        operator, sides = node.ops[0], (node.left, node.comparators[0])
        if isinstance(operator, ast.Eq):
            return equal(*sides) if equality else NONE
        if not isinstance(operator, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
            return NONE
        return self.limited(sides[1] if isinstance(operator, (ast.Lt, ast.LtE)) else sides[0], limit, distances)

    def limited(self, bound: ast.expr, limit: float, distances: bool) -> str:
        """What a comparison with this upper bound may be, in a function that measures `distances` or doesn't."""
        value = self.number(bound)
        if value is None:
            return TIGHT if distances and not _plain(bound) else NONE
        if not 0 < value <= SMALL_LITERAL:
            return NONE
        return LAX if value >= 2 * limit else TIGHT

    def number(self, node: ast.expr) -> float | None:
        """The smallest number that an expression of literals and of names bound to such can be, None if unknown."""
        if isinstance(node, ast.Constant):
            given = node.value
            if isinstance(given, int):  # by itself: one with thousands of digits is no float
                return None if isinstance(given, bool) or abs(given) > 10**30 else float(given)
            return given if isinstance(given, float) and abs(given) < 1e30 else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div, ast.Pow)):
            left, right = self.number(node.left), self.number(node.right)
            return None if left is None or right is None else _folded(node.op, left, right)
        if isinstance(node, (ast.Name, ast.Attribute)):
            name = spots.name_of(node)
            if name not in self._known:
                self._known[name] = None  # while it is looked for: a name that is bound to itself is unknown
                self._known[name] = self._bound(name)
            return self._known[name]
        return None

    def _bound(self, name: str) -> float | None:
        """The smallest of the numbers that the module binds to a name, whatever the scope."""
        lines = spots.lines_with([name], self.module.source.text)
        values: list[float | None] = []
        stored = 0
        for node in spots.nodes_on(self.module.tree.body, lines):
            if isinstance(node, (ast.Assign, ast.AnnAssign)):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    values += [self.number(v) for v in _assigned(target, node.value, name)]
            elif isinstance(node, (ast.Name, ast.Attribute)):
                stored += spots.name_of(node) == name and isinstance(node.ctx, ast.Store)
            elif name in _bound_by(node):
                return None
        known = [v for v in values if v is not None]
        return min(known) if known and len(known) == len(values) == stored else None


def equal(first: ast.expr, second: ast.expr) -> str:
    """What asking for equality of these two may be."""
    if any(map(_zero, (first, second))):  # `max(abs(a - b)) == 0`
        return TIGHT if any(isinstance(side, ast.Call) and not _exact(side) for side in (first, second)) else NONE
    return NONE if any(_plain(side) or _exact(side) for side in (first, second)) else TIGHT


def _folded(op: ast.operator, left: float, right: float) -> float | None:
    try:
        value = left * right if isinstance(op, ast.Mult) else left / right if isinstance(op, ast.Div) else left**right
    except (ArithmeticError, ValueError):
        return None
    return value if isinstance(value, float) and math.isfinite(value) else None


def _bound_by(node: ast.AST) -> Sequence[str]:
    """The names of a parameter or an import."""
    if isinstance(node, ast.arg):
        return [node.arg]
    return (node.asname or node.name).split(".") if isinstance(node, ast.alias) else []


def _assigned(target: ast.expr, value: ast.expr | None, name: str) -> Sequence[ast.expr]:
    if isinstance(target, (ast.Name, ast.Attribute)):
        return [value] if value is not None and spots.name_of(target) == name else []
    if not (isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List))):
        return []
    if len(target.elts) != len(value.elts):
        return []
    return [v for t, e in zip(target.elts, value.elts, strict=True) for v in _assigned(t, e, name)]


def _plain(node: ast.expr) -> bool:
    """Whether an expression is visibly no floating-point array: a literal, a shape, a dtype, a length."""
    if isinstance(node, (ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.UnaryOp)):
        return True
    if isinstance(node, ast.Attribute):
        return node.attr in _SIZES
    if isinstance(node, ast.Call):
        name = spots.name_of(node.func)
        return name in _NO_ARRAY or (name[:1].isupper() and not node.args)
    return isinstance(node, ast.Subscript) and _plain(node.value)


def _exact(node: ast.expr) -> bool:
    """Whether nothing rounds in an expression: literals, zeros, ones."""
    if isinstance(node, ast.UnaryOp):
        return _exact(node.operand)
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(map(_exact, node.elts))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        return name in _MADE or (name in ("array", "asarray") and bool(node.args) and _exact(node.args[0]))
    return isinstance(node, ast.Constant)


def _zero(node: ast.expr) -> bool:
    """Whether an expression is visibly zero."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr in _ZEROS
    return isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value == 0
