"""Where a value goes after it was computed: to places that want a Python value, or elsewhere too."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from omnilint import knowledge
from omnilint.fixes.context import Page, Refusal
from omnilint.fixes.forms import bound, readings
from omnilint.fixes.limits import (
    BOUNDS,
    DIVISOR,
    FLOATS,
    MAYBE_FLOATS,
    NARROW,
    WRAPS,
    is_large,
    is_nonzero,
    is_small,
    within,
)
from omnilint.fixes.number_kinds import Kind, Kinds
from omnilint.fixes.static_values import is_builtin, is_number, is_shape
from omnilint.fixes.twins import twins

# Builtins that take a Python number, or a sequence of them, and give one.
TAKES_VALUES = frozenset(("abs", "bool", "divmod", "enumerate", "float", "hash", "int", "isinstance", "len", "list",
                          "map", "max", "min", "pow", "print", "range", "repr", "reversed", "round", "set", "sorted",
                          "str", "sum", "tuple", "zip"))  # fmt: skip
# What arrays of JAX have and those of NumPy don't.
JAX_ONLY = frozenset({"at", "aval", "block_until_ready", "devices", "addressable_shards", "sharding", "weak_type"})
_WANTS = frozenset({"bool", "float", "hash", "int", "isinstance", "len", "print", "range", "repr", "str"})
_SAME_OF_ALL = frozenset({"shape", "ndim", "size"})
_TRUTHS = (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)
_SHAPED_METHODS = frozenset({"reshape", "transpose", "broadcast_to", "swapaxes", "squeeze", "repeat"})


@cache
def _functions() -> Mapping[str, Any]:
    return knowledge.table("jax_functions")


def static_parameters(dotted: str | None) -> frozenset[str]:
    """The parameters of a JAX function that must be static."""
    row = _functions().get(dotted or "", {})
    return frozenset(row.get("static", ()))


def parameter_of(dotted: str | None, call: ast.Call, argument: ast.expr) -> str | None:
    """The name of the parameter that an argument of a JAX call is given for."""
    for keyword in call.keywords:
        if keyword.value is argument:
            return keyword.arg
    names = _functions().get(dotted or "", {}).get("params", ())
    for i, given in enumerate(call.args):
        if isinstance(given, ast.Starred):
            return None
        if given is argument:
            return str(names[i]) if i < len(names) else None
    return None


def argument_for(page: Page, call: ast.Call, parameter: str) -> ast.expr | None:
    """The argument that a parameter of a JAX function, or of a method of arrays, is given in a call."""
    for keyword in call.keywords:
        if keyword.arg == parameter:
            return keyword.value
    dotted = page.dotted(call.func)
    if dotted is None and isinstance(call.func, ast.Attribute):
        names = list(_functions().get(f"jax.numpy.{call.func.attr}", {}).get("params", ()))[1:]
    else:
        names = list(_functions().get(dotted or "", {}).get("params", ()))
    at = names.index(parameter) if parameter in names else len(call.args)
    before = call.args[: at + 1]
    return before[at] if at < len(before) and not any(isinstance(a, ast.Starred) for a in before) else None


class Flow:
    """Follows values through a module.

    `moved` says which calls of jax.numpy become host calls as well; `needs` are the nodes, by identity, where the
    analysis saw that a Python value is needed; `kinds` tells whole numbers from floats.
    """

    def __init__(self, moved: Callable[[Page, ast.AST], bool], needs: frozenset[int], kinds: Kinds) -> None:
        self.moved = moved
        self.needs = needs
        self.kinds = kinds

    def beside(self, page: Page, node: ast.expr, seen: set[tuple[int, str]] | None = None) -> Iterator[str]:
        """In words, each use of the value that isn't one for a Python value, or may give something else then."""
        seen = set() if seen is None else seen
        at: ast.AST = node
        parent = page.parent(at)
        while isinstance(parent, (ast.expr, ast.keyword, ast.comprehension)):
            if isinstance(parent, ast.Call) and at is not parent.func:
                yield from self._told(page, parent, at)
                if self._wanted(page, parent, at):
                    return
                if not self._passes(page, parent):
                    yield f"it also goes into `{_short(parent.func)}`"
                    return
            elif isinstance(parent, ast.Call):
                yield from self._method(page, parent)  # its result goes on
            elif isinstance(parent, ast.FormattedValue):
                yield from self._printed(page, at, parent.conversion == ord("r"))
                return
            elif _is_need(parent, at):
                flag = isinstance(parent, ast.Subscript) and self._of(page, parent.slice) is Kind.FLAG
                if flag and isinstance(at, ast.expr) and not self.kinds.are_many(page, at):
                    yield "a truth value is an index"
                return
            elif isinstance(parent, ast.Attribute):
                yield from self._attribute(page, parent)
                if parent.attr in _SAME_OF_ALL:
                    return
            elif isinstance(parent, ast.Subscript):
                yield from self._index(page, parent)
            elif isinstance(parent, (ast.Lambda, ast.Yield, ast.YieldFrom, ast.Await)):
                yield "it is returned"
                return
            elif isinstance(parent, ast.BinOp):
                yield from self._operator(page, parent)
                if self._mixes(page, parent, at):
                    yield f"it also goes into `{_short(parent)}`"
                    return
            elif isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not):
                return
            elif isinstance(parent, ast.UnaryOp) and self._of(page, parent) is Kind.FLAG:
                if not isinstance(parent.op, ast.Invert):
                    yield "a sign stands before a truth value"
            elif isinstance(parent, ast.Compare):
                yield from _identity(parent)
            elif isinstance(parent, ast.NamedExpr):
                yield from self._into(page, parent.target, seen)
            at, parent = parent, page.parent(parent)
        yield from self._statement(page, parent, at, seen)

    def _of(self, page: Page, node: ast.expr) -> Kind:
        return self.kinds.of(page, node)

    def _told(self, page: Page, call: ast.Call, at: ast.AST) -> Iterator[str]:
        """What a builtin tells of a value: its type, or how it is printed."""
        name = call.func.id if isinstance(call.func, ast.Name) and is_builtin(page, call.func) else ""
        if name in ("print", "str", "repr"):
            yield from self._printed(page, at, name == "repr")
        elif name == "round":
            yield "`round()` fails for NumPy's arrays without dimensions"
        elif name == "isinstance":
            yield "its type is asked for"
        elif name == "map" and not (isinstance(call.args[0], ast.Name) and call.args[0].id in ("int", "float", "bool")):
            yield "a function is mapped over it"

    def _printed(self, page: Page, at: ast.AST, by_repr: bool) -> Iterator[str]:
        held = isinstance(at, (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp))
        if by_repr or held or (isinstance(at, ast.expr) and self._of(page, at) > Kind.WHOLE):
            yield "it is printed in another way"
        elif isinstance(at, ast.Name):
            values = [b.value for b in (page.bindings(at) or (None, []))[1]]
            if any(v is None or isinstance(v, (ast.Tuple, ast.List, ast.Dict)) for v in values):
                yield "it may be printed in another way"

    def _attribute(self, page: Page, node: ast.Attribute) -> Iterator[str]:
        call = page.parent(node)
        if node.attr in JAX_ONLY:
            raise Refusal(f"`.{node.attr}` is used on it, which NumPy's arrays don't have")
        if isinstance(call, ast.Call) and call.func is node:
            if node.attr not in twins()["methods"]:
                raise Refusal(f"`.{node.attr}()` isn't a method that NumPy's arrays share")
            if node.attr in twins()["bounds"]:
                yield BOUNDS
            if node.attr in twins()["stable"]:
                yield f"NumPy's `.{node.attr}()` changes the order of equals"
        elif node.attr == "dtype":
            yield "its dtype has 64 bits in NumPy"
        elif node.attr not in (*_SAME_OF_ALL, "T", "mT"):
            raise Refusal(f"`.{node.attr}` is used on it, which NumPy's arrays may not have")

    def _method(self, page: Page, call: ast.Call) -> Iterator[str]:
        if not isinstance(call.func, ast.Attribute):
            return
        before, after = self._of(page, call.func.value), self._of(page, call)
        if after is Kind.REAL or (after is Kind.UNKNOWN and before is not Kind.UNKNOWN):
            yield self._floats(page, call)

    def _floats(self, page: Page, node: ast.expr) -> str:
        """What NumPy does otherwise with numbers that are floats, or may be."""
        if self.kinds.is_narrow(page, node):
            return NARROW
        return FLOATS if self._of(page, node) is Kind.REAL else MAYBE_FLOATS

    def _index(self, page: Page, node: ast.Subscript) -> Iterator[str]:
        """JAX clamps an index that is out of bounds; NumPy raises."""
        if not within(page, node):
            yield BOUNDS

    def _operator(self, page: Page, node: ast.BinOp) -> Iterator[str]:
        """What Python or NumPy may compute in another way than JAX: floats, zero divisors, what leaves 32 bits."""
        kind = self._of(page, node)
        if kind > Kind.ROUNDED and not (kind is Kind.REAL and self._is_rounded(page, node)):
            yield self._floats(page, node)
        sides = (self._of(page, node.left), self._of(page, node.right))
        if sides == (Kind.FLAG, Kind.FLAG) and not isinstance(node.op, _TRUTHS):
            yield "it counts with truth values"
        if isinstance(node.op, (ast.FloorDiv, ast.Mod, ast.Div)) and not is_nonzero(node.right):
            yield DIVISOR
        if isinstance(node.op, (ast.Pow, ast.LShift)) and not is_small(node.right):
            yield WRAPS
        if any(is_large(side) for side in (node.left, node.right)):
            yield WRAPS

    def _is_rounded(self, page: Page, node: ast.BinOp) -> bool:
        """Whether a ratio goes straight into a function that makes it whole."""
        if not self.kinds.is_ratio(page, node):
            return False
        call = page.parent(node)
        if not isinstance(call, ast.Call) or call.args != [node]:
            return False
        name = call.func.id if isinstance(call.func, ast.Name) and is_builtin(page, call.func) else ""
        if isinstance(call.func, (ast.Name, ast.Attribute)) and not name:
            name = (page.dotted(call.func) or "").rpartition(".")[2]
        return name in ("int", "ceil", "floor", "trunc", "round", "rint")

    def _statement(
        self, page: Page, statement: ast.AST | None, at: ast.AST, seen: set[tuple[int, str]]
    ) -> Iterator[str]:
        if isinstance(statement, (ast.If, ast.While, ast.Assert, ast.Expr, ast.Raise, ast.Delete)):
            return
        if isinstance(statement, (ast.Return, ast.AsyncFunctionDef, ast.FunctionDef)):
            yield "it is returned"
        elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.For)):
            for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
                yield from self._into(page, target, seen)
        else:
            yield "where it goes can't be followed"

    def _into(self, page: Page, target: ast.expr, seen: set[tuple[int, str]]) -> Iterator[str]:
        for name in bound(target):
            if name is None or _is_outer(page, name):
                yield "it is stored outside of the function"
            elif (key := (id(page.function(name)), name.id)) not in seen:
                seen.add(key)
                yield from self.uses(page, name, seen)

    def uses(self, page: Page, target: ast.Name, seen: set[tuple[int, str]]) -> Iterator[str]:
        """The same for every reading of a name that is bound at `target`."""
        for node in readings(page, target):
            yield from self.beside(page, node, seen)
        function = page.function(target)
        if function is None:
            yield "it is a global, which other modules may use"
        elif _is_changed(page, function, target.id):
            yield f"`{target.id}` is changed in place"

    def _wanted(self, page: Page, call: ast.Call, at: ast.AST) -> bool:
        """Whether a call wants a Python value there."""
        argument = at.value if isinstance(at, ast.keyword) else at
        if isinstance(call.func, ast.Name) and call.func.id in _WANTS and is_builtin(page, call.func):
            return True
        if isinstance(call.func, ast.Name) and call.func.id in TAKES_VALUES and is_builtin(page, call.func):
            return False
        dotted = page.dotted(call.func)
        if (dotted or "").startswith("math.") and dotted != "math.prod":
            return True
        if dotted is not None and isinstance(argument, ast.expr):
            name = parameter_of(dotted, call, argument)
            if name is not None and static_parameters(dotted):
                return name in static_parameters(dotted)
        if id(call) in self.needs and not self.moved(page, call):
            return True
        return dotted is None and isinstance(call.func, ast.Attribute) and call.func.attr in _SHAPED_METHODS

    def _passes(self, page: Page, call: ast.Call) -> bool:
        """Whether a call hands a host value on as a host value."""
        if self.moved(page, call):
            return True
        if isinstance(call.func, ast.Name) and call.func.id in TAKES_VALUES:
            return is_builtin(page, call.func)
        return (page.dotted(call.func) or "").startswith(("numpy.", "math."))

    def _mixes(self, page: Page, node: ast.BinOp, at: ast.AST) -> bool:
        """Whether the other side of an operator may be an array, so that dtypes meet there."""
        other = node.right if at is node.left else node.left
        if is_number(page, other) or is_shape(page, other) or self.moved(page, other):
            return False
        if isinstance(other, ast.Name):
            hit = page.bindings(other)
            values = [b.value for b in hit[1]] if hit else []
            return not (values and all(v is not None and self.moved(page, v) for v in values))
        if isinstance(other, ast.BinOp):
            return self._mixes(page, other, other.left) or self._mixes(page, other, other.right)
        return True


def _is_need(parent: ast.AST, at: ast.AST) -> bool:
    """Whether syntax alone says that a Python value is wanted: an index, a slice bound, a format, a condition."""
    if isinstance(parent, ast.Subscript):
        return at is parent.slice
    if isinstance(parent, ast.IfExp):
        return at is parent.test
    return isinstance(parent, (ast.Slice, ast.JoinedStr, ast.FormattedValue))


def _is_changed(page: Page, function: ast.AST, name: str) -> bool:
    """Whether a function changes a variable in place."""
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return False
    return any(isinstance(page.parent(n), ast.AugAssign) for n in page.inside(function).stores.get(name, ()))


def _is_outer(page: Page, name: ast.Name) -> bool:
    """Whether a name belongs to a class, or to the module or a function around by a global or nonlocal statement."""
    for above in page.above(name):
        if isinstance(above, ast.ClassDef):
            return True
        if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return any(name.id in n.names for n in page.inside(above).declared)
    return False


def _identity(node: ast.Compare) -> Iterator[str]:
    for operator, other in zip(node.ops, node.comparators, strict=True):
        none = isinstance(other, ast.Constant) and other.value is None
        if isinstance(operator, (ast.Is, ast.IsNot)) and not none:
            yield "it is compared by identity"


def _short(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 40 else text[:37] + "…"
