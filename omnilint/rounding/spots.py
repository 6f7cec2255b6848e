"""Places in a module by a look at its text: the tree is walked only where a word of interest stands."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from omnilint.index.module import Definition, ModuleIndex

_LEAVES = frozenset({ast.Name, ast.Constant})
_SIGNS = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop)
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass(frozen=True)
class Layout:
    """The outermost functions and methods of a module, in the order in which they stand, and their first lines."""

    functions: tuple[Definition, ...]
    firsts: tuple[int, ...]

    def at(self, line: int) -> Definition | None:
        """The function that holds this line, decorators included; None between functions."""
        i = bisect_right(self.firsts, line) - 1
        if i < 0:
            return None
        found = self.functions[i]
        return found if line <= (found.node.end_lineno or found.node.lineno) else None


def layout(module: ModuleIndex) -> Layout:
    """The functions of a module that no function holds."""
    outer = [d for d in module.definitions.values() if not d.in_function and not isinstance(d.node, ast.ClassDef)]
    outer.sort(key=lambda d: d.first_line)
    return Layout(tuple(outer), tuple(d.first_line for d in outer))


def callers(
    layout: Layout,
    found: set[str],
    words: set[str],
    uses: Callable[[Definition, set[str]], object] | None = None,
) -> tuple[set[str], set[str]]:
    """(functions of these names and the callers of anything so called, over and over; the words and their names).

    `uses` says whether a function that mentions words uses them in a way that counts.
    """
    rest = [d for d in layout.functions if d.qualname not in found]
    words = words | {d.node.name for d in layout.functions if d.qualname in found}
    while more := [d for d in rest if d.identifiers & words and (uses is None or uses(d, words))]:
        found = found | {d.qualname for d in more}
        words = words | {d.node.name for d in more}
        rest = [d for d in rest if d.qualname not in found]
    return found, words


def lines_of(pattern: re.Pattern[str], text: str) -> list[int]:
    """The numbers of the lines on which a match of the pattern starts, ascending."""
    return _lines([match.start() for match in pattern.finditer(text)], text)


def lines_with(words: Iterable[str], text: str) -> list[int]:
    """The numbers of the lines on which one of the words starts, ascending; whole words, where they are such.

    Searching for one string after the other costs a tenth of what a pattern of them all costs.
    """
    found: list[int] = []
    for word in words:
        size, whole = len(word), word.isidentifier()
        at = text.find(word)
        while at >= 0:
            end = at + size
            if not whole or not (_in_word(text[at - 1 : at]) or _in_word(text[end : end + 1])):
                found.append(at)
            at = text.find(word, end)
    found.sort()
    return _lines(found, text)


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _lines(offsets: Iterable[int], text: str) -> list[int]:
    found: list[int] = []
    line, at = 1, 0
    for offset in offsets:
        line += text.count("\n", at, offset)
        at = offset
        if not found or found[-1] != line:
            found.append(line)
    return found


def nodes_on(body: Iterable[ast.AST], lines: Sequence[int]) -> Iterator[ast.AST]:
    """The nodes of those statements, blocks apart, that span one of the lines (ascending)."""
    for statement in body:
        first = getattr(statement, "lineno", 0)
        decorators = getattr(statement, "decorator_list", None)
        if decorators:
            first = min(first, decorators[0].lineno)
        last = getattr(statement, "end_lineno", None)
        if last is not None:
            i = bisect_left(lines, first)
            if i == len(lines) or lines[i] > last:
                continue
        if not hasattr(statement, "body"):
            yield from nodes_of(statement)
            continue
        for name in statement._fields:
            value = getattr(statement, name, None)
            if name in _BLOCKS and isinstance(value, list):
                yield from nodes_on(value, lines)
            elif isinstance(value, ast.AST):
                yield from nodes_of(value)
            elif isinstance(value, list):
                for item in value:
                    if isinstance(item, ast.AST):
                        yield from nodes_of(item)


def name_of(node: ast.AST) -> str:
    """The name, or the last part of a dotted one; "" for anything else."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def nodes_of(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, operators and contexts apart, in no order; a third of the price of `ast.walk`."""
    pending = [node]
    while pending:
        top = pending.pop()
        yield top
        if type(top) in _LEAVES:
            continue
        for name in top._fields:
            value = getattr(top, name, None)
            if type(value) is list:
                pending += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST) and not isinstance(value, _SIGNS):
                pending.append(value)
