"""Which expressions are certainly Python numbers or tuples of them while tracing."""

from __future__ import annotations

import ast
import re

from omnilint.api.scopes import Binding
from omnilint.fixes.context import Page
from omnilint.fixes.parameters import named, parameter

_NUMBER_CALLS = frozenset({"len", "int", "float", "bool", "round", "ord"})
_SAME_NUMBER = frozenset({"abs", "min", "max", "sum", "divmod", "pow"})
_DEPTH = 8
# Attributes of arrays, JAX's or NumPy's; what has others isn't one.
_ARRAY_ATTRIBUTES = frozenset({
    "T", "all", "any", "argmax", "argmin", "argsort", "astype", "at", "aval", "block_until_ready", "clip", "conj",
    "copy", "cumprod", "cumsum", "devices", "diagonal", "dot", "dtype", "flat", "flatten", "imag", "item", "itemsize",
    "mT", "max", "mean", "min", "nbytes", "ndim", "nonzero", "prod", "ptp", "ravel", "real", "repeat", "reshape",
    "round", "searchsorted", "shape", "sharding", "size", "sort", "squeeze", "std", "sum", "swapaxes", "take",
    "tobytes", "tolist", "trace", "transpose", "var", "view", "weak_type",
})  # fmt: skip
_SETTINGS = re.compile(r"(^|_)(args?|cfg|conf(ig)?|flags|hps?|hparams|opts?|options|params|self|cls|settings|spec)$")
_ARRAY_ANNOTATION = re.compile(r"[Aa]rray|Tensor|\bAny\b|\b(Float|Int|UInt|Num|Shaped|Inexact|Bool|Complex|Real)\d*\[")


def is_builtin(page: Page, name: ast.Name) -> bool:
    """Whether a name means the builtin of this name; a star import of what isn't JAX's may bind any."""
    stars = page.module.stars
    return page.bindings(name) is None and (not stars or (all(_is_jax(s) for s in stars) and not page.dotted(name)))


def _is_jax(module: str) -> bool:
    return module.partition(".")[0] == "jax"


def is_none(node: ast.expr) -> bool:
    """Whether None is written there."""
    return isinstance(node, ast.Constant) and node.value is None


def is_array_annotation(node: ast.expr) -> bool:
    """Whether an annotation says that a value is an array, or may be one."""
    return _ARRAY_ANNOTATION.search(ast.unparse(node)) is not None


def holds_array(page: Page, node: ast.Attribute) -> bool:
    """Whether what an attribute (`shape`, `size`) is read from looks like an array, not like settings or `self`."""
    base = node.value
    if isinstance(base, ast.Attribute):
        return node.attr != "size" and _SETTINGS.search(base.attr.lower()) is None
    if not isinstance(base, ast.Name):
        return isinstance(base, (ast.Call, ast.Subscript, ast.BinOp))
    hit = page.bindings(base)
    if hit is None or any(b.imported is not None for b in hit[1]) or _SETTINGS.search(base.id.lower()):
        return False
    function = hit[0].node
    if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        own = parameter(function, base.id)
        if own is not None and own.annotation is not None:
            return is_array_annotation(own.annotation)
        first = own is not None and own is named(function)[0]
        if first and isinstance(page.parent(function), ast.ClassDef) and not _is_static(function):
            return False
        return page.inside(function).attributes.get(base.id, set()) <= _ARRAY_ATTRIBUTES
    return True


def _is_static(function: ast.AST) -> bool:
    return any(getattr(d, "id", "") == "staticmethod" for d in getattr(function, "decorator_list", ()))


def is_shape(page: Page, node: ast.expr, depth: int = 0) -> bool:
    """Whether an expression is a plain tuple (or list) of Python integers: a shape, a slice of one, numbers listed."""
    if depth > _DEPTH:
        return False
    if isinstance(node, ast.Attribute):
        return node.attr == "shape" and holds_array(page, node)
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
        return node.attr in ("ndim", "size") and holds_array(page, node)
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
    if isinstance(node.func, ast.Name) and not is_builtin(page, node.func):
        return False
    if name in _NUMBER_CALLS - {"bool"}:
        return True
    if name in _SAME_NUMBER and not node.keywords:
        given = node.args
        if len(given) == 1 and name != "abs":
            return is_shape(page, given[0], depth + 1)
        return all(is_number(page, a, depth + 1) for a in given)
    dotted = page.dotted(node.func) or ""
    if dotted in ("jax.numpy.ndim", "jax.numpy.size", "numpy.ndim", "numpy.size"):
        return True
    return dotted.startswith("math.") and not dotted.startswith("math.is")


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
    """Whether a parameter's annotation says that it is a number; with a default alone, it may be anything."""
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    own = parameter(function, name)
    said = own.annotation if own is not None else None
    return isinstance(said, ast.Name) and said.id in ("int", "float")


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
