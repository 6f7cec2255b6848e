"""A module's text by offsets: from trees and places to spans of characters, and back."""

from __future__ import annotations

import ast
import bisect
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from omnilint.model import Edit, Place, Source

_LINE = re.compile(r"\r\n|\r|\n")
_INDENT = re.compile(r":[ \t]*(?:#[^\r\n]*)?[\r\n]+([ \t]+)(?=[^\s#])")


@dataclass(frozen=True)
class Span:
    """Characters `start` to `end` (exclusive) of a text, to be replaced by `content`."""

    start: int
    end: int
    content: str = ""


class Text:
    """The text of a source with its line starts; columns of places count characters from 1."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.starts = [0, *(m.end() for m in _LINE.finditer(source.text))]

    @cached_property
    def newline(self) -> str:
        """The line end that the text uses most."""
        ends = _LINE.findall(self.text)
        return max(("\n", "\r\n", "\r"), key=ends.count)

    def line(self, number: int) -> str:
        """A line, counted from 1, without its end."""
        if not 0 < number <= len(self.starts):
            return ""
        end = self.starts[number] if number < len(self.starts) else len(self.text)
        return self.text[self.starts[number - 1] : end].rstrip("\r\n")

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and a column in characters, both from 1."""
        return min(self.starts[min(line, len(self.starts)) - 1] + column - 1, len(self.text))

    def _of_bytes(self, line: int, column: int) -> int:
        """`ast` counts UTF-8 bytes from 0."""
        text = self.line(line)
        return self.starts[line - 1] + (
            column if text.isascii() else len(text.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore"))
        )

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node begins and ends."""
        line, end_line = getattr(node, "lineno", 1), getattr(node, "end_lineno", 1)
        return (
            self._of_bytes(line, getattr(node, "col_offset", 0)),
            self._of_bytes(end_line, getattr(node, "end_col_offset", 0)),
        )

    def cut(self, node: ast.AST) -> str:
        """The node's own text."""
        start, end = self.span(node)
        return self.text[start:end]

    def position(self, offset: int) -> tuple[int, int]:
        """(line, column) of an offset, both from 1."""
        line = bisect.bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def place(self, start: int, end: int) -> Place:
        """The place of a span."""
        line, column = self.position(start)
        end_line, end_column = self.position(end)
        return Place(self.source.path, line, column, end_line, end_column)

    @cached_property
    def indent(self) -> str:
        """What the text indents a block by: a tab or some spaces, as its first indented line of code has it."""
        found = _INDENT.search(self.text)
        return found[1] if found is not None else "    "

    def native(self, span: Span) -> Span:
        """The span with line ends as the text has them."""
        return Span(span.start, span.end, _LINE.sub(lambda _: self.newline, span.content))

    def edit(self, span: Span) -> Edit:
        """The span as an edit of a fix; line ends as the text has them."""
        return Edit(self.place(span.start, span.end), self.native(span).content)

    def of_edit(self, edit: Edit) -> Span:
        """The span that an edit of this text stands for."""
        p = edit.place
        return Span(self.offset(p.line, p.column), self.offset(p.end_line, p.end_column), edit.content)

    def whole_lines(self, start: int, end: int) -> tuple[int, int]:
        """The span widened to whole lines, the last line's end included."""
        first, _ = self.position(start)
        last, _ = self.position(end)
        stop = self.starts[last] if last < len(self.starts) else len(self.text)
        return self.starts[first - 1], stop


@lru_cache(maxsize=8)
def text_of(source: Source) -> Text:
    """The text of a source, made once for the many that ask for it one after the other."""
    return Text(source)


def trimmed(text: str, span: Span) -> Span:
    """The span without what the replacement leaves as it is at both ends."""
    old, new = text[span.start : span.end], span.content
    n = 0
    while n < min(len(old), len(new)) and old[n] == new[n]:
        n += 1
    m = 0
    while m < min(len(old), len(new)) - n and old[-1 - m] == new[-1 - m]:
        m += 1
    return Span(span.start + n, span.end - m, new[n : len(new) - m])


def apply(text: str, spans: list[Span]) -> str:
    """The text with the spans replaced; they must not overlap."""
    out, at = [], 0
    for span in sorted(spans, key=lambda s: (s.start, s.end)):
        out += [text[at : span.start], span.content]
        at = span.end
    return "".join([*out, text[at:]])


def clash(a: Span, b: Span) -> bool:
    """Whether two spans can't both be replaced; equal insertions can, as one."""
    if a == b:
        return False
    if a.start == a.end or b.start == b.end:
        first, second = sorted((a, b), key=lambda s: (s.end - s.start, s.start))
        return second.start < first.start < second.end
    return a.start < b.end and b.start < a.end


class Spans:
    """Spans that can all be replaced together, in order; says of another one whether it would clash with them."""

    def __init__(self) -> None:
        self._sorted: list[Span] = []

    def clashes(self, span: Span) -> bool:
        """Whether the span can't be replaced with these: looks only at its neighbours, which don't overlap."""
        i = bisect.bisect_right(self._sorted, max(span.end, span.start), key=lambda other: other.start)
        while i > 0:
            i -= 1
            other = self._sorted[i]
            if clash(span, other):
                return True
            if other.start < span.start:  # what lies before this one ends before it too
                return False
        return False

    def add(self, span: Span) -> None:
        """Take in a span that doesn't clash."""
        i = bisect.bisect_left(self._sorted, (span.start, span.end), key=lambda other: (other.start, other.end))
        while i < len(self._sorted) and (self._sorted[i].start, self._sorted[i].end) == (span.start, span.end):
            if self._sorted[i] == span:
                return
            i += 1
        self._sorted.insert(i, span)


def fit(spans: Iterable[Span]) -> bool:
    """Whether all of the spans can be replaced together."""
    taken = Spans()
    for span in spans:
        if taken.clashes(span):
            return False
        taken.add(span)
    return True


def parts(text: Text, spans: Iterable[Span]) -> Iterator[tuple[str, list[Span]]]:
    """The whole lines that spans lie in, those of neighbours as one, each with its spans counted from its beginning."""
    start, stop, own = 0, -1, list[Span]()
    for span in sorted(spans, key=lambda s: (s.start, s.end)):
        first, last = text.whole_lines(span.start, span.end)
        if own and first > stop:
            yield text.text[start:stop], own
            own = []
        if not own:
            start, stop = first, last
        stop = max(stop, last)
        own = [*own, Span(span.start - start, span.end - start, span.content)]
    if own:
        yield text.text[start:stop], own
