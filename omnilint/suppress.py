"""Comments that silence findings: `# noqa`, `# noqa: OMN101`, `# omnilint: ignore[OMN101] why`, `ignore-file`."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from omnilint.model import Finding, Source
from omnilint.selection import PREFIX, PREFIX_OF_HAZARD
from omnilint.sources.read import split_lines
from omnilint.statements import Statements

_WORDS = r"[A-Za-z][A-Za-z0-9_-]*"
_NOQA = re.compile(rf"#\s*noqa\b(?:\s*:\s*(?P<codes>{_WORDS}(?:[\s,]+{PREFIX}\d+|\s*,\s*{_WORDS})*)?)?", re.I)
_OWN = re.compile(r"#\s*omnilint:\s*(?P<verb>ignore-file|ignore)\b(?:\[(?P<codes>[^\]]*)\])?", re.I)


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment: where it stands, and the prefixes of codes that it silences (none: all of them).

    `blanks` are the blanks before it, `shared` says that it names other tools' codes too.
    """

    line: int
    column: int
    end_column: int
    prefixes: tuple[str, ...]
    whole_file: bool = False
    blanks: int = 0
    shared: bool = False

    def silences(self, code: str) -> bool:
        return not self.prefixes or any(code.startswith(p) for p in self.prefixes)


class Suppressions:
    """The suppressions of one source, looked up by the statement that a finding stands in."""

    def __init__(self, source: Source, statements: Statements | None) -> None:
        self.all = tuple(find(source))
        self._whole_file = [s for s in self.all if s.whole_file]
        self._by_line: dict[int, list[Suppression]] = {}
        for s in self.all:
            if not s.whole_file:
                self._by_line.setdefault(s.line, []).append(s)
        self._statements = statements

    def of(self, finding: Finding) -> Suppression | None:
        """The comment that silences `finding`: one on any line of its statement, or one for the file."""
        line = finding.place.line
        first, last = self._statements.span(line) if self._statements else (line, line)
        near = [s for n in range(first, last + 1) for s in self._by_line.get(n, ())]
        return next((s for s in [*near, *self._whole_file] if s.silences(finding.code)), None)


def find(source: Source) -> Iterator[Suppression]:
    """The suppressing comments of a source, in order. Text inside string literals is no comment."""
    if not speaks(source):
        return
    lines = split_lines(source.text)
    for line, column, comment in _comments(source):
        for pattern in (_NOQA, _OWN):
            for found in pattern.finditer(comment):
                suppression = _read(found, line, column, lines[line - 1])
                if suppression is not None:
                    yield suppression


def speaks(source: Source) -> bool:
    """Whether there can be a suppressing comment in the source at all."""
    lower = source.text.lower()
    return "noqa" in lower or "omnilint:" in lower


def _read(found: re.Match[str], line: int, column: int, text: str) -> Suppression | None:
    groups = found.groupdict()
    codes = groups["codes"]
    words = re.findall(_WORDS, codes or "")
    prefixes = tuple(p for word in words if (p := _prefix(word)))
    if codes is not None and not prefixes:
        return None  # other tools' codes only, or none of ours in the brackets
    whole_file = groups.get("verb", "").lower() == "ignore-file"
    start, end = column + found.start(), column + found.end()
    blanks = start - len(text[:start].rstrip())
    return Suppression(line, start + 1, end + 1, prefixes, whole_file, blanks, len(words) > len(prefixes))


def _prefix(word: str) -> str | None:
    upper = word.upper()
    if re.fullmatch(rf"{PREFIX}\d{{0,3}}", upper):
        return upper
    return PREFIX_OF_HAZARD.get(upper)


def _comments(source: Source) -> Iterator[tuple[int, int, str]]:
    """(line from 1, column from 0, text) of every comment; of every line's part after `#` in other text."""
    if source.kind == "text":
        for number, line in enumerate(source.text.split("\n"), 1):
            if "#" in line:
                yield number, line.index("#"), line[line.index("#") :]
        return
    try:
        for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.start[1], token.string
    except (tokenize.TokenError, SyntaxError):
        return  # what could be read of a file that Python can't parse
