"""In which form a value that moves to the host comes out: Python's own, or one of NumPy's, which JAX may refuse."""

from __future__ import annotations

import ast
import enum

from omnilint.fixes.context import Page
from omnilint.fixes.host import Host
from omnilint.fixes.static_values import is_builtin, is_none, is_number, is_shape
from omnilint.fixes.twins import given, twins

_DEPTH = 8
_PYTHON = frozenset({"bool", "float", "int", "len", "list", "round", "tuple"})
_CHOOSE = frozenset({"abs", "max", "min", "sum"})


class Form(enum.Enum):
    """`ZERO` is an array without dimensions, `ARRAY` one that has some."""

    PYTHON = "python"
    ARRAY = "array"
    SCALAR = "scalar"
    ZERO = "zero"
    UNKNOWN = "unknown"


class Forms:
    """Tells the form of expressions as they are once `host` has moved its calls."""

    def __init__(self, host: Host) -> None:
        self.host = host

    def of(self, page: Page, node: ast.expr, depth: int = 0) -> Form:
        """The form of a value, as far as the code shows it."""
        if depth > _DEPTH:
            return Form.UNKNOWN
        if id(node) in self.host.plain or is_number(page, node) or is_shape(page, node):
            return Form.PYTHON
        if isinstance(node, ast.Name):
            return self._of_name(page, node, depth)
        if isinstance(node, (ast.BinOp, ast.UnaryOp)):
            sides = [n for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr)]
            return self._joined(page, sides, depth)
        if isinstance(node, ast.Subscript):
            if isinstance(node.slice, ast.Slice):
                return self._of_many(page, node.value, depth)
            flat = is_number(page, node.slice) and self._is_flat(page, node.value, depth)
            return Form.SCALAR if flat else Form.UNKNOWN
        return self._of_call(page, node, depth) if isinstance(node, ast.Call) else Form.UNKNOWN

    def _of_name(self, page: Page, node: ast.Name, depth: int) -> Form:
        hit = page.bindings(node)
        values = [b.value for b in hit[1]] if hit is not None else []
        found = {self.of(page, v, depth + 1) if v is not None else self._of_part(page, node, depth) for v in values}
        return found.pop() if len(found) == 1 else Form.UNKNOWN

    def _of_part(self, page: Page, node: ast.Name, depth: int) -> Form:
        """A scalar where a name is a part of what is taken apart, and that has one dimension."""
        function = page.function(node)
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return Form.UNKNOWN
        for store in page.inside(function).stores.get(node.id, ()):
            parts = page.parent(store)
            whole = page.parent(parts) if isinstance(parts, (ast.Tuple, ast.List)) else None
            if not (isinstance(whole, ast.Assign) and self._is_flat(page, whole.value, depth + 1)):
                return Form.UNKNOWN
        return Form.SCALAR if page.inside(function).stores.get(node.id) else Form.UNKNOWN

    def _joined(self, page: Page, sides: list[ast.expr], depth: int) -> Form:
        """What an operator gives, or a function that takes elements one by one."""
        found = {self.of(page, side, depth + 1) for side in sides}
        if Form.ARRAY in found or Form.UNKNOWN in found:
            return Form.ARRAY if Form.ARRAY in found else Form.UNKNOWN
        return Form.PYTHON if found <= {Form.PYTHON} else Form.SCALAR

    def _of_many(self, page: Page, node: ast.expr, depth: int) -> Form:
        """An array for one that has dimensions; of anything else nothing is known."""
        return Form.ARRAY if self.of(page, node, depth + 1) is Form.ARRAY else Form.UNKNOWN

    def _of_call(self, page: Page, node: ast.Call, depth: int) -> Form:
        name = self.host.name_of(page, node)
        if name is not None:
            return self._of_function(page, node, name, depth) if id(node) in self.host.calls else Form.UNKNOWN
        if isinstance(node.func, ast.Name) and is_builtin(page, node.func):
            if node.func.id in _CHOOSE and node.args:
                python = all(self.of(page, a, depth + 1) is Form.PYTHON for a in node.args)
                return Form.PYTHON if python else Form.SCALAR
            return Form.PYTHON if node.func.id in _PYTHON else Form.UNKNOWN
        if isinstance(node.func, ast.Attribute) and page.dotted(node.func) is None:
            return self._of_method(page, node, node.func, depth)
        return Form.UNKNOWN

    def _of_function(self, page: Page, node: ast.Call, name: str, depth: int) -> Form:
        table = twins()
        if self.host.kinds.are_many(page, node):
            return Form.ARRAY
        if name in table["reduces"]:
            return Form.SCALAR if _reduces(node, name) else Form.UNKNOWN
        if not node.args:
            return Form.UNKNOWN
        if name in table["elements"]:
            found = self._joined(page, node.args, depth)
            return Form.SCALAR if found is Form.PYTHON else found
        if name in table["keeps"]:
            return self._of_many(page, node.args[0], depth)
        if name in ("array", "asarray", "copy"):
            inner = self.of(page, node.args[0], depth + 1)
            single = is_number(page, node.args[0]) or inner in (Form.SCALAR, Form.ZERO)
            return Form.ZERO if single else Form.ARRAY if inner is Form.ARRAY else Form.UNKNOWN
        return Form.UNKNOWN

    def _of_method(self, page: Page, node: ast.Call, method: ast.Attribute, depth: int) -> Form:
        if method.attr in ("item", "tolist"):
            return Form.PYTHON
        if method.attr in twins()["reduces"]:
            return Form.SCALAR if not node.args and _reduces(node, method.attr) else Form.UNKNOWN
        if method.attr == "astype":
            return self.of(page, method.value, depth + 1)
        keeps = method.attr in twins()["keeps"] or method.attr in ("flatten", "ravel")
        return self._of_many(page, method.value, depth) if keeps else Form.UNKNOWN

    def _is_flat(self, page: Page, node: ast.expr, depth: int) -> bool:
        """Whether an array has one dimension."""
        if depth > _DEPTH:
            return False
        if isinstance(node, ast.Name):
            hit = page.bindings(node)
            values = [b.value for b in hit[1]] if hit is not None else []
            return bool(values) and all(v is not None and self._is_flat(page, v, depth + 1) for v in values)
        name = self.host.name_of(page, node)
        if isinstance(node, ast.BinOp) or (isinstance(node, ast.Call) and name in twins()["elements"]):
            sides = [node.left, node.right] if isinstance(node, ast.BinOp) else node.args
            flat = [self._is_flat(page, side, depth + 1) for side in sides]
            return any(flat) and all(f or is_number(page, s) for f, s in zip(flat, sides, strict=True))
        if not isinstance(node, ast.Call) or not node.args:
            return False
        if name in ("array", "asarray") and is_shape(page, node.args[0]):
            return True
        keeps = name in twins()["keeps"] or name in ("array", "asarray")
        return name == "arange" or (keeps and self._is_flat(page, node.args[0], depth + 1))


def _reduces(node: ast.Call, name: str) -> bool:
    """Whether a call makes one value of all."""
    asked = {k: v for k, v in given(name, node).items() if k in ("axis", "keepdims")}
    return all(is_none(v) or (k == "keepdims" and getattr(v, "value", None) is False) for k, v in asked.items())
