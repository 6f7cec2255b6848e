"""Path patterns with the meaning that `.gitignore` gives them: one meaning for all of our settings."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of an ignore file: `regex` is matched against the path below the file's folder."""

    text: str
    regex: re.Pattern[str]
    negated: bool = False
    folders_only: bool = False


@lru_cache(maxsize=1024)
def compile_pattern(line: str) -> Pattern | None:
    """The pattern that an ignore file's line stands for; None for comments, blanks and nonsense."""
    text = line.rstrip("\r\n")
    # Trailing blanks don't count unless they are quoted with a backslash.
    text = re.sub(r"(?<!\\) +$", "", text)
    if not text or text.startswith("#"):
        return None
    negated = text.startswith("!")
    body = text[1:] if negated else text
    body = body.removeprefix("\\") if body.startswith(("\\#", "\\!")) else body
    folders_only = body.endswith("/")
    body = body.rstrip("/")
    anchored = "/" in body
    body = body.removeprefix("./").lstrip("/")
    if not body:
        return None
    try:
        regex = re.compile(("" if anchored else "(?:.*/)?") + _translate(body), re.DOTALL)
    except re.error:
        return None
    return Pattern(text, regex, negated, folders_only)


def _translate(glob: str) -> str:
    out, i = [], 0
    while i < len(glob):
        c = glob[i]
        if glob.startswith("**/", i) and (i == 0 or glob[i - 1] == "/"):
            out.append("(?:.*/)?")
            i += 3
        elif glob[i:] == "**" and i and glob[i - 1] == "/":
            out.append(".+")
            i += 2
        elif c == "*":
            while glob[i : i + 1] == "*":
                i += 1
            out.append("[^/]*")
        elif c == "?":
            out.append("[^/]")
            i += 1
        elif c == "[" and (end := glob.find("]", i + 2)) > 0:
            inner = glob[i + 1 : end].replace("\\", r"\\")
            out.append("(?!/)[" + ("^" + inner[1:] if inner[0] in "!^" else inner) + "]")
            i = end + 1
        elif c == "\\" and i + 1 < len(glob):
            out.append(re.escape(glob[i + 1]))
            i += 2
        else:
            out.append(re.escape(c))
            i += 1
    return "".join(out)


@dataclass(frozen=True, slots=True)
class Patterns:
    """Patterns that hold below one folder; the last one that matches decides.

    `others`: what is meant are the files below the folder that the patterns don't take in.
    """

    base: str
    patterns: tuple[Pattern, ...] = ()
    others: bool = False

    @classmethod
    def of(cls, base: str, lines: Iterable[str]) -> Patterns:
        """Patterns relative to the folder `base`; one that names `base` itself (`.`) takes in all of it."""
        prefix = base.rstrip(os.sep) + os.sep
        compiled = []
        for line in lines:
            if line.strip() in (".", "./") or line.rstrip(os.sep) + os.sep == prefix:
                line = "**"
            elif line.startswith(prefix):
                line = "/" + line.removeprefix(prefix)
            compiled.append(compile_pattern(line))
        return cls(base, tuple(p for p in compiled if p))

    def decide(self, file: str, folder: bool) -> Pattern | None:
        """The pattern that has the last word on this very path, if any (its parents are not asked)."""
        if not self.patterns:
            return None
        prefix = self.base.rstrip(os.sep) + os.sep
        if not file.startswith(prefix):
            return None
        relative = file[len(prefix) :].replace(os.sep, "/")
        for p in reversed(self.patterns):
            if (folder or not p.folders_only) and p.regex.fullmatch(relative):
                return p
        return None

    def match(self, file: str) -> Pattern | None:
        """The pattern that takes in this file, by its own path or by a folder that it lies in."""
        prefix = self.base.rstrip(os.sep) + os.sep
        if not self.patterns or not file.startswith(prefix):
            return None
        found = self._taking(prefix, file)
        return found if not self.others else None if found else self.patterns[0]

    def _taking(self, prefix: str, file: str) -> Pattern | None:
        parts = file[len(prefix) :].split(os.sep)
        for i in range(1, len(parts) + 1):
            found = self.decide(prefix + os.sep.join(parts[:i]), folder=i < len(parts))
            if found is not None and not found.negated:
                return found
        return None
