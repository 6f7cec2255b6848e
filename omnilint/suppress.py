"""Comments that silence findings: `# noqa`, `# noqa: OMN101`, `# omnilint: ignore[OMN101] why`, `ignore-file`."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from omnilint.errors import ConfigError, did_you_mean
from omnilint.model import Edit, Finding, Place, Source
from omnilint.selection import PREFIX, PREFIX_OF_HAZARD, prefix_of
from omnilint.sources.notebook import Notebook
from omnilint.sources.read import split_lines
from omnilint.statements import Statements

# The finding that a comment silences nothing.
UNUSED = "OMN904"
_WORDS = r"[A-Za-z][A-Za-z0-9_-]*"
_NOQA = re.compile(rf"#\s*noqa\b(?:\s*:\s*(?P<codes>{_WORDS}(?:[\s,]+{PREFIX}\d+|\s*,\s*{_WORDS})*)?)?", re.I)
_OWN = re.compile(r"#\s*omnilint:\s*(?P<verb>ignore-file|ignore)(?![\w-])(?:\[(?P<codes>[^\]]*)\])?", re.I)
# What was meant to be one of ours: another verb, or codes that stand outside of brackets.
_SLIP = re.compile(rf"#\s*omnilint:\s*(?P<verb>{_WORDS})(?P<codes>\s*[\[=]|\s*:?\s*{PREFIX}\d)?", re.I)
_VERBS = ("ignore", "ignore-file", "inputs")
# Of a comment, what belongs to the words before it: up to the next comment on the line.
_REASON = re.compile(r"(?:(?!\s+#\s*[A-Za-z]).)*")


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment: where it stands, and the prefixes of codes that it silences (none: all of them).

    `own` is one of ours, no `noqa`. `blanks` are the blanks before it, `words` its codes as they are written, each with
    the prefix that it stands for (None: another tool's code), `listed` the columns that they stand between, `reach` the
    column behind its reason, `alone` that its line holds nothing else and can go with it, `prose` what a `noqa` is
    followed by, which says something by itself.
    """

    line: int
    column: int
    end_column: int
    prefixes: tuple[str, ...]
    whole_file: bool = False
    own: bool = False
    blanks: int = 0
    words: tuple[tuple[str, str | None], ...] = ()
    listed: tuple[int, int] = (0, 0)
    reach: int = 0
    alone: bool = False
    prose: str = ""

    def silences(self, code: str) -> bool:
        return not self.prefixes or any(code.startswith(p) for p in self.prefixes)

    def without(self, idle: Collection[str], path: str) -> Edit:
        """The edit that takes these prefixes out: of the list, or all of the comment when nothing is left of it."""
        kept = [word for word, prefix in self.words if prefix not in idle]
        if not kept and self.prose:
            return Edit(Place(path, self.line, self.column, self.line, self.reach), f"# {self.prose}")
        if not kept and self.alone:
            return Edit(Place(path, self.line, 1, self.line + 1, 1), "")
        if not kept:
            return Edit(Place(path, self.line, self.column - self.blanks, self.line, self.reach), "")
        return Edit(Place(path, self.line, self.listed[0], self.line, self.listed[1]), ", ".join(kept))


@dataclass(frozen=True, slots=True)
class Slip:
    """A comment of ours, or a word in one, that silences nothing because it means nothing; `message` says why."""

    line: int
    column: int
    end_column: int
    message: str


class Suppressions:
    """The suppressions of one source, looked up by the statement that a finding stands in."""

    def __init__(self, source: Source, statements: Statements | None) -> None:
        comments = list(_comments(source, statements)) if speaks(source) else []
        self.all = tuple(_suppressions(source, comments))
        self.slips = tuple(_slips(comments))
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
        near = [s for n in (line, *range(first, last + 1)) for s in self._by_line.get(n, ())]
        return next((s for s in [*near, *self._whole_file] if s.silences(finding.code)), None)

    def allow_idle(self, line: int) -> bool:
        """Whether comments on a line may silence nothing: the file says so, or the line does by a code of its own."""
        own = [s for s in self._by_line.get(line, ()) if s.prefixes]
        return any(s.silences(UNUSED) for s in (*self._whole_file, *own))


def find(source: Source, statements: Statements | None = None) -> Iterator[Suppression]:
    """The suppressing comments of a source, in order. Text inside string literals is no comment.

    With the source's `statements`, only those are tokenised that may hold such a comment.
    """
    yield from _suppressions(source, _comments(source, statements)) if speaks(source) else ()


def speaks(source: Source) -> bool:
    """Whether there can be a suppressing comment in the source at all."""
    return _speaks(source.text)


def _speaks(text: str) -> bool:
    lower = text.lower()
    return "noqa" in lower or "omnilint:" in lower


def _suppressions(source: Source, comments: Iterable[tuple[int, int, str]]) -> Iterator[Suppression]:
    lines = split_lines(source.text)
    for line, column, comment in comments:
        for pattern in (_NOQA, _OWN):
            for found in pattern.finditer(comment):
                # The last line of a cell, or of a text without an end of line, has none after it to end at.
                followed = line < len(lines) and not (isinstance(source, Notebook) and line + 1 in source.starts)
                suppression = _read(found, line, column, lines[line - 1], followed)
                if suppression is not None:
                    yield suppression


def _slips(comments: Iterable[tuple[int, int, str]]) -> Iterator[Slip]:
    """Comments of ours that look as if they silence something, and don't: unknown codes, misspelt words."""
    for line, column, comment in comments:
        for pattern in (_NOQA, _OWN):
            for found in pattern.finditer(comment):
                for word, place in _words(found):
                    told = _unknown(word, own=pattern is _OWN)
                    if told:
                        start = column + place + 1
                        yield Slip(line, start, start + len(word), told)
        for found in _SLIP.finditer(comment):
            told = _misspelt(found)
            if told:
                yield Slip(line, column + found.start() + 1, column + found.end("verb") + 1, told)


def _read(found: re.Match[str], line: int, column: int, text: str, followed: bool) -> Suppression | None:
    groups = found.groupdict()
    own = "verb" in groups
    words = tuple((word, _prefix(word, own)) for word, _ in _words(found))
    prefixes = tuple(prefix for _, prefix in words if prefix)
    if groups["codes"] is not None and not prefixes:
        return None  # other tools' codes only, or none of ours in the brackets
    start, end = column + found.start(), column + found.end()
    reason = _REASON.match(text, end)
    reach = reason.end() if reason else end
    return Suppression(
        line,
        start + 1,
        end + 1,
        prefixes,
        whole_file=own and groups["verb"].lower() == "ignore-file",
        own=own,
        blanks=start - len(text[:start].rstrip()),
        words=words,
        listed=(column + found.start("codes") + 1, column + found.end("codes") + 1),
        reach=reach + 1,
        alone=followed and not text[:start].strip() and not text[reach:].strip(),
        prose="" if own else text[end:reach].lstrip(" \t-–—:,;.").rstrip(),
    )


def _words(found: re.Match[str]) -> Iterator[tuple[str, int]]:
    """The codes in a comment as they are written, each with its place there."""
    for word in re.finditer(_WORDS, found["codes"] or ""):
        yield word[0], found.start("codes") + word.start()


def _prefix(word: str, own: bool) -> str | None:
    """The prefix that a word stands for; in brackets of ours rules can go by their names too."""
    try:
        return prefix_of(word, "") if own or _is_code(word) or word.upper() in PREFIX_OF_HAZARD else None
    except ConfigError:
        return None


def _unknown(word: str, own: bool) -> str | None:
    """What is wrong with a word that was meant for us and names no rule."""
    if not own and not _is_code(word):
        return None
    try:
        prefix_of(word, "")
    except ConfigError as error:
        return str(error).removeprefix(": ")
    return None


def _is_code(word: str) -> bool:
    return re.fullmatch(rf"{PREFIX}\d*", word, re.I) is not None


def _misspelt(found: re.Match[str]) -> str | None:
    verb, codes = found["verb"].lower(), found["codes"]
    if verb in ("ignore", "ignore-file") and codes and not codes.endswith("["):
        return f"the codes go in brackets: `omnilint: {verb}[…]`; as it stands it silences everything"
    if verb in _VERBS:
        return None
    near = did_you_mean(verb, _VERBS, otherwise="write `ignore` or `ignore-file`")
    return f"there is no `omnilint: {verb}`; {near}" if codes or "did you mean" in near else None


def _comments(source: Source, statements: Statements | None) -> Iterator[tuple[int, int, str]]:
    """(line from 1, column from 0, text) of what may be a comment that counts; in other text, what follows a `#`."""
    if source.kind == "text":
        for number, line in enumerate(source.text.split("\n"), 1):
            if "#" in line:
                yield number, line.index("#"), line[line.index("#") :]
        return
    lines = split_lines(source.text)
    if statements is None:
        yield from _tokenised(lines, 1, len(lines))
    else:
        last = 0
        for number, line in enumerate(lines, 1):
            if number > last and _speaks(line):
                first, last = statements.around(number)
                yield from _tokenised(lines, first, last)


def _tokenised(lines: Sequence[str], first: int, last: int) -> Iterator[tuple[int, int, str]]:
    rest = (f"{line}\n" for line in lines[first - 1 : last])
    try:
        for token in tokenize.generate_tokens(lambda: next(rest, "")):
            if token.type == tokenize.COMMENT:
                yield first - 1 + token.start[0], token.start[1], token.string
    except (tokenize.TokenError, SyntaxError):
        return  # what could be read of a file that Python can't parse
