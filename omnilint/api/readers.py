"""Annotations: what evaluates them, and the expressions in those that are strings."""

from __future__ import annotations

import ast

from omnilint.api.guards import last_name

_LONGEST = 1000
# Decorators and base classes that evaluate the annotations of what they are given.
_READERS = {"beartype", "typechecked", "jaxtyped", "validate_call", "validate_arguments"}
_READING_BASES = {"BaseModel", "BaseSettings", "RootModel"}


def reads_annotations(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Whether a decorator or base class evaluates the annotations of a function or class."""
    words = {last_name(d) for d in node.decorator_list} & _READERS
    return bool(words) or (isinstance(node, ast.ClassDef) and bool({last_name(b) for b in node.bases} & _READING_BASES))


def expression_in(node: ast.Constant) -> ast.expr | None:
    """The expression that an annotation in a string holds; None for anything else."""
    if not isinstance(node.value, str) or len(node.value) >= _LONGEST:
        return None
    try:
        return ast.parse(node.value.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
