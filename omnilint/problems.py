"""From what went wrong while reading or checking a file to the one line that a person gets to see."""

from __future__ import annotations

import os
import re

from omnilint import newer
from omnilint.model import Finding, Place, Problem, Source

# The META code of a kind of problem. What has none (a missing path, our own error) can't be ignored.
CODES = {
    **dict.fromkeys(("unreadable", "encoding", "too-large", "vanished", "not-python"), "OMN901"),
    **dict.fromkeys(("syntax", "too-deep"), "OMN902"),
}
CUT_SHORT = "OMN903"

TOO_DEEP = "nested too deeply to be parsed; split the expression or exclude the file"


def of_parsing(source: Source, error: SyntaxError | ValueError | RecursionError | MemoryError) -> Problem:
    """Why a source isn't Python: its place and Python's own message."""
    if "\0" in source.text:  # Python says so too, but not where
        line = source.text.count("\n", 0, source.text.index("\0")) + 1
        return Problem("syntax", "not Python: it contains null bytes", source.path, line)
    if isinstance(error, SyntaxError):
        column = error.offset if error.offset and error.offset > 0 else None
        told = newer.explain(source.text) or _one_line(error.msg)
        return Problem("syntax", f"syntax error: {told}", source.path, error.lineno or 1, column)
    if isinstance(error, RecursionError | MemoryError):
        return Problem("too-deep", TOO_DEEP, source.path)
    return Problem("syntax", f"not Python: {_one_line(str(error))}", source.path)


def of_crash(path: str | None, step: str, error: BaseException) -> Problem:
    """Our own failure on one file: said, counted, and no reason to stop.

    With OMNILINT_DEBUG set the error is raised instead, for the sake of its traceback.
    """
    if os.environ.get("OMNILINT_DEBUG"):
        raise error
    if isinstance(error, RecursionError | MemoryError):
        return Problem("too-deep", f"nested too deeply for {step}; split the code or exclude the file", path)
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    message = f"internal error in {step} ({_one_line(what)}); please report it with this file"
    return Problem("internal", message, path)


def cut_short(problem: Problem) -> Finding:
    """The finding for a place where the analysis came to the end of its budget: a limit of ours, not a failure."""
    line = problem.line or 1
    return Finding(CUT_SHORT, problem.message, Place(problem.path or "", line, 1, line, 1))


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()[:300]
