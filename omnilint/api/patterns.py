"""`match` statements as tests: what a case's pattern asks of the subject, and what the names in it stand for."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def test_of(pattern: ast.pattern, subject: ast.expr) -> ast.expr:
    """The expression that is true where `pattern` matches `subject`, as far as it can be told from plain values."""
    match pattern:
        case ast.MatchValue():
            return ast.Compare(subject, [ast.Eq()], [pattern.value])
        case ast.MatchSingleton():
            return ast.Compare(subject, [ast.Is()], [ast.Constant(pattern.value)])
        case ast.MatchAs():
            return ast.Constant(True) if pattern.pattern is None else test_of(pattern.pattern, subject)
        case ast.MatchOr():
            return ast.BoolOp(ast.Or(), [test_of(p, subject) for p in pattern.patterns])
        case ast.MatchSequence():
            starred = any(isinstance(p, ast.MatchStar) for p in pattern.patterns)
            length = ast.Call(ast.Name("len", ast.Load()), [subject], [])
            wanted = ast.Constant(len(pattern.patterns) - starred)
            enough: ast.expr = ast.Compare(length, [ast.GtE() if starred else ast.Eq()], [wanted])
            return ast.BoolOp(ast.And(), [enough, *(test_of(p, s) for p, s in _items(pattern, subject))])
    # A comparison with what has no value: undecided for a subject that is about the release, unrelated for others.
    return ast.Compare(subject, [ast.Eq()], [ast.Dict([], [])])


def parts(pattern: ast.pattern, subject: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names that a pattern binds, with the part of the subject that each stands for."""
    match pattern:
        case ast.MatchAs():
            if pattern.pattern is not None:
                yield from parts(pattern.pattern, subject)
            if pattern.name is not None:
                yield pattern.name, subject
        case ast.MatchOr():
            for p in pattern.patterns:
                yield from parts(p, subject)
        case ast.MatchSequence():
            for p, part in _items(pattern, subject):
                yield from parts(p, part)


def _items(pattern: ast.MatchSequence, subject: ast.expr) -> Iterator[tuple[ast.pattern, ast.expr]]:
    count = len(pattern.patterns)
    star = next((i for i, p in enumerate(pattern.patterns) if isinstance(p, ast.MatchStar)), count)
    for i, p in enumerate(pattern.patterns):
        if i != star:
            yield p, item(subject, i if i < star else i - count)


def item(holder: ast.expr, index: int) -> ast.expr:
    """The expression for one element of what `holder` gives."""
    return ast.Subscript(holder, ast.Constant(index), ast.Load())
