"""What the code shows of an array's shape and dtype: enough to say whether two values are alike."""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from omnilint import knowledge
from omnilint.fixes.context import Page
from omnilint.fixes.homes import WITH_NUMPY

SCALAR = "()"
_DEPTH = 8
_DTYPES = {"bool": "bool", "int": "int", "float": "float"}


@dataclass(frozen=True)
class Kind:
    """A shape, `()` or that of an expression by its text, and a dtype's kind; None where the code doesn't show it.

    `number`: a Python number, written out, which has no dtype of its own.
    """

    shape: str | None = None
    dtype: str | None = None
    number: bool = False


@cache
def _named_in(*lists: str) -> frozenset[str]:
    """The functions that the table lists under these headings."""
    table = knowledge.table("result_kinds")
    return frozenset(name for heading in lists for name in table[heading])


def _reductions() -> frozenset[str]:
    return _named_in("reduce", "to_bool", "to_int", "to_float")


def takes_lists(name: str) -> bool:
    """Whether a function of jax.numpy takes a list where others want an array."""
    return name in _named_in("sequences")


def kind(page: Page, node: ast.expr, scalars: Collection[str] = (), depth: int = 0) -> Kind:
    """The kind of an expression; `scalars` are texts of expressions that are known to have no dimensions."""
    found = _kind(page, node, scalars, depth) if depth < _DEPTH else Kind()
    return Kind(SCALAR, found.dtype, found.number) if ast.unparse(node) in scalars else found


def _kind(page: Page, node: ast.expr, scalars: Collection[str], depth: int) -> Kind:
    def of(inner: ast.expr) -> Kind:
        return kind(page, inner, scalars, depth + 1)

    if isinstance(node, ast.Constant):
        name = type(node.value).__name__
        return Kind(SCALAR, _DTYPES[name], True) if name in _DTYPES else Kind()
    if isinstance(node, ast.UnaryOp):
        inner = of(node.operand)
        return Kind(SCALAR, "bool") if isinstance(node.op, ast.Not) else inner
    if isinstance(node, ast.Compare):
        return Kind(_shape([of(n) for n in (node.left, *node.comparators)]), "bool")
    if isinstance(node, ast.BinOp):
        return _operator(node, of(node.left), of(node.right))
    if isinstance(node, ast.Call):
        return _call(page, node, scalars, depth)
    if isinstance(node, ast.Name):
        value = once_assigned(page, node)
        if value is not None:
            return of(value)
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        text = ast.unparse(node)
        return Kind(text, f"that of {text}")
    return Kind()


def once_assigned(page: Page, node: ast.Name) -> ast.expr | None:
    """What a local name is assigned, where that happens once and what it is made from stays the same."""
    hit = page.bindings(node)
    if hit is None or len(hit[1]) != 1 or hit[1][0].imported is not None or hit[0].node is not page.function(node):
        return None
    value = hit[1][0].value
    read = [n for n in ast.walk(value) if isinstance(n, ast.Name)] if value is not None else []
    changing = [n for n in read if (found := page.bindings(n)) is not None and len(found[1]) != 1]
    return None if changing else value


def _shape(kinds: list[Kind]) -> str | None:
    """The shape of what is computed element by element."""
    shapes = {k.shape for k in kinds} - {SCALAR}
    return shapes.pop() if len(shapes) == 1 else None if shapes else SCALAR


def _dtype(kinds: list[Kind]) -> str | None:
    """The dtype that arithmetic of these gives: Python's numbers follow the arrays."""
    arrays = {k.dtype for k in kinds if not k.number} or {k.dtype for k in kinds}
    if any(k.dtype == "float" for k in kinds):
        return "float"
    return arrays.pop() if len(arrays) == 1 else None


def _operator(node: ast.BinOp, left: Kind, right: Kind) -> Kind:
    if isinstance(node.op, ast.MatMult):
        return Kind(None, _dtype([left, right]))
    dtype = "float" if isinstance(node.op, ast.Div) else _dtype([left, right])
    if dtype == "bool" and not isinstance(node.op, (ast.BitAnd, ast.BitOr, ast.BitXor)):
        dtype = "int"
    return Kind(_shape([left, right]), dtype, left.number and right.number)


def _call(page: Page, node: ast.Call, scalars: Collection[str], depth: int) -> Kind:
    dotted = page.dotted(node.func) or ""
    home = next((h for h in WITH_NUMPY if dotted.startswith(h)), None)
    given = list(node.args)
    if home is not None:
        name = dotted[len(home) :]
    elif isinstance(node.func, ast.Attribute):
        name, given = node.func.attr, [node.func.value, *given]
        if name == "astype" and len(node.args) == 1:
            return Kind(kind(page, given[0], scalars, depth + 1).shape, _named(page, node.args[0]))
        if name not in _reductions() and name not in ("clip", "copy", "conj"):
            return Kind()
    else:
        return Kind()
    kinds = [kind(page, n, scalars, depth + 1) for n in given if not isinstance(n, ast.Starred)]
    if name in _reductions():
        alone = len(given) == 1 and not any(k.arg in ("axis", "keepdims") for k in node.keywords)
        return Kind(SCALAR if alone else None, _reduced(name, kinds))
    if name == "where":
        return Kind(_shape(kinds), _dtype(kinds[1:])) if len(kinds) == 3 else Kind()
    if node.keywords:
        return Kind()
    if name in _named_in("one_bool"):
        return Kind(SCALAR, "bool")
    if name in _named_in("like") and kinds:
        return Kind(kinds[0].shape, kinds[0].dtype) if len(given) <= 1 + (name == "full_like") else Kind()
    if name in ("array", "asarray") and len(kinds) == 1:
        return Kind(kinds[0].shape, kinds[0].dtype)
    for heading, dtype in (("bools", "bool"), ("floats", "float"), ("same", _dtype(kinds))):
        if name in _named_in(heading):
            return Kind(_shape(kinds), dtype)
    return Kind()


def _reduced(name: str, kinds: list[Kind]) -> str | None:
    """The dtype of a reduction."""
    for heading, dtype in (("to_bool", "bool"), ("to_int", "int"), ("to_float", "float")):
        if name in _named_in(heading):
            return dtype
    own = kinds[0].dtype if kinds else None
    return "int" if own == "bool" and name in ("sum", "prod", "nansum", "nanprod") else own


def _named(page: Page, node: ast.expr) -> str | None:
    """The kind of a dtype by its name."""
    text = node.value if isinstance(node, ast.Constant) else (page.dotted(node) or ast.unparse(node))
    leaf = str(text).rpartition(".")[2].rstrip("_").lstrip("u").rstrip("0123456789")
    return {"bfloat": "float"}.get(leaf, _DTYPES.get(leaf))


def keeps_dtype(name: str) -> bool:
    """Whether a function of jax.numpy gives the dtype of the floats that it is given."""
    return name in _named_in("reduce", "to_float", "floats", "same", "like") or name in ("clip", "copy", "dot", "vdot")
