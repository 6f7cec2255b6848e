"""Which arguments can't be static, as far as the code shows it: arrays, what is taken from arrays, lists and dicts."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from omnilint import knowledge
from omnilint.fixes.arrays import is_array
from omnilint.fixes.context import Page
from omnilint.fixes.homes import WITH_RANDOM
from omnilint.fixes.static_values import is_builtin, is_number

_DEPTH = 6
_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_MAKERS = frozenset({"arange", "array", "asarray", "concatenate", "empty", "eye", "full", "linspace", "ones", "stack",
                     "zeros"})  # fmt: skip
_STATIC = frozenset({"can_cast", "dtype", "finfo", "iinfo", "ndim", "promote_types", "result_type", "shape", "size"})
_FETCHES = frozenset({"item", "tolist"})
# Builtins that hand on the elements of what they are given.
_ELEMENTS = frozenset({"enumerate", "iter", "list", "map", "reversed", "sorted", "tuple", "zip"})


def is_unhashable(page: Page, node: ast.expr, depth: int = 0) -> bool:
    """Whether a value is a list, a dict, a set, or an array of NumPy's."""
    if isinstance(node, _DISPLAYS):
        return True
    if isinstance(node, ast.Tuple):
        return any(is_unhashable(page, e, depth) for e in node.elts)
    if isinstance(node, ast.Call):
        module, _, leaf = (page.dotted(node.func) or "").rpartition(".")
        plain = isinstance(node.func, ast.Name) and is_builtin(page, node.func)
        return (module == "numpy" and leaf in _MAKERS) or (plain and leaf_of(node) in ("list", "dict", "set"))
    if isinstance(node, ast.Name) and depth < _DEPTH:
        return any(is_unhashable(page, value, depth + 1) for value, whole in _values(page, node) if whole)
    return False


def leaf_of(call: ast.Call) -> str:
    """The last part of the name that is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def may_be_array(page: Page, node: ast.expr, depth: int = 0) -> bool:
    """Whether a value is likely to be an array: computed by JAX, given by a method of arrays, or an element of one."""
    if depth > _DEPTH or is_number(page, node):
        return False
    if isinstance(node, ast.Call):
        return _call(page, node, depth)
    if isinstance(node, ast.Subscript):
        return may_be_array(page, node.value, depth + 1)
    if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.Tuple, ast.List, ast.Starred)):
        parts = [n for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr)]
        return any(may_be_array(page, n, depth + 1) for n in parts)
    if isinstance(node, ast.Name):
        return is_array(page, node) or any(
            may_be_array(page, value, depth + 1) if whole else _holds_arrays(page, value, depth + 1)
            for value, whole in _values(page, node)
        )
    return False


def _call(page: Page, node: ast.Call, depth: int) -> bool:
    dotted = page.dotted(node.func) or ""
    if dotted.startswith(WITH_RANDOM):
        return dotted.rpartition(".")[2] not in _STATIC
    if dotted or not isinstance(node.func, ast.Attribute) or node.func.attr in _FETCHES:
        return is_array(page, node)
    methods = knowledge.table("array_members")["methods"]
    return node.func.attr in methods and not isinstance(node.func.value, ast.Constant)


def _holds_arrays(page: Page, node: ast.expr, depth: int) -> bool:
    """Whether what is iterated over, or unpacked, gives arrays."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _ELEMENTS:
        return any(_holds_arrays(page, a, depth + 1) for a in node.args)
    return may_be_array(page, node, depth)


def _values(page: Page, name: ast.Name) -> Iterator[tuple[ast.expr, bool]]:
    """(what a name is bound to, True), or (what it is an element of, False), in each way that the code shows."""
    hit = page.bindings(name)
    if hit is None:
        return
    for binding in hit[1]:
        if binding.value is not None and binding.imported is None:
            yield binding.value, True
    scope = hit[0].node
    if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        nodes: Iterator[ast.AST] = iter(page.inside(scope).nodes)
    elif isinstance(scope, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
        nodes = ast.walk(scope)
    else:
        return
    for node in nodes:
        if isinstance(node, (ast.For, ast.comprehension)) and _names(node.target, name.id):
            yield node.iter, False
        elif isinstance(node, ast.Assign) and any(
            isinstance(t, (ast.Tuple, ast.List)) and _names(t, name.id) for t in node.targets
        ):
            yield node.value, False


def _names(target: ast.expr, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(target))
