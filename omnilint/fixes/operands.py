"""What a call is given, and the text of an expression where a repair puts it: in parentheses where it needs them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from omnilint.fixes.context import Page, Refusal


def bound(call: ast.Call, parameters: Sequence[str]) -> Mapping[str, ast.expr]:
    """The arguments by parameter; refuses what can't be told or doesn't fit."""
    found: dict[str, ast.expr] = {}
    if any(isinstance(a, ast.Starred) for a in call.args) or len(call.args) > len(parameters):
        raise Refusal("its arguments can't be told apart")
    found.update(zip(parameters, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg not in parameters or keyword.arg in found:
            raise Refusal("its arguments can't be told apart")
        found[keyword.arg] = keyword.value
    return found


def operand(page: Page, node: ast.expr) -> str:
    """The text of an expression as something can be attached to it: in parentheses where it needs them."""
    text = page.text.cut(node)
    plain = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.List, ast.Tuple, ast.Dict, ast.Set)
    if isinstance(node, ast.Tuple) and not text.startswith("("):
        return f"({text})"
    return text if isinstance(node, plain) else f"({text})"


def argument(page: Page, node: ast.expr) -> str:
    """The text of an expression as an argument of a call."""
    text = page.text.cut(node)
    if isinstance(node, (ast.GeneratorExp, ast.NamedExpr, ast.Yield, ast.YieldFrom)) or (
        isinstance(node, ast.Tuple) and text[:1] != "("
    ):
        return text if isinstance(node, ast.GeneratorExp) and text.startswith("(") else f"({text})"
    return text
