"""Which expressions are certainly Python numbers or tuples of them while tracing."""

from __future__ import annotations

import ast

from omnilint.api.scopes import Binding
from omnilint.fixes.context import Page

_NUMBER_CALLS = frozenset({"len", "int", "float", "bool", "round", "ord"})
_SAME_NUMBER = frozenset({"abs", "min", "max", "sum", "divmod", "pow"})
_DEPTH = 8


def is_shape(page: Page, node: ast.expr, depth: int = 0) -> bool:
    """Whether an expression is a plain tuple (or list) of Python integers: a shape, a slice of one, numbers listed."""
    if depth > _DEPTH:
        return False
    if isinstance(node, ast.Attribute):
        return node.attr == "shape"
    if isinstance(node, ast.Call):
        return page.dotted(node.func) in ("jax.numpy.shape", "numpy.shape")
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Slice) and is_shape(page, node.value, depth + 1)
    if isinstance(node, (ast.Tuple, ast.List)):
        return bool(node.elts) and all(
            is_shape(page, e.value, depth + 1) if isinstance(e, ast.Starred) else is_number(page, e, depth + 1)
            for e in node.elts
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return is_shape(page, node.left, depth + 1) and is_shape(page, node.right, depth + 1)
    if isinstance(node, ast.Name):
        values = _values(page, node)
        return bool(values) and all(is_shape(page, v, depth + 1) for v in values)
    return False


def is_number(page: Page, node: ast.expr, depth: int = 0) -> bool:
    """Whether an expression is certainly one Python number, as far as the code shows it."""
    if depth > _DEPTH:
        return False
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, (ast.USub, ast.UAdd)) and is_number(page, node.operand, depth + 1)
    if isinstance(node, ast.BinOp):
        return is_number(page, node.left, depth + 1) and is_number(page, node.right, depth + 1)
    if isinstance(node, ast.Attribute):
        return node.attr in ("ndim", "size")
    if isinstance(node, ast.Subscript):
        return not isinstance(node.slice, (ast.Slice, ast.Tuple)) and is_shape(page, node.value, depth + 1)
    if isinstance(node, ast.Call):
        return _is_number_call(page, node, depth)
    if isinstance(node, ast.Name):
        return _is_number_name(page, node, depth)
    return False


def is_whole(page: Page, node: ast.expr, depth: int = 0) -> bool:
    """Whether a Python number is certainly an integer."""
    if not is_number(page, node, depth) or depth > _DEPTH:
        return False
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int)
    if isinstance(node, ast.BinOp):
        fine = not isinstance(node.op, (ast.Div, ast.Pow))
        return fine and is_whole(page, node.left, depth + 1) and is_whole(page, node.right, depth + 1)
    if isinstance(node, ast.UnaryOp):
        return is_whole(page, node.operand, depth + 1)
    if isinstance(node, ast.Name):
        values = _values(page, node)
        return bool(values) and all(is_whole(page, v, depth + 1) for v in values)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("len", "int")
    return True


def _is_number_call(page: Page, node: ast.Call, depth: int) -> bool:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name in _NUMBER_CALLS and page.bindings(node.func) is None:  # type: ignore[arg-type]
        return True
    if name in _SAME_NUMBER and not node.keywords and page.bindings(node.func) is None:  # type: ignore[arg-type]
        given = node.args
        if len(given) == 1 and name != "abs":
            return is_shape(page, given[0], depth + 1)
        return all(is_number(page, a, depth + 1) for a in given)
    dotted = page.dotted(node.func) or ""
    if dotted in ("jax.numpy.ndim", "jax.numpy.size", "numpy.ndim", "numpy.size"):
        return True
    return dotted.startswith("math.")


def _is_number_name(page: Page, node: ast.Name, depth: int) -> bool:
    hit = page.bindings(node)
    if hit is None:
        return False
    scope, bindings = hit
    if len(bindings) == 1 and bindings[0].value is None and bindings[0].imported is None:
        return _is_number_parameter(scope.node, node.id) or _is_unpacked_shape(page, scope.node, node.id)
    values = _values(page, node)
    return bool(values) and all(is_number(page, v, depth + 1) for v in values)


def _values(page: Page, node: ast.Name) -> list[ast.expr]:
    """Everything that a name is assigned; empty when one way isn't known."""
    hit = page.bindings(node)
    if hit is None:
        return []
    found: list[ast.expr] = []
    for binding in hit[1]:
        value = _value(binding)
        if value is None:
            return []
        found.append(value)
    return found


def _value(binding: Binding) -> ast.expr | None:
    return binding.value if binding.imported is None else None


def _is_number_parameter(function: ast.AST, name: str) -> bool:
    """Whether a parameter's default or annotation says that it is a number."""
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return False
    a = function.args
    positional = [*a.posonlyargs, *a.args]
    defaults = [*[None] * (len(positional) - len(a.defaults)), *a.defaults, *a.kw_defaults]
    for parameter, default in zip([*positional, *a.kwonlyargs], defaults, strict=True):
        if parameter.arg == name:
            said = parameter.annotation
            if isinstance(said, ast.Name) and said.id in ("int", "float"):
                return True
            value = default.value if isinstance(default, ast.Constant) else None
            return isinstance(value, (int, float)) and not isinstance(value, bool)
    return False


def _is_unpacked_shape(page: Page, function: ast.AST, name: str) -> bool:
    """Whether a name comes from `a, b = x.shape`, or counts a `range`, and from nothing else."""
    found = False
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Tuple):
            names = [t.id if isinstance(t, ast.Name) else "" for t in node.targets[0].elts]
            if name in names:
                if not is_shape(page, node.value):
                    return False
                found = True
        elif isinstance(node, (ast.For, ast.comprehension)) and getattr(node.target, "id", "") == name:
            call = node.iter
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"):
                return False
            found = True
    return found
