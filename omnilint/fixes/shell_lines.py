"""A shell script's simple commands: which stand by themselves at top level, and what words they are made of.

Only as much of the shell is read as tells those apart. Whatever can't be told makes the rest of the script no command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_OPENS = {"if": "fi", "for": "done", "while": "done", "until": "done", "select": "done", "case": "esac", "{": "}"}
_CLOSES = frozenset({"fi", "done", "esac", "}"})
# Words that a command follows.
_GOES_ON = frozenset(
    {"if", "then", "elif", "else", "while", "until", "do", "{", "!", "time", "fi", "done", "esac", "}"}
)
_RESERVED = _GOES_ON | frozenset({"for", "select", "case", "function", "[[", "((", "coproc", "in"})
_TOKEN = re.compile(
    r"""(?P<escape>\\\r?\n)|(?P<blank>[ \t]+)|(?P<newline>\r?\n)|(?P<comment>\#[^\r\n]*)"""
    r"""|(?P<heredoc><<-?[ \t]*(?:'(?P<quoted>[^'\n]+)'|"(?P<double>[^"\n]+)"|\\?(?P<plain>[\w.-]+))(?!<))"""
    r"""|(?P<operator>\|\||&&|;;&?|;&|[;&|()]|<<<|[<>]&?)""",
    re.X,
)
_PART = re.compile(r"""\\.|'[^']*'|[^\s\\'"`$;&|()<>]|\$""")
_OPENING = {"$(": ")", "${": "}", '"': '"', "`": "`"}


@dataclass(frozen=True)
class Word:
    """One word of a command as it is written, quotes included."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Command:
    """What stands between two line ends; `simple`: one command, in no block, whose words are all of it."""

    start: int
    end: int
    words: tuple[Word, ...]
    simple: bool


class _Lost(Exception):
    """The rest of the text can't be told apart."""


def commands(text: str, start: int = 0, end: int | None = None) -> Iterator[Command]:
    """The commands of a script, or of the part of a text that is one, in order; none behind what can't be read."""
    try:
        yield from _Scan(text, start, len(text) if end is None else end).run()
    except _Lost:
        return


class _Scan:
    def __init__(self, text: str, start: int, end: int) -> None:
        self.text, self.at, self.end = text, start, end
        self.open: list[str] = []
        self.heredocs: list[tuple[str, bool]] = []

    def run(self) -> Iterator[Command]:
        found: list[Command] = []
        while self.at < self.end:
            command = self._line()
            if command.words or not command.simple:
                found.append(command)
        if self.open or self.heredocs:  # what block it was that didn't end can't be told
            return
        yield from found

    def _line(self) -> Command:
        """One command up to the end of its last line; what an operator at the end joins is one with it."""
        first, words, simple = self.at, list[Word](), not self.open
        expects, goes_on = True, False  # a command's first word comes next; a line end doesn't end this
        while self.at < self.end:
            token = _TOKEN.match(self.text, self.at, self.end)
            if token is None:
                word = Word(self.text[self.at : (stop := self._word(self.at))], self.at, stop)
                self.at, goes_on = stop, False
                if expects and (word.text in _RESERVED or self.open[-1:] == ["pattern"]):
                    simple, expects = False, self._reserved(word.text)
                elif expects and not re.match(r"[A-Za-z_]\w*\+?=", word.text):
                    expects = False
                words.append(word)
                continue
            self.at = token.end()
            kind = token.lastgroup if token["heredoc"] is None else "heredoc"
            if kind == "newline":
                self._skip_heredocs()
                if not goes_on:
                    break
            elif kind == "heredoc":
                self.heredocs.append((token["quoted"] or token["double"] or token["plain"], token.group()[2] == "-"))
                simple = False
            elif kind == "operator":
                simple = simple and token.group()[0] in "<>" and token.group() != "<<<"
                expects = self._operator(token.group(), expects)
                goes_on = token.group() in ("&&", "||", "|")
            elif kind == "escape" and words and words[-1].end == token.start():
                simple = False  # a word that goes on in the next line
        return Command(first, self.at, tuple(words), simple and not self.open)

    def _word(self, at: int) -> int:
        """Where the word that begins here ends."""
        begun = at
        while at < self.end:
            opening = next((o for o in _OPENING if self.text.startswith(o, at)), None)
            part = None if opening else _PART.match(self.text, at, self.end)
            if opening:
                at = self._nested(at + len(opening), _OPENING[opening])
            elif part:
                at = part.end()
            else:
                break
        if at == begun:
            raise _Lost
        return at

    def _nested(self, at: int, closing: str) -> int:
        """The end of what a quote, or the sign of a substitution, opened before this place."""
        while at < self.end:
            sign = self.text[at]
            opening = next((o for o in _OPENING if self.text.startswith(o, at)), None)
            if sign == closing:
                return at + 1
            if sign == "\\":
                at += 2
            elif sign == "'" and closing == ")":
                at = self.text.find("'", at + 1, self.end) + 1 or self.end
            elif opening and (opening[0] == "$" or closing != "`"):
                at = self._nested(at + len(opening), _OPENING[opening])
            elif sign == "(" and closing == ")":
                at = self._nested(at + 1, ")")
            else:
                at += 1
        raise _Lost

    def _operator(self, sign: str, expects: bool) -> bool:
        """Go on behind an operator; whether a command's first word follows."""
        if sign == "(":
            if self.open[-1:] == ["pattern"]:
                return False
            self.open.append(")")
        elif sign == ")":
            if self.open[-1:] == ["pattern"]:
                self.open[-1] = "esac"
            elif self.open[-1:] == [")"]:
                self.open.pop()
            else:
                raise _Lost
        elif sign.startswith(";;") or sign == ";&":
            if self.open[-1:] != ["esac"]:
                raise _Lost
            self.open[-1] = "pattern"
        elif sign[0] in "<>":
            return expects
        return True

    def _reserved(self, word: str) -> bool:
        """Enter or leave a block; whether a command's first word follows."""
        if self.open[-1:] == ["pattern"]:
            if word == "esac":
                self.open.pop()
                return True
            return False
        if word in _OPENS:
            self.open.append("pattern" if word == "case" else _OPENS[word])
        elif word in _CLOSES:
            if self.open[-1:] != [word]:
                raise _Lost
            self.open.pop()
        elif word == "((":
            raise _Lost
        return word in _GOES_ON

    def _skip_heredocs(self) -> None:
        for word, indented in self.heredocs:
            while True:
                if self.at >= self.end:
                    raise _Lost
                stop = self.text.find("\n", self.at, self.end)
                stop = self.end if stop < 0 else stop
                line = self.text[self.at : stop].rstrip("\r")
                self.at = min(stop + 1, self.end)
                if (line.lstrip("\t") if indented else line) == word:
                    break
        self.heredocs = []
