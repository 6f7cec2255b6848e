"""Whose dtype an expression has, to the bit: two that have the same one stay alike when they meet."""

from __future__ import annotations

import ast

from omnilint.fixes.context import Page
from omnilint.fixes.homes import ARRAYS
from omnilint.fixes.kinds import keeps_dtype, kind, once_assigned
from omnilint.fixes.proven_arrays import is_proven
from omnilint.fixes.static_values import is_number

NUMBER = "number"  # Python's, which follow what they meet
_DEPTH = 8


def width(page: Page, node: ast.expr, depth: int = 0) -> str | None:
    """A dtype's name, or `that of x`; None where the code doesn't show it."""
    if depth > _DEPTH:
        return None
    if is_number(page, node) or (isinstance(node, ast.Constant) and isinstance(node.value, bool)):
        return NUMBER
    if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
        return width(page, node.operand, depth + 1)
    if isinstance(node, ast.BinOp):
        return _joined(page, [node.left, node.right], depth)
    if isinstance(node, ast.Subscript) and is_proven(page, node.value):
        return width(page, node.value, depth + 1)
    if isinstance(node, ast.Attribute) and node.attr in ("T", "mT"):
        return width(page, node.value, depth + 1)
    if isinstance(node, ast.Call):
        return _of_call(page, node, depth)
    if isinstance(node, ast.Compare):
        return "bool"
    if isinstance(node, ast.Name):
        value = once_assigned(page, node)
        return width(page, value, depth + 1) if value is not None else _of_text(page, node)
    return _of_text(page, node) if isinstance(node, (ast.Attribute, ast.Subscript)) else None


def _of_text(page: Page, node: ast.expr) -> str | None:
    """An own dtype for each name that is bound once, as parameters are."""
    root = node
    while isinstance(root, (ast.Attribute, ast.Subscript)):
        root = root.value
    hit = page.bindings(root) if isinstance(root, ast.Name) else None
    return f"that of {ast.unparse(node)}" if hit is not None and len(hit[1]) == 1 else None


def _joined(page: Page, nodes: list[ast.expr], depth: int) -> str | None:
    found = {width(page, n, depth + 1) for n in nodes}
    found -= {NUMBER} if len(found) > 1 else set()
    return found.pop() if len(found) == 1 else None


def _of_call(page: Page, node: ast.Call, depth: int) -> str | None:
    if isinstance(node.func, ast.Attribute) and node.func.attr == "astype" and len(node.args) == 1:
        asked = node.args[0]
        text = asked.value if isinstance(asked, ast.Constant) else page.dotted(asked) or ast.unparse(asked)
        return str(text).rpartition(".")[2]
    whole = kind(page, node).dtype
    if whole in ("int", "bool"):
        return whole
    dotted = page.dotted(node.func) or ""
    home = next((h for h in ARRAYS if dotted.startswith(h)), None)
    given = list(node.args)
    if home is None and not dotted and isinstance(node.func, ast.Attribute):
        name, given = node.func.attr, [node.func.value]
    else:
        name = dotted[len(home) :] if home is not None else ""
    asked_for = any(k.arg == "dtype" or k.arg is None for k in node.keywords)
    return _joined(page, given, depth) if given and keeps_dtype(name) and not asked_for else None
