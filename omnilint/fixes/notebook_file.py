"""Edits within the JSON of a notebook: only the strings of changed lines are written anew."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from omnilint.fixes.text import Span, Text, apply
from omnilint.sources.notebook import Notebook

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')


@dataclass(frozen=True)
class _Cell:
    """Where a code cell's source stands in the JSON: its string, or the strings of its list."""

    number: int
    start: int
    end: int
    items: tuple[tuple[int, int], ...]
    is_list: bool


def within_cells(source: Notebook, spans: Sequence[Span]) -> list[Span]:
    """The spans, with the line end that the joined text has behind each cell left out: in the file there is none.

    Lines that go one behind the other are one span within a cell, but never of two cells.
    Where a cell's last lines go, the line end before them goes instead; an empty line stays of a cell that goes whole.
    """
    text = source.text
    starts = Text(source).starts
    firsts = [starts[line - 1] for line in source.starts]
    ends = {*firsts[1:], len(text)}
    found: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start, s.end)):
        meets = bool(found) and found[-1].end == span.start < span.end and span.start not in firsts
        if meets and not found[-1].content and not span.content:
            span = Span(found.pop().start, span.end)
        found.append(span)
    return [_before_end(span, text, firsts) if span.end in ends else span for span in found]


def _before_end(span: Span, text: str, firsts: Sequence[int]) -> Span:
    """A span that reaches up to the end of a cell, its last line end excluded."""
    if span.start == span.end:  # only behind the last cell; anywhere else the next one begins there
        at_end = span.end == len(text) and span.content.endswith("\n")
        return Span(span.start - 1, span.end - 1, "\n" + span.content[:-1]) if at_end else span
    if span.content.endswith("\n"):
        return Span(span.start, span.end - 1, span.content[:-1])
    if span.content or text[span.start - 1 : span.start] not in ("", "\n"):
        return span
    back = 0 if span.start in firsts else 1
    return Span(span.start - back, span.end - 1)


def edited(raw: bytes, source: Notebook, spans: Sequence[Span]) -> bytes:
    """The notebook's bytes with the edits of its joined text made in its cells.

    Raises Unfixable for an edit that touches IPython's own syntax, or goes over the end of a cell.
    """
    text = raw.decode("utf-8")
    cells = {cell.number: cell for cell in _cells(text)}
    joined = Text(source)
    changes: list[Span] = []
    for i, number in enumerate(source.numbers):
        first = joined.offset(source.starts[i], 1)
        stop = joined.offset(source.starts[i + 1], 1) if i + 1 < len(source.starts) else len(joined.text)
        own = [Span(s.start - first, s.end - first, s.content) for s in spans if first <= s.start < stop]
        if own:
            changes.append(_change(text, cells[number], joined.text[first:stop], own))
    return apply(text, changes).encode("utf-8")


def _change(text: str, cell: _Cell, plain: str, spans: Sequence[Span]) -> Span:
    from omnilint.fixes.rewrite import Unfixable

    strings = [json.loads(text[a:b]) for a, b in cell.items]
    original = "".join(strings)
    if "\r" in original:
        raise Unfixable("the cell has carriage returns in it")
    lines, shown = original.split("\n"), plain[:-1].split("\n")
    for span in spans:
        if span.end >= len(plain):
            raise Unfixable("it goes over the end of a cell")
        first, last = _touched(plain, span, lines)
        if lines[first : last + 1] != shown[first : last + 1]:
            raise Unfixable("it touches a line with IPython's own syntax")
    # Both have the same lines, of different lengths: edits go by line and column.
    new = apply(original, [_moved(span, plain, original) for span in spans])
    escaped = _escapes(text[cell.start : cell.end])
    if not cell.is_list:
        return Span(cell.start, cell.end, json.dumps(new, ensure_ascii=escaped))
    return _list(text, cell, new, escaped)


def _touched(plain: str, span: Span, lines: Sequence[str]) -> tuple[int, int]:
    """The first and last line of a cell that a span changes; not one that it only begins behind or ends before."""
    first, last = plain.count("\n", 0, span.start), plain.count("\n", 0, span.end)
    gone = not span.content and span.start < span.end
    behind = plain[span.start] == "\n" and (span.content[:1] == "\n" or (gone and plain[span.end] == "\n"))
    if behind and not lines[first].endswith("\\"):
        return first + 1, last
    before = plain[span.start - 1 : span.start] in ("", "\n") if gone else span.content.endswith("\n")
    if before and plain[span.end - 1 : span.end] == "\n":
        return first, last - 1
    return first, last


def _moved(span: Span, plain: str, original: str) -> Span:
    def at(offset: int) -> int:
        line = plain.count("\n", 0, offset)
        column = offset - (plain.rfind("\n", 0, offset) + 1)
        start = 0
        for _ in range(line):
            start = original.index("\n", start) + 1
        if plain[offset] == "\n":  # of a line of IPython's own, which is longer or shorter
            end = original.find("\n", start)
            return end if end >= 0 else len(original)
        return start + column

    return Span(at(span.start), at(span.end), span.content)


def _list(text: str, cell: _Cell, new: str, escaped: bool) -> Span:
    """The list of lines, where only lines that changed are spelled anew, in the layout that it has."""
    known = {json.loads(text[a:b]): text[a:b] for a, b in cell.items}
    lines = re.findall(r"[^\n]*\n|[^\n]+\Z", new)
    written = [known.get(line) or json.dumps(line, ensure_ascii=escaped) for line in lines]
    (first, _), (_, last) = cell.items[0], cell.items[-1]
    between = text[cell.items[0][1] : cell.items[1][0]] if len(cell.items) > 1 else "," + text[cell.start + 1 : first]
    return Span(first, last, between.join(written))


def _escapes(text: str) -> bool:
    """Whether the file spells other than ASCII characters as `\\u…`: only then do new lines."""
    return bool(re.search(r"\\u[0-9a-fA-F]{4}", text)) and text.isascii()


def _cells(text: str) -> Iterator[_Cell]:
    """The code cells, by a walk over the JSON's tokens that knows where each one stands."""
    path: list[str | int] = []
    closers: list[str] = []
    key: str | None = None
    expecting_key = False
    number = 0
    begun: int | None = None
    items: list[tuple[int, int]] = []
    for token in _TOKEN.finditer(text):
        word = token.group()
        if word in "{[":
            if path[:1] == ["cells"] and len(path) == 2 and word == "{":
                number = int(path[1]) + 1
            if _is_source(path) and word == "[":
                begun, items = token.start(), []
            closers.append(word)
            path.append(0 if word == "[" else "")
            expecting_key = word == "{"
        elif word in "}]":
            closers.pop()
            path.pop()
            if begun is not None and _is_source(path) and word == "]":
                if items:
                    yield _Cell(number, begun, token.end(), tuple(items), True)
                begun = None
            expecting_key = False
        elif word == ",":
            if closers and closers[-1] == "[":
                path[-1] = int(path[-1]) + 1
            expecting_key = bool(closers) and closers[-1] == "{"
        elif word == ":":
            continue
        elif expecting_key and word[0] == '"':
            key = json.loads(word)
            path[-1] = key
            expecting_key = False
        elif begun is not None and word[0] == '"':
            items.append(token.span())
        elif _is_source(path) and word[0] == '"':
            yield _Cell(number, token.start(), token.end(), (token.span(),), False)


def _is_source(path: Sequence[str | int]) -> bool:
    """Whether the walk stands at `cells[i].source` of the top-level object."""
    return len(path) == 3 and path[0] == "cells" and isinstance(path[1], int) and path[2] == "source"
