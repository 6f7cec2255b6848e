"""What the repairs of comparisons share: their words, and which argument says what."""

from __future__ import annotations

import ast

from omnilint.fixes.context import Page, Refusal, Repair
from omnilint.fixes.text import Span
from omnilint.model import Applicability

COARSE = 1e-3  # from there on (half precision) an absolute tolerance would let small arrays pass whatever they are


def repair(page: Page, spans: list[Span], words: str) -> Repair:
    """A repair that a person should look at: it says that a test may be less strict."""
    return Repair(
        Applicability.UNSAFE, f"{words}: about four times what rounding is expected to do", [(page, s) for s in spans]
    )


def told(suggested: float) -> str:
    """What a relative tolerance does, in words."""
    words = f"compare with a relative tolerance of {suggested:g}"
    return f"{words}, and as much absolutely where elements are near zero" if suggested < COARSE else words


def given(node: ast.Call, name: str, at: int | None) -> ast.expr | None:
    """The argument for a parameter; refuses where it can't be told."""
    if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
        raise Refusal("its arguments can't be told apart")
    named = next((k.value for k in node.keywords if k.arg == name), None)
    return node.args[at] if named is None and at is not None and len(node.args) > at else named
