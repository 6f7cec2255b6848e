"""Whether arguments of a call may go, or change places: what does something, or binds a name, may not."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import combinations


def is_pure(node: ast.expr) -> bool:
    """Whether an expression only reads: a constant, a name, an attribute of one, a sign, or such things listed."""
    if isinstance(node, ast.Attribute):
        return is_pure(node.value)
    if isinstance(node, ast.UnaryOp):
        return is_pure(node.operand)
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(map(is_pure, node.elts))
    if isinstance(node, ast.Dict):
        return not any(node.keys) and not node.values  # keys have to be hashed, and `**` reads a mapping
    return isinstance(node, (ast.Constant, ast.Name))


def keeps_order(new: Sequence[ast.expr]) -> bool:
    """Whether arguments may be written in a new order: what isn't pure stays before and after what it was."""
    for first, second in combinations(new, 2):
        swapped = (second.lineno, second.col_offset) < (first.lineno, first.col_offset)
        if (swapped or first is second) and not (is_pure(first) and is_pure(second)):
            return False
    return True
