"""Indices for `x.at[…]`: JAX refuses a list there, which `jax.ops.index_update` took once; a tuple may hold lists."""

from __future__ import annotations

import ast
import re

from omnilint import knowledge
from omnilint.fixes import operands
from omnilint.fixes.arrays import is_array
from omnilint.fixes.context import Page, Refusal
from omnilint.fixes.imports import module_alias
from omnilint.fixes.parameters import argument_for, by_position, parameter
from omnilint.fixes.static_values import is_builtin, is_number, is_whole
from omnilint.fixes.text import Span

_DEPTH = 6
# What makes an index of what stands between its brackets, unchanged or in a tuple of one.
_TUPLES = frozenset({"jax.numpy.index_exp", "numpy.index_exp"})
_HELPERS = frozenset({"jax.ops.index", "jax.numpy.s_", "numpy.s_"}) | _TUPLES
_NEVER = (ast.Tuple, ast.Compare, ast.UnaryOp, ast.Slice)
_NUMBERS_ONLY = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift, ast.BitAnd, ast.BitXor)
_BUILTINS = frozenset({"abs", "bool", "hash", "int", "len", "round", "slice", "tuple"})
_GIVES_LISTS = frozenset({"array_split", "broadcast_arrays", "dsplit", "hsplit", "meshgrid", "split", "vsplit"})
_MAY_BE_LISTS = frozenset({"copy", "tolist"})
_NO_LIST = frozenset(
    {"Array", "ArrayLike", "DeviceArray", "bool", "int", "ndarray", "slice", "tuple", "None", "Optional", "Union"}
)


def written(page: Page, node: ast.expr) -> tuple[str, list[Span], bool]:
    """(the text between the brackets, the imports, whether it surely is no list); refuses a list of unknown things."""
    helper = isinstance(node, ast.Subscript) and page.dotted(node.value) in _HELPERS
    inner = node.slice if helper and isinstance(node, ast.Subscript) else node
    held = _value(page, inner)
    if isinstance(held, ast.Tuple) and any(_called(page, e) == "range" for e in held.elts):
        raise Refusal("a range stands in the index, which JAX refuses")
    if isinstance(held, (ast.List, ast.ListComp)) or _called(page, held) in ("range", "list"):
        text, added = _of_list(page, inner, held)
        return text, added, True
    if isinstance(inner, ast.Tuple):
        text = page.text.cut(inner)
        starred = any(isinstance(e, ast.Starred) for e in inner.elts)  # without parentheses only since Python 3.11
        bare = not text.startswith("(") or (len(inner.elts) > 1 and not starred)
        return (text[1:-1].strip() if bare and text.startswith("(") and not helper else text), [], True
    if helper:
        return page.text.cut(inner), [], never_list(page, inner)
    return operands.argument(page, inner), [], never_list(page, inner)


def _value(page: Page, node: ast.expr) -> ast.expr:
    """What a name is assigned, where that happens once; else the expression itself."""
    hit = page.bindings(node) if isinstance(node, ast.Name) else None
    value = hit[1][0].value if hit is not None and len(hit[1]) == 1 and hit[1][0].imported is None else None
    raw = isinstance(value, ast.Subscript) and page.dotted(value.value) in _HELPERS - _TUPLES
    return value.slice if raw and isinstance(value, ast.Subscript) else value or node


def _called(page: Page, node: ast.expr) -> str:
    """The name of the builtin that is called."""
    plain = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and is_builtin(page, node.func)
    return node.func.id if plain and isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _of_list(page: Page, node: ast.expr, held: ast.expr) -> tuple[str, list[Span]]:
    """Numbers become an array; a list of lists and slices meant an index of several dimensions."""
    text = page.text.cut(node)
    if isinstance(held, ast.List) and held.elts:
        if any(_is_part(e) for e in held.elts):
            if node is not held:
                return f"tuple({text})", []
            return text[1:-1].strip().rstrip(",") + ("," if len(held.elts) == 1 else ""), []
        whole = all(
            (isinstance(e, ast.Constant) and type(e.value) in (bool, int)) or is_whole(page, e) for e in held.elts
        )
    else:
        inner = held.args[0] if isinstance(held, ast.Call) and _called(page, held) == "list" and held.args else held
        of_range = _called(page, inner) == "range"
        whole = of_range or (isinstance(held, ast.ListComp) and _counts_up(page, held))
    if not whole:
        raise Refusal("whether the list holds whole numbers isn't seen")
    alias, added = module_alias(page, "jax.numpy", node)
    dtype = "" if isinstance(held, ast.List) else ", int"  # of none at all it would be float32
    return f"{alias}.array({text}{dtype})", added


def _counts_up(page: Page, node: ast.ListComp) -> bool:
    """Whether a comprehension gives the numbers of a range, or others that are surely whole."""
    ranges = {
        g.target.id for g in node.generators if isinstance(g.target, ast.Name) and _called(page, g.iter) == "range"
    }
    return (isinstance(node.elt, ast.Name) and node.elt.id in ranges) or is_whole(page, node.elt)


def _is_part(node: ast.expr) -> bool:
    """Whether an element of a list is an index of its own: a list, a slice, `...`, None."""
    if isinstance(node, ast.Constant):
        return node.value is None or node.value is ...
    sliced = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "slice"
    return sliced or isinstance(node, (ast.List, ast.Tuple))


def never_list(page: Page, node: ast.expr, depth: int = 0) -> bool:
    """Whether an index is surely no list, as far as the code shows it."""
    if depth > _DEPTH:
        return False
    if isinstance(node, _NEVER) or is_number(page, node) or is_array(page, node):
        return True
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, (str, bytes))
    if isinstance(node, ast.BinOp):
        sides = [never_list(page, side, depth + 1) for side in (node.left, node.right)]
        return isinstance(node.op, _NUMBERS_ONLY) or (any if isinstance(node.op, ast.Add) else all)(sides)
    if isinstance(node, ast.Subscript):
        helper = page.dotted(node.value) or ""
        if helper in _HELPERS:
            return helper in _TUPLES or never_list(page, node.slice, depth + 1)
        return isinstance(node.slice, ast.Tuple)
    if isinstance(node, ast.Attribute):
        return node.attr in ("T", "ndim", "shape", "size")
    if isinstance(node, ast.Call):
        module, _, name = (page.dotted(node.func) or "").rpartition(".")
        if module:
            return module in ("jax.numpy", "jax.lax", "jax.random", "jax.nn", "numpy") and name not in _GIVES_LISTS
        if isinstance(node.func, ast.Attribute):
            return node.func.attr in knowledge.table("array_members")["methods"].keys() - _MAY_BE_LISTS
        return _called(page, node) in _BUILTINS
    return isinstance(node, ast.Name) and _is_no_list(page, node, depth)


def _is_no_list(page: Page, name: ast.Name, depth: int) -> bool:
    hit = page.bindings(name)
    if hit is None or any(b.imported is not None for b in hit[1]):
        return False
    values = [b.value for b in hit[1]]
    if all(v is not None and never_list(page, v, depth + 1) for v in values):
        return True
    function = hit[0].node
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return False
    own = parameter(function, name.id)
    if own is None or len(hit[1]) > 1:
        return any(_counts(page, read) for read in page.mentions(name.id) if page.function(read) is function)
    said = re.split(r"[\[\], |]+", ast.unparse(own.annotation)) if own.annotation is not None else []
    if said and {word.rpartition(".")[2] for word in said if word} <= _NO_LIST:
        return True
    reads = [n for n in page.mentions(name.id) if page.function(n) is function]
    return any(_counts(page, n) for n in reads) or _given_none(page, function, own, depth)


def _counts(page: Page, read: ast.expr) -> bool:
    """Whether a reading of a name would fail if it were a list: `i - 1`, `i + 1`, `i < n`."""
    parent = page.parent(read)
    if isinstance(parent, ast.BinOp):
        other = parent.right if parent.left is read else parent.left
        return isinstance(parent.op, _NUMBERS_ONLY) or (isinstance(parent.op, ast.Add) and is_number(page, other))
    ordered = isinstance(parent, ast.Compare) and all(
        isinstance(o, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for o in parent.ops
    )
    return (
        ordered
        and isinstance(parent, ast.Compare)
        and any(is_number(page, n) for n in (parent.left, *parent.comparators))
    )


def _given_none(page: Page, function: ast.AST, own: ast.arg, depth: int) -> bool:
    """Whether the uses of a function that the module shows, one at least, give its parameter no list."""
    assert isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
    if isinstance(function, ast.Lambda):
        uses: list[ast.AST] = [function]
    else:
        uses = [n for _, n in page.reads(function.name)]
    found = False
    for use in uses:
        call = page.parent(use)
        if not isinstance(call, ast.Call):
            return False
        if call.func is not use:
            looped = (
                page.dotted(call.func) == "jax.lax.fori_loop"
                and call.args[2:3] == [use]
                and by_position(function)[:1] == [own]
            )
            if not looped:
                return False
            found = True
            continue
        given = argument_for(call, function, own)
        if given is None or not never_list(page, given, depth + 1):
            return False
        found = True
    return found
