"""What kind of numbers an expression holds: booleans, whole numbers, floats; alone, listed, or in an array."""

from __future__ import annotations

import ast
import enum
import re
from collections.abc import Callable, Iterator

from omnilint.api.scopes import Scope
from omnilint.fixes.context import Page
from omnilint.fixes.parameters import parameter
from omnilint.fixes.static_values import holds_array, is_builtin, is_none, is_shape
from omnilint.fixes.twins import given, twins

_DEPTH = 10
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_WHOLE_CALLS = frozenset({"len", "int", "ord", "hash", "range"})
_SAME = frozenset({"abs", "min", "max", "sum", "sorted", "list", "tuple", "reversed", "set", "zip", "pow", "divmod"})
_MATHS = frozenset({"ceil", "comb", "factorial", "floor", "gcd", "isqrt", "lcm", "perm", "trunc"})
_ROUNDING = frozenset({"ceil", "floor", "rint", "round", "trunc"})
_ARRAY_LIKE = frozenset({"T", "mT"})
_KEEPS_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
_NARROW = re.compile(r"u?int(2|4|8|16)|uint(32|64)?|[iu][12]|u[48]")
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)


class Kind(enum.IntEnum):
    """In the order in which they win over each other when they meet.

    `ROUNDED` are floats without a fraction: exact in float32 and float64 alike, but printed as floats.
    """

    FLAG = 0
    WHOLE = 1
    ROUNDED = 2
    REAL = 3
    UNKNOWN = 4


class Kinds:
    """Tells the kind of expressions; `name_of` gives the jax.numpy function that a call calls.

    `narrow` is what whole numbers that wrap around in their own ways (int8, uint32) are taken for.
    """

    def __init__(self, name_of: Callable[[Page, ast.AST], str | None], narrow: Kind = Kind.UNKNOWN) -> None:
        self._name_of = name_of
        self._narrow = narrow
        self._busy: set[int] = set()  # the bindings that are being looked at

    def of(self, page: Page, node: ast.expr, depth: int = 0) -> Kind:
        """The kind of the numbers of an expression, as far as the code shows it."""
        if depth > _DEPTH:
            return Kind.UNKNOWN
        if isinstance(node, ast.Constant):
            return _of_constant(node.value)
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            return max((self.of(page, e, depth + 1) for e in node.elts), default=Kind.ROUNDED)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
            return self.of(page, node.elt, depth + 1)
        if isinstance(node, (ast.Starred, ast.NamedExpr)):
            return self.of(page, node.value, depth + 1)
        if isinstance(node, ast.Subscript):
            return self.of(page, node.value, depth + 1)
        if isinstance(node, ast.IfExp):
            return max(self.of(page, node.body, depth + 1), self.of(page, node.orelse, depth + 1))
        if isinstance(node, ast.BoolOp):
            return max(self.of(page, v, depth + 1) for v in node.values)
        if isinstance(node, ast.Compare):
            return Kind.FLAG
        if isinstance(node, ast.UnaryOp):
            return Kind.FLAG if isinstance(node.op, ast.Not) else self.of(page, node.operand, depth + 1)
        if isinstance(node, ast.BinOp):
            return self._of_operator(page, node, depth)
        if isinstance(node, ast.Attribute):
            return self._of_attribute(page, node, depth)
        if isinstance(node, ast.Call):
            return self._of_call(page, node, depth)
        if isinstance(node, ast.Name):
            return self._of_name(page, node, depth)
        return Kind.UNKNOWN

    def is_narrow(self, page: Page, node: ast.expr) -> bool:
        """Whether it holds whole numbers for sure, which nothing is said of but for the width that they are given."""
        whole = Kinds(self._name_of, Kind.WHOLE).of(page, node) <= Kind.WHOLE
        return whole and self.of(page, node) is Kind.UNKNOWN

    def is_ratio(self, page: Page, node: ast.expr, depth: int = 0) -> bool:
        """Whether it is a ratio of whole numbers: float32 and float64 round it to the same side of a whole number."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            sides = [node.left, node.right]
        elif self._name_of(page, node) in ("divide", "true_divide") and isinstance(node, ast.Call):
            sides = node.args
        else:
            return False
        return len(sides) == 2 and all(self.of(page, s, depth + 1) <= Kind.WHOLE for s in sides)

    def are_many(self, page: Page, node: ast.expr, depth: int = 0) -> bool:
        """Whether an expression is certainly an array of one dimension or more."""
        if depth > _DEPTH:
            return False
        if isinstance(node, ast.Name):
            hit = page.bindings(node)
            values = [b.value for b in hit[1]] if hit is not None else []
            return bool(values) and all(v is not None and self.are_many(page, v, depth + 1) for v in values)
        if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare)):
            return any(self.are_many(page, n, depth + 1) for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr))
        if isinstance(node, ast.Subscript):
            return isinstance(node.slice, ast.Slice) and self.are_many(page, node.value, depth + 1)
        if not isinstance(node, ast.Call) or (name := self._name_of(page, node)) is None:
            return False
        if name in ("array", "asarray") and node.args and is_shape(page, node.args[0]):
            return True
        if name in twins()["many"]:
            return True
        alike = name not in twins()["signatures"] or name in ("array", "asarray")
        return alike and any(self.are_many(page, a, depth + 1) for a in node.args)

    def _of_operator(self, page: Page, node: ast.BinOp, depth: int) -> Kind:
        left, right = self.of(page, node.left, depth + 1), self.of(page, node.right, depth + 1)
        if isinstance(node.op, _BITS):
            return max(left, right)
        if isinstance(node.op, _KEEPS_OPERATORS):
            return max(left, right)
        if isinstance(node.op, ast.Pow):
            whole = isinstance(node.right, ast.Constant) and isinstance(node.right.value, int)
            return max(left, Kind.WHOLE) if whole else max(left, right, Kind.WHOLE)
        return max(left, right, Kind.REAL)

    def _of_attribute(self, page: Page, node: ast.Attribute, depth: int) -> Kind:
        if node.attr in ("shape", "ndim"):
            return Kind.WHOLE
        if node.attr == "size":
            return Kind.WHOLE if holds_array(page, node) else Kind.UNKNOWN
        return self.of(page, node.value, depth + 1) if node.attr in _ARRAY_LIKE else Kind.UNKNOWN

    def _of_call(self, page: Page, node: ast.Call, depth: int) -> Kind:
        name = self._name_of(page, node)
        dotted = page.dotted(node.func) or ""
        if name is None and dotted.startswith("numpy."):
            name = dotted.removeprefix("numpy.")
        if name is not None:
            return self._of_function(page, node, name, depth)
        if isinstance(node.func, ast.Name) and is_builtin(page, node.func):
            return self._of_builtin(page, node, node.func.id, depth)
        if dotted.startswith("math."):
            leaf = dotted.removeprefix("math.")
            return self._joined(page, node, depth) if leaf == "prod" else Kind.WHOLE if leaf in _MATHS else Kind.REAL
        if isinstance(node.func, ast.Attribute) and not dotted:
            return self._of_method(page, node, node.func, depth)
        return Kind.UNKNOWN

    def _of_function(self, page: Page, node: ast.Call, name: str, depth: int) -> Kind:
        table = twins()
        asked = self._asked(page, node, name)
        if asked is not None:
            return asked
        if name in table["flags"]:
            return Kind.FLAG
        if name in table["indexes"] or name in ("shape", "ndim", "size"):
            return Kind.WHOLE
        if name in table["whole_floats"]:
            return Kind.ROUNDED
        if name in table["constants"]:
            return self._of_dtype(name)
        inner = self._joined(page, node, depth)
        if name in _ROUNDING and len(node.args) == 1:
            ratio = inner is Kind.REAL and self.is_ratio(page, node.args[0], depth)
            return Kind.ROUNDED if ratio or inner <= Kind.ROUNDED else inner
        if name in table["rounds"]:
            return max(inner, Kind.REAL)
        if name in ("sum", "prod", "cumsum", "cumprod", "dot"):
            return max(inner, Kind.WHOLE)
        return inner if name in table["exact"] else Kind.UNKNOWN

    def _asked(self, page: Page, node: ast.Call, name: str) -> Kind | None:
        """The kind of the dtype that a call asks for."""
        dtype = given(name, node).get("dtype")
        return None if dtype is None else self._of_dtype(_spelled(page, dtype))

    def _of_dtype(self, name: str) -> Kind:
        return self._narrow if _NARROW.fullmatch(name) else _of_dtype(name)

    def _of_builtin(self, page: Page, node: ast.Call, name: str, depth: int) -> Kind:
        if name in _WHOLE_CALLS or (name == "round" and len(node.args) == 1):
            return Kind.WHOLE
        if name in ("bool", "isinstance"):
            return Kind.FLAG
        if name == "enumerate":
            return max(Kind.WHOLE, self._joined(page, node, depth))
        if name == "sum":
            return max(Kind.WHOLE, self._joined(page, node, depth))
        if name == "float":
            inner = self._joined(page, node, depth)
            return Kind.ROUNDED if inner <= Kind.ROUNDED else inner
        return self._joined(page, node, depth) if name in _SAME or name == "round" else Kind.UNKNOWN

    def _of_method(self, page: Page, node: ast.Call, method: ast.Attribute, depth: int) -> Kind:
        if method.attr not in twins()["methods"]:
            return Kind.UNKNOWN
        if method.attr == "astype":
            return self._of_dtype(_spelled(page, node.args[0])) if node.args else Kind.UNKNOWN
        own = self._of_function(page, node, method.attr, depth) if method.attr in twins()["flags"] else None
        if own is not None or method.attr in twins()["indexes"]:
            return Kind.WHOLE if own is None else own
        value = max(self.of(page, method.value, depth + 1), self._asked(page, node, method.attr) or Kind.FLAG)
        if method.attr == "mean":
            return max(value, Kind.REAL)
        return max(value, Kind.WHOLE) if method.attr in ("sum", "prod", "cumsum", "cumprod") else value

    def _joined(self, page: Page, node: ast.Call, depth: int) -> Kind:
        skipped = ("dtype", "axis", "keepdims")
        values = [*node.args, *(k.value for k in node.keywords if k.arg not in skipped)]
        kinds = [self.of(page, v, depth + 1) for v in values if not is_none(v)]
        return max(kinds, default=Kind.UNKNOWN)

    def _of_name(self, page: Page, node: ast.Name, depth: int) -> Kind:
        hit = page.bindings(node)
        if hit is None:
            return Kind.UNKNOWN
        scope, bindings = hit
        if any(b.imported is not None for b in bindings):
            return Kind.UNKNOWN
        if id(bindings) in self._busy:  # `n = n + 1`: what is added to it says the rest
            return Kind.FLAG
        self._busy.add(id(bindings))
        kinds = [self.of(page, b.value, depth + 1) for b in bindings if b.value is not None]
        if len(kinds) < len(bindings):
            kinds += list(self._bound(page, scope, node.id, depth)) or [Kind.UNKNOWN]
        self._busy.discard(id(bindings))
        return max(kinds, default=Kind.UNKNOWN)

    def _bound(self, page: Page, scope: Scope, name: str, depth: int) -> Iterator[Kind]:
        """The kinds that a scope binds a name to in other ways than by plain assignment."""
        if isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            a = scope.node.args
            if (a.vararg is not None and a.vararg.arg == name) or (a.kwarg is not None and a.kwarg.arg == name):
                yield Kind.UNKNOWN
            if (own := parameter(scope.node, name)) is not None:
                yield _of_annotation(own.annotation)
        if isinstance(scope.node, ast.Module):  # to read all of it for a name would take too long
            yield Kind.UNKNOWN
            return
        for store in _stores(page, scope.node, name):
            yield self._stored(page, store, depth)

    def _stored(self, page: Page, store: ast.Name, depth: int) -> Kind:
        at: ast.AST | None = page.parent(store)
        while isinstance(at, (ast.Tuple, ast.List, ast.Starred)):
            at = page.parent(at)
        if isinstance(at, ast.Assign):
            return self.of(page, at.value, depth + 1)
        if isinstance(at, (ast.AnnAssign, ast.NamedExpr)) and at.value is not None:
            return self.of(page, at.value, depth + 1)
        if isinstance(at, (ast.For, ast.comprehension)):
            return self.of(page, at.iter, depth + 1)
        if isinstance(at, ast.AugAssign):
            return self._of_operator(page, ast.BinOp(ast.Constant(1), at.op, at.value), depth + 1)
        return Kind.UNKNOWN


def _stores(page: Page, node: ast.AST, name: str) -> Iterator[ast.Name]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        yield from page.inside(node).stores.get(name, ())
        return
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and inner.id == name and not isinstance(inner.ctx, ast.Load):
            yield inner


def _of_constant(value: object) -> Kind:
    if isinstance(value, bool):
        return Kind.FLAG
    if isinstance(value, int):
        return Kind.WHOLE
    return Kind.REAL if isinstance(value, float) else Kind.UNKNOWN


def _spelled(page: Page, dtype: ast.expr) -> str:
    if isinstance(dtype, ast.Constant):
        return str(dtype.value)
    dotted = page.dotted(dtype)
    return (dotted or (dtype.id if isinstance(dtype, ast.Name) and is_builtin(page, dtype) else "")).rpartition(".")[2]


def _of_dtype(name: str) -> Kind:
    if name in ("bool", "bool_"):
        return Kind.FLAG
    if name in ("int", "int32", "int64", "int_", "i4", "i8"):
        return Kind.WHOLE
    return Kind.REAL if name.startswith(("float", "bfloat", "f4", "f8")) else Kind.UNKNOWN


def _of_annotation(node: ast.expr | None) -> Kind:
    said = ast.unparse(node) if node is not None else ""
    words = set(re.findall(r"\w+", said)) - {"tuple", "list", "Tuple", "List", "Sequence", "Optional", "None", "typing"}
    if words and words <= {"int", "bool"}:
        return Kind.WHOLE if "int" in words else Kind.FLAG
    return Kind.REAL if "float" in words and words <= {"int", "float"} else Kind.UNKNOWN
