"""What becomes of a result that is filled up to a fixed size: the entries that fill it are read, updated or counted."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator

from omnilint.fixes.context import Page
from omnilint.fixes.forms import bound, readings
from omnilint.fixes.parameters import parameter
from omnilint.fixes.static_values import is_builtin, is_number

_DEPTH = 6
_COUNTS = frozenset({"size", "shape"})
_TAKES = frozenset({"take", "take_along_axis"})
# Updates for which JAX drops what is out of bounds, as it does by default (jax.numpy.ndarray.at).
_UPDATES = frozenset({"set", "add", "subtract", "multiply", "divide", "power", "min", "max"})
# Builtins that only hand on what they are given.
_HAND_ON = frozenset({"tuple", "list"})


class At(enum.Enum):
    """What is done with all entries of a result."""

    READ = "read"
    UPDATED = "updated"
    COUNTED = "counted"
    OTHER = "other"


def filled(page: Page, node: ast.expr) -> frozenset[At]:
    """All that is done with the result of a call, there and by the names that it is given."""
    return frozenset(use for use, _ in _uses(page, node, 0))


def updated(page: Page, node: ast.expr) -> str | None:
    """The one array that all updates go to, by its name: a parameter, which only such updates bind anew."""
    found = {array.id if isinstance(array, ast.Name) else "" for _, array in _uses(page, node, 0)}
    name = found.pop() if len(found) == 1 else ""
    function = page.function(node)
    if not name or not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return None
    if parameter(function, name) is None:
        return None
    stores = page.inside(function).stores.get(name, ())
    return name if all(_is_updated(page, store, name) for store in stores) else None


def _is_updated(page: Page, store: ast.Name, name: str) -> bool:
    """`x = x.at[…].set(…)`: of the same shape."""
    statement = page.parent(store)
    value = statement.value if isinstance(statement, ast.Assign) else None
    index = value.func.value if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) else None
    at = index.value if isinstance(index, ast.Subscript) else None
    return isinstance(at, ast.Attribute) and at.attr == "at" and isinstance(at.value, ast.Name) and at.value.id == name


def _uses(page: Page, node: ast.AST, depth: int) -> Iterator[tuple[At, ast.expr | None]]:
    """(what is done with it, the array that is updated)."""
    parent = page.parent(node)
    if depth > _DEPTH:
        yield At.READ, None
    elif isinstance(parent, ast.Subscript) and parent.slice is node:
        yield _indexed(page, parent)
    elif isinstance(parent, ast.Attribute):
        if parent.attr in _COUNTS:
            yield At.COUNTED, None
        elif parent.attr in ("T", "mT"):
            yield from _uses(page, parent, depth)
        else:
            yield At.OTHER, None
    elif isinstance(parent, (ast.For, ast.comprehension)):
        yield At.COUNTED, None
    elif isinstance(parent, (ast.BinOp, ast.UnaryOp)):  # what was out of bounds may come within them
        yield from ((use, None) for use, _ in _uses(page, parent, depth))
    elif isinstance(parent, (ast.Subscript, ast.Tuple, ast.Starred)):
        yield from _uses(page, parent, depth)
    elif isinstance(parent, (ast.Call, ast.keyword)):
        yield from _called(page, node, parent, depth)
    elif isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
        for target in parent.targets if isinstance(parent, ast.Assign) else [parent.target]:
            for name in bound(target):
                if name is None:
                    yield At.OTHER, None
                    continue
                for read in readings(page, name):
                    yield from _uses(page, read, depth + 1)
    else:
        yield At.OTHER, None


def _called(
    page: Page, node: ast.AST, parent: ast.Call | ast.keyword, depth: int
) -> Iterator[tuple[At, ast.expr | None]]:
    call = page.parent(parent) if isinstance(parent, ast.keyword) else parent
    if not isinstance(call, ast.Call) or call.func is node:
        yield At.OTHER, None
        return
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    plain = isinstance(call.func, ast.Name) and is_builtin(page, call.func)
    if plain and name == "len":
        yield At.COUNTED, None
    elif plain and name in _HAND_ON:
        yield from _uses(page, call, depth)
    else:
        yield (At.READ if name in _TAKES else At.OTHER), None


def _indexed(page: Page, node: ast.Subscript) -> tuple[At, ast.expr | None]:
    """Whether an index is one of an update that gives a number to all."""
    method = page.parent(node)
    call = page.parent(method) if method is not None else None
    if not (isinstance(node.value, ast.Attribute) and node.value.attr == "at" and isinstance(method, ast.Attribute)):
        return At.READ, None
    if not isinstance(call, ast.Call) or method.attr not in _UPDATES:
        return At.READ, None
    if len(call.args) != 1 or call.keywords or not is_number(page, call.args[0]):
        return At.UPDATED, None
    return At.UPDATED, node.value.value
