"""Which values have to be whole numbers, because a float of theirs would have failed where a size is needed."""

from __future__ import annotations

import ast
from collections.abc import Callable

from omnilint.fixes.context import Page
from omnilint.fixes.flow import parameter_of, static_parameters
from omnilint.fixes.forms import readings
from omnilint.fixes.static_values import is_builtin
from omnilint.fixes.twins import twins

_KEEP_FLOATS = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.Pow)
# Functions whose result is a float wherever one goes in.
_PASS = frozenset({"abs", "absolute", "add", "amax", "amin", "append", "array", "asarray", "clip", "concatenate",
                   "cumprod", "cumsum", "diff", "flip", "floor_divide", "hstack", "max", "maximum", "min", "minimum",
                   "mod", "multiply", "negative", "power", "prod", "ravel", "remainder", "repeat", "reshape", "sort",
                   "square", "stack", "subtract", "sum", "tile", "unique"})  # fmt: skip


class Demands:
    """Follows values to where only whole numbers are taken; `name_of` gives the jax.numpy function that is called."""

    def __init__(self, name_of: Callable[[Page, ast.AST], str | None]) -> None:
        self._name_of = name_of

    def whole(self, page: Page, node: ast.expr, seen: set[str] | None = None) -> bool:
        """Whether the value of a call reaches a shape, a slice or a range by ways that keep a float one."""
        if seen is None and self._name_of(page, node) not in _PASS:
            return False
        seen = set() if seen is None else seen
        at: ast.AST = node
        parent = page.parent(at)
        while isinstance(parent, (ast.expr, ast.keyword)):
            if isinstance(parent, ast.Slice):
                return True
            if isinstance(parent, ast.Call):
                if at is parent.func:
                    return False
                name = self._name_of(page, parent)
                if self._wants_whole(page, parent, at):
                    return True
                if name not in _PASS or (isinstance(at, ast.keyword) and at.arg not in ("a", "object")):
                    return False
            elif isinstance(parent, ast.BinOp):
                if not isinstance(parent.op, _KEEP_FLOATS):
                    return False
            elif isinstance(parent, ast.Subscript):
                if at is parent.slice:
                    return True
            elif not isinstance(parent, (ast.UnaryOp, ast.Tuple, ast.List, ast.Starred, ast.keyword)):
                return False
            if isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not):
                return False
            at, parent = parent, page.parent(parent)
        if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
            (target,) = parent.targets
            if isinstance(target, ast.Name) and target.id not in seen:
                seen.add(target.id)
                return any(self.whole(page, read, seen) for read in readings(page, target))
        return False

    def _wants_whole(self, page: Page, call: ast.Call, at: ast.AST) -> bool:
        dotted = page.dotted(call.func)
        argument = at.value if isinstance(at, ast.keyword) else at
        if isinstance(call.func, ast.Name) and is_builtin(page, call.func):
            return call.func.id == "range"
        if dotted is not None and isinstance(argument, ast.expr):
            return parameter_of(dotted, call, argument) in static_parameters(dotted) & set(twins()["whole_parameters"])
        return dotted is None and isinstance(call.func, ast.Attribute) and call.func.attr in ("reshape", "transpose")
