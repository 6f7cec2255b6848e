"""Whether an expression is evaluated each time its statement runs: lines are what a run tells, not parts of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from omnilint.model import Place

_BLOCKS = (ast.If, ast.For, ast.While, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def always(path: Sequence[ast.stmt], place: Place) -> bool:
    """False where the place may be left out when its line runs; `path` are the statements around it, outermost first.

    The later operands of `and`, `or` and chained comparisons, the arms of a conditional expression, what a
    comprehension does for each item, the body of a lambda, and what stands on the line of its own `if` or loop.
    """
    if not path:
        return True
    if len(path) > 1 and isinstance(path[-2], _BLOCKS) and path[-2].lineno == path[-1].lineno:
        return False
    return not any(_inside(part, place) for part in _sometimes(path[-1]))


def _sometimes(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a statement, not of the blocks it carries, that are evaluated under a condition only."""
    for node in ast.walk(statement):
        if isinstance(node, ast.BoolOp):
            yield from node.values[1:]
        elif isinstance(node, ast.Compare):
            yield from node.comparators[1:]
        elif isinstance(node, ast.IfExp):
            yield from (node.body, node.orelse)
        elif isinstance(node, ast.Lambda):
            yield node.body
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
            yield from (node.elt, *_later(node.generators))
        elif isinstance(node, ast.DictComp):
            yield from (node.key, node.value, *_later(node.generators))
        elif isinstance(node, ast.Assert) and node.msg is not None:
            yield node.msg


def _later(generators: list[ast.comprehension]) -> Iterator[ast.expr]:
    for number, generator in enumerate(generators):
        yield from generator.ifs
        if number:
            yield generator.iter


def _inside(node: ast.expr, place: Place) -> bool:
    start, end = (node.lineno, node.col_offset + 1), (node.end_lineno, (node.end_col_offset or 0) + 1)
    return start <= (place.line, place.column) and (place.end_line, place.end_column) <= end
