"""Where a value goes after it was computed: to places that want a Python value, or elsewhere too."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from omnilint import knowledge
from omnilint.fixes.context import Page, Refusal

# Builtins that take a Python number, or a sequence of them, and give one.
TAKES_VALUES = frozenset(("abs", "bool", "divmod", "enumerate", "float", "hash", "int", "isinstance", "len", "list",
                          "map", "max", "min", "pow", "print", "range", "repr", "reversed", "round", "set", "sorted",
                          "str", "sum", "tuple", "zip"))  # fmt: skip
# What arrays of JAX have and those of NumPy don't.
JAX_ONLY = frozenset({"at", "aval", "block_until_ready", "devices", "addressable_shards", "sharding", "weak_type"})
_WANTS = frozenset({"bool", "float", "hash", "int", "isinstance", "len", "print", "range", "repr", "str"})
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


class Flow:
    """Follows values through a module.

    `moved` says which calls of jax.numpy become host calls as well; `needs` are the nodes, by identity, where the
    analysis saw that a Python value is needed.
    """

    def __init__(self, moved: Callable[[Page, ast.AST], bool], needs: frozenset[int] = frozenset()) -> None:
        self.moved = moved
        self.needs = needs

    def beside(self, page: Page, node: ast.expr, seen: frozenset[str] = frozenset()) -> Iterator[str]:
        """In words, each use of the value that isn't one for a Python value."""
        at: ast.AST = node
        parent = page.parent(at)
        while isinstance(parent, (ast.expr, ast.keyword, ast.comprehension)):
            if isinstance(parent, ast.Call) and at is not parent.func:
                if self._wanted(page, parent, at):
                    return
                if not self._passes(page, parent):
                    yield f"it also goes into `{_short(parent.func)}`"
                    return
            elif isinstance(parent, ast.Call):
                pass  # the method of a receiver: its result goes on
            elif _is_need(parent, at):
                return
            elif isinstance(parent, ast.Attribute) and parent.attr in JAX_ONLY:
                raise Refusal(f"`.{parent.attr}` is used on it, which NumPy's arrays don't have")
            elif isinstance(parent, ast.Attribute) and isinstance(page.parent(parent), ast.Call):
                pass
            elif isinstance(parent, ast.Attribute):
                if parent.attr in ("shape", "ndim", "size", "dtype"):
                    return
            elif isinstance(parent, ast.Lambda):
                yield "it is returned"
                return
            elif isinstance(parent, ast.BinOp) and self._mixes(page, parent, at):
                yield f"it also goes into `{_short(parent)}`"
                return
            at, parent = parent, page.parent(parent)
        yield from self._statement(page, parent, at, seen)

    def _statement(self, page: Page, statement: ast.AST | None, at: ast.AST, seen: frozenset[str]) -> Iterator[str]:
        if isinstance(statement, (ast.If, ast.While, ast.Assert, ast.Expr, ast.Raise, ast.Delete)):
            return
        if isinstance(statement, (ast.Return, ast.AsyncFunctionDef, ast.FunctionDef)):
            yield "it is returned"
        elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.For)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for name in (n for t in targets for n in _bound(t)):
                if name is None:
                    yield "it is stored outside of the function"
                elif name.id not in seen:
                    yield from self.uses(page, name, seen | {name.id})
        else:
            yield "where it goes can't be followed"

    def uses(self, page: Page, target: ast.Name, seen: frozenset[str] = frozenset()) -> Iterator[str]:
        """The same for every reading of a name that is bound at `target`."""
        function = page.function(target)
        for scope, node in page.reads(target.id):
            if not isinstance(node.ctx, ast.Load):
                continue
            hit = scope.lookup(node.id)
            if hit is None or (function is not None and hit[0].node is not function):
                continue
            if function is None and hit[0].parent is not None:
                continue
            yield from self.beside(page, node, seen)
        if function is None:
            yield "it is a global, which other modules may use"

    def _wanted(self, page: Page, call: ast.Call, at: ast.AST) -> bool:
        """Whether a call wants a Python value there."""
        argument = at.value if isinstance(at, ast.keyword) else at
        if id(call) in self.needs and not self.moved(page, call):
            return True
        if isinstance(call.func, ast.Name) and call.func.id in _WANTS and page.bindings(call.func) is None:
            return True
        dotted = page.dotted(call.func)
        if dotted is not None and isinstance(argument, ast.expr):
            name = parameter_of(dotted, call, argument)
            return name is not None and name in static_parameters(dotted)
        return isinstance(call.func, ast.Attribute) and call.func.attr in _SHAPED_METHODS

    def _passes(self, page: Page, call: ast.Call) -> bool:
        """Whether a call hands a host value on as a host value."""
        if self.moved(page, call):
            return True
        if isinstance(call.func, ast.Name) and call.func.id in TAKES_VALUES:
            return page.bindings(call.func) is None
        return (page.dotted(call.func) or "").startswith(("numpy.", "math."))

    def _mixes(self, page: Page, node: ast.BinOp, at: ast.AST) -> bool:
        """Whether the other side of an operator may be an array, so that dtypes meet there."""
        from omnilint.fixes.static_values import is_number, is_shape

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


def _bound(target: ast.expr) -> Iterator[ast.Name | None]:
    """The names that an assignment binds; None for anything else that it writes to."""
    if isinstance(target, ast.Name):
        yield target
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from _bound(element)
    elif isinstance(target, ast.Starred):
        yield from _bound(target.value)
    else:
        yield None


def _short(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 40 else text[:37] + "…"
