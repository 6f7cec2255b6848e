"""Whether a definition is documented: by a docstring of its own, or by one that a wrapper hands it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from omnilint.api.build.signature import keeps_signature, last_part

# What gives a function the documentation of the function that it is called with, by the last part of its name.
_HANDS_ON = {
    "_wraps", "wraps", "implements", "_scipy_special_wraps", "_one_to_one_unop", "_one_to_one_binop",
    "_maybe_bool_binop", "_comparison_op", "_logical_op", "_wrap_numpy_nullary_function", "_wrap_indices_function",
    "_split_on_axis", "_make_reduction", "_make_cumulative_reduction", "_make_nan_reduction",
}  # fmt: skip
# Packages whose public functions all have docstrings.
_DOCUMENTED = {"numpy", "scipy"}

# What is known of a name that a module binds: (whether it is documented, the package that it was imported from).
Known = Callable[[str], tuple[bool | None, str]]


def documented(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, known: Known) -> bool | None:
    """Whether a function or class has a docstring at run time; None where a decorator decides, and can't be read."""
    if ast.get_docstring(node) is not None:
        return True
    if isinstance(node, ast.ClassDef) and any(isinstance(b, ast.Name) and b.id == node.name for b in node.bases):
        return known(node.name)[0]  # `class Array(Array, …)`: another form of the same
    handed = [handed_by(d, known) for d in node.decorator_list if _hands_on(d)]
    if handed:
        return True if True in handed else handed[0]
    return False if all(keeps_signature(d) for d in node.decorator_list) else None


def handed_by(call: ast.expr, known: Known) -> bool | None:
    """Whether the function that `wraps(function)` and its like are called with is documented."""
    if not isinstance(call, ast.Call) or not call.args:
        return None
    if any(k.arg == "docstr" for k in call.keywords):
        return True
    return _of(call.args[0], known)


def of_value(value: ast.expr, known: Known) -> bool | None:
    """Whether what a call gives is documented, where it is a wrapped function."""
    if not isinstance(value, ast.Call):
        return None
    for call in (value.func, value):
        if _hands_on(call):
            return handed_by(call, known)
    return _of(value.args[0], known) if keeps_signature(value.func) and value.args else None


def _hands_on(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and last_part(node.func) in _HANDS_ON


def _of(node: ast.expr, known: Known) -> bool | None:
    root = node
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name):
        return None
    own, package = known(root.id)
    if root is node:
        return own
    return True if package in _DOCUMENTED else None


def sets_docstring(targets: Iterable[ast.expr]) -> Iterable[str]:
    """The names whose `__doc__` an assignment sets."""
    for t in targets:
        if isinstance(t, ast.Attribute) and t.attr == "__doc__" and isinstance(t.value, ast.Name):
            yield t.value.id
