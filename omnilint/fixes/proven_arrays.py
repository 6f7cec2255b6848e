"""What proves that a value is an array, so that its `size`, `shape` and `ndim` are plain whole numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from omnilint import knowledge
from omnilint.fixes.arrays import is_array
from omnilint.fixes.context import Page
from omnilint.fixes.flow import parameter_of, static_parameters
from omnilint.fixes.homes import WITH_SCIPY
from omnilint.fixes.parameters import argument_for, by_position, parameter
from omnilint.fixes.static_values import is_array_annotation

_DEPTH = 6
_ASKED = frozenset({"size", "shape", "ndim"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_ONLY_ATTRIBUTES = frozenset({"T", "at", "aval", "dtype", "mT", "weak_type"})
_NOT_ONLY_METHODS = frozenset({"choose", "copy", "delete", "item", "repeat", "sort", "tolist", "trace", "view"})
_NUMBERS_TOO = (ast.Add, ast.Mult)  # of tuples and lists as well


def unproven(page: Page, node: ast.expr, depth: int = 0) -> Iterator[str]:
    """The texts of what an expression asks for a size or shape though nothing shows that it is an array."""
    if depth > _DEPTH:
        return
    if isinstance(node, ast.Attribute) and node.attr in _ASKED:
        if not is_proven(page, node.value):
            yield ast.unparse(node.value)
        return
    if isinstance(node, ast.Name):
        hit = page.bindings(node)
        for binding in hit[1] if hit is not None else ():
            if binding.value is not None and binding.imported is None:
                yield from unproven(page, binding.value, depth + 1)
        return
    if isinstance(node, (ast.Lambda, ast.Attribute)) or _is_static_call(page, node):
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.expr, ast.keyword, ast.comprehension)):
            for inner in [child] if isinstance(child, ast.expr) else ast.iter_child_nodes(child):
                if isinstance(inner, ast.expr):
                    yield from unproven(page, inner, depth + 1)


def _is_static_call(page: Page, node: ast.expr) -> bool:
    """`len(x)` is a whole number, and `jnp.shape(x)` a tuple of such, whatever `x` is."""
    if not isinstance(node, ast.Call):
        return False
    named = node.func.id if isinstance(node.func, ast.Name) else ""
    return named == "len" or (page.dotted(node.func) or "").rpartition(".")[2] in _ASKED


def is_proven(page: Page, node: ast.expr, depth: int = 0) -> bool:
    """Whether something in the code would fail if a value weren't an array, or says that it is one."""
    if depth > _DEPTH:
        return False
    if isinstance(node, ast.Call):
        return (page.dotted(node.func) or "").startswith(WITH_SCIPY) or _is_method(page, node) or is_array(page, node)
    if isinstance(node, (ast.BinOp, ast.UnaryOp)):
        return _is_operand(page, node) or is_array(page, node)
    if isinstance(node, ast.Subscript) and _is_array_index(node):
        return True
    function = _holder(page, node)
    if function is None:
        return is_array(page, node)
    key = (id(function), ast.unparse(node))
    if key not in page.proven:
        page.proven[key] = any(_is_used_as_array(page, n) for n in page.inside(function).written(key[1]))
    if page.proven[key] or (isinstance(node, ast.Name) and _is_bound_array(page, node, function, depth)):
        return True
    return is_array(page, node)


def _holder(page: Page, node: ast.expr) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
    """The function that the root of a chain is bound in, or that it is read in."""
    root: ast.AST = node
    while isinstance(root, (ast.Attribute, ast.Subscript)):
        root = root.value
    hit = page.bindings(root) if isinstance(root, ast.Name) else None
    found = hit[0].node if hit is not None else page.function(node)
    found = found if isinstance(found, _FUNCTIONS) else page.function(node)
    return found if isinstance(found, _FUNCTIONS) else None


def _is_used_as_array(page: Page, node: ast.expr) -> bool:
    """Whether one use of a value is one that only arrays have."""
    parent = page.parent(node)
    if isinstance(parent, ast.keyword):
        parent = page.parent(parent)
    if isinstance(parent, ast.Call) and parent.func is not node:
        dotted = page.dotted(parent.func) or ""
        static = parameter_of(dotted, parent, node) in static_parameters(dotted)
        return dotted.startswith(WITH_SCIPY) and not static and dotted.rpartition(".")[2] not in _ASKED
    if isinstance(parent, ast.Attribute):
        above = page.parent(parent)
        return parent.attr in _ONLY_ATTRIBUTES or (isinstance(above, ast.Call) and _is_method(page, above))
    if isinstance(parent, ast.Subscript) and parent.value is node:
        return _is_array_index(parent)
    return isinstance(parent, (ast.BinOp, ast.UnaryOp)) and _is_operand(page, parent)


def _is_method(page: Page, call: ast.Call) -> bool:
    """Whether a method is called that arrays have, and containers haven't."""
    if not isinstance(call.func, ast.Attribute) or page.dotted(call.func) is not None:
        return False
    return call.func.attr in knowledge.table("array_members")["methods"].keys() - _NOT_ONLY_METHODS


def _is_array_index(node: ast.Subscript) -> bool:
    plain = isinstance(node.slice, ast.Constant) and node.slice.value in (None, ...)
    return isinstance(node.slice, ast.Tuple) or plain


def _is_operand(page: Page, node: ast.BinOp | ast.UnaryOp) -> bool:
    """Whether an operator is one that containers don't have."""
    if isinstance(node, ast.UnaryOp):
        return not isinstance(node.op, ast.Not)
    return not isinstance(node.op, _NUMBERS_TOO)


def _is_bound_array(
    page: Page, name: ast.Name, function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, depth: int
) -> bool:
    """Whether a name is given an array in each way, or is a parameter that gets nothing else."""
    hit = page.bindings(name)
    if hit is None or hit[0].node is not function:
        return False
    values = [b.value for b in hit[1] if b.imported is None and b.value is not None]
    own = parameter(function, name.id)
    if own is None:
        return len(values) == len(hit[1]) > 0 and all(is_proven(page, v, depth + 1) for v in values)
    if own.annotation is not None and is_array_annotation(own.annotation):
        return True
    return _is_traced(page, function, own) or _is_given_arrays(page, function, own, depth)


def _is_traced(page: Page, function: ast.AST, own: ast.arg) -> bool:
    """Whether JAX traces the function, and its parameter with it: a size of another thing would be traced as well."""
    for decorator in getattr(function, "decorator_list", ()):
        if _is_transform(page, decorator):
            return not _is_static(function, own, decorator)
    uses = [n for _, n in page.reads(function.name)] if hasattr(function, "name") else [function]
    for use in uses:
        call = page.parent(use)
        if isinstance(call, ast.Call) and use in call.args and _is_transform(page, call.func):
            return not _is_static(function, own, call)
    return False


def _is_transform(page: Page, node: ast.expr) -> bool:
    parts = [node.func, *node.args[:1]] if isinstance(node, ast.Call) else [node]
    return any(
        (page.dotted(p) or "").startswith("jax.") and not (page.dotted(p) or "").startswith("jax.tree") for p in parts
    )


def _is_static(function: ast.AST, own: ast.arg, options: ast.expr) -> bool:
    """Whether the options of a transform may make a parameter static."""
    assert isinstance(function, _FUNCTIONS)
    parameters = by_position(function)
    for keyword in options.keywords if isinstance(options, ast.Call) else ():
        if keyword.arg is None:
            return True
        if not keyword.arg.startswith("static"):
            continue
        values = [n.value for n in ast.walk(keyword.value) if isinstance(n, ast.Constant)]
        plain = all(isinstance(n, (ast.Constant, ast.Tuple, ast.List, ast.Load)) for n in ast.walk(keyword.value))
        if not plain or own.arg in values or (own in parameters and parameters.index(own) in values):
            return True
    return False


def _is_given_arrays(page: Page, function: ast.AST, own: ast.arg, depth: int) -> bool:
    """Whether all calls of the function that the module shows, one at least, give the parameter an array."""
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    calls = [page.parent(n) for _, n in page.reads(function.name)]
    for call in calls:
        if not isinstance(call, ast.Call) or any(isinstance(a, ast.Starred) for a in call.args):
            return False
        given = argument_for(call, function, own)
        if given is None or not is_proven(page, given, depth + 1):
            return False
    return bool(calls)
