"""Whether a value may be written as a Python number: what is done with it elsewhere may ask for an array."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from omnilint.fixes.context import Page
from omnilint.fixes.static_values import is_builtin

# Builtins that hand on what they are given, or something of its kind.
_HAND_ON = frozenset({"abs", "divmod", "enumerate", "list", "map", "max", "min", "pow", "reversed", "round", "set",
                      "sorted", "sum", "tuple", "zip"})  # fmt: skip
Seen = set[tuple[int, str, bool]]  # variables, by function and name, and whether a truth value was followed to them
_ARITHMETIC = frozenset({"abs", "divmod", "max", "min", "pow", "round", "sum"})


def needs_array(
    page: Page, node: ast.expr, flag: bool, moved: Callable[[Page, ast.AST], bool], seen: Seen | None = None
) -> bool:
    """Whether something reads a method, an attribute or an element of the value, or asks for its type.

    A `flag` also has to stay an array where arithmetic is done with it: `~True` is -2, `True + True` is 2.
    """
    seen = set() if seen is None else seen
    at: ast.AST = node
    parent = page.parent(at)
    while isinstance(parent, (ast.expr, ast.keyword, ast.comprehension)):
        if isinstance(parent, ast.Attribute):
            return True
        if isinstance(parent, ast.Subscript):
            if at is parent.slice:
                return False
            if not isinstance(at, (ast.Tuple, ast.List, ast.Dict)):
                return True
        elif isinstance(parent, ast.Call):
            if moved(page, parent) or not isinstance(parent.func, ast.Name) or not is_builtin(page, parent.func):
                return False
            if parent.func.id == "isinstance" or (flag and parent.func.id in _ARITHMETIC):
                return True
            if parent.func.id not in _HAND_ON:
                return False
        elif isinstance(parent, (ast.BinOp, ast.UnaryOp)):
            if isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not):
                return False
            if flag:
                return True
        elif isinstance(parent, ast.Compare):
            flag = True
        elif isinstance(parent, ast.IfExp) and at is parent.test:
            return False
        elif isinstance(parent, ast.NamedExpr):
            if _read_as_array(page, parent.target, flag, moved, seen):
                return True
        elif isinstance(parent, (ast.Slice, ast.FormattedValue, ast.JoinedStr, ast.Lambda, ast.Yield, ast.YieldFrom)):
            return False
        at, parent = parent, page.parent(parent)
    if isinstance(parent, (ast.Assign, ast.AnnAssign, ast.For)):
        targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
        names = [n for t in targets for n in bound(t) if n is not None]
        return any(_read_as_array(page, name, flag, moved, seen) for name in names)
    return False


def _read_as_array(
    page: Page, target: ast.expr, flag: bool, moved: Callable[[Page, ast.AST], bool], seen: Seen
) -> bool:
    if not isinstance(target, ast.Name) or (key := (id(page.function(target)), target.id, flag)) in seen:
        return False
    seen.add(key)
    return any(needs_array(page, read, flag, moved, seen) for read in readings(page, target))


def readings(page: Page, target: ast.Name) -> Iterator[ast.Name]:
    """Every reading of a name that is bound at `target`."""
    function = page.function(target)
    for scope, node in page.reads(target.id):
        if not isinstance(node.ctx, ast.Load):
            continue
        hit = scope.lookup(node.id)
        if hit is None or (function is not None and _function(page, hit[0].node) is not function):
            continue
        if function is None and hit[0].parent is not None:
            continue
        yield node


def _function(page: Page, scope: ast.AST) -> ast.AST | None:
    """The function of a scope: that of a comprehension is the one around it."""
    own = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    return scope if isinstance(scope, own) else page.function(scope)


def bound(target: ast.expr) -> Iterator[ast.Name | None]:
    """The names that an assignment binds; None for anything else that it writes to."""
    if isinstance(target, ast.Name):
        yield target
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from bound(element)
    elif isinstance(target, ast.Starred):
        yield from bound(target.value)
    else:
        yield None
