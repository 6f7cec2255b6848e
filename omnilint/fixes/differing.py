"""What differs between two trees of one module: pairs of nodes, as small as they can be told apart."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Sequence

# A node of the tree before and its counterpart after; where only one of them has it, the other is None.
Pair = tuple[ast.AST | None, ast.AST | None]


def pairs(before: ast.AST, after: ast.AST) -> Iterator[Pair]:
    """The smallest nodes that hold all that differs."""
    if type(before) is not type(after):
        yield before, after
        return
    inside: list[Pair] = []
    for name in before._fields:
        a, b = getattr(before, name, None), getattr(after, name, None)
        if _statements(a) or _statements(b):
            inside += _of_statements(a or [], b or [])
        elif name == "decorator_list":
            inside += _unpaired(a or [], b or [])
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b) or any(_is_none(x) != _is_none(y) for x, y in zip(a, b, strict=True)):
                yield before, after
                return
            for x, y in zip(a, b, strict=True):
                if isinstance(x, ast.AST) and isinstance(y, ast.AST) and not isinstance(x, _WORDS):
                    inside += pairs(x, y)
                elif type(x) is not type(y) or (not isinstance(x, ast.AST) and x != y):
                    yield before, after
                    return
        elif isinstance(a, ast.AST) and isinstance(b, ast.AST) and not isinstance(a, _WORDS):
            inside += pairs(a, b)
        elif type(a) is not type(b) or (not isinstance(a, ast.AST) and a != b):
            yield before, after
            return
    yield from inside


# Operators and the like: nodes that stand nowhere.
_WORDS = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)


def _statements(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(x, ast.stmt) for x in value)


def _is_none(value: object) -> bool:
    return value is None


def _of_statements(before: Sequence[ast.stmt], after: Sequence[ast.stmt]) -> Iterator[Pair]:
    """Equal statements stay out; of the rest, those of one kind are counterparts, in order."""
    for _, i, j, k, m in _unequal([ast.dump(s) for s in before], [ast.dump(s) for s in after]):
        old, new = before[i:j], after[k:m]
        if len(old) == len(new):
            for a, b in zip(old, new, strict=True):
                yield from pairs(a, b)
            continue
        kinds = [[type(s).__name__ for s in part] for part in (old, new)]
        if not any(map(_returns, new)):
            old = list(_returning(old))
            kinds[0] = ["Return" if _returns(s) else type(s).__name__ for s in old]
        matcher = difflib.SequenceMatcher(None, kinds[0], kinds[1], autojunk=False)
        for tag, p, q, r, s in matcher.get_opcodes():
            if tag == "equal":
                for a, b in zip(old[p:q], new[r:s], strict=True):
                    yield from pairs(a, b)
            else:
                yield from ((a, None) for a in old[p:q])
                yield from ((None, b) for b in new[r:s])


def _returning(statements: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Without a return statement that does what an `else` of the one before would: one takes the place of both."""
    before: ast.stmt | None = None
    for statement in statements:
        if not (isinstance(statement, ast.Return) and before is not None and _returns(before)):
            yield statement
        before = statement


def _returns(statement: ast.stmt) -> bool:
    """Whether it is an `if` that does nothing but return."""
    return isinstance(statement, ast.If) and not statement.orelse and isinstance(statement.body[0], ast.Return)


def _unpaired(before: Sequence[ast.expr], after: Sequence[ast.expr]) -> Iterator[Pair]:
    """Decorators, of which some may come or go."""
    for _, i, j, k, m in _unequal([ast.dump(d) for d in before], [ast.dump(d) for d in after]):
        if j - i == m - k:
            for a, b in zip(before[i:j], after[k:m], strict=True):
                yield from pairs(a, b)
        else:
            yield from ((a, None) for a in before[i:j])
            yield from ((None, b) for b in after[k:m])


def _unequal(a: Sequence[str], b: Sequence[str]) -> Iterator[tuple[str, int, int, int, int]]:
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    return (code for code in matcher.get_opcodes() if code[0] != "equal")
