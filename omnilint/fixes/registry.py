"""Which module repairs which findings; each gives a Repair or refuses with a reason."""

from __future__ import annotations

import dataclasses
import importlib
import os
from collections.abc import Callable, Sequence
from functools import cache

from omnilint.fixes.context import Book, Refusal, Repair
from omnilint.index.project import Project
from omnilint.model import Finding, Source

# Code, or the beginning of codes → the module of omnilint.fixes whose `propose` repairs them; the longest fits.
FIXERS = {
    "OMN1": "shape",
    "OMN401": "names",
    "OMN402": "names",
    "OMN403": "names",
    "OMN407": "names",
    "OMN405": "arguments",
    "OMN408": "arguments",
    "OMN406": "switches",
    "OMN2": "state",
    "OMN3": "tolerance",
    "OMN516": "shape",
    "OMN5": "conc",
}
# Why there is no repair, by the beginning of the code, where no module is tried.
WITHOUT = {
    "OMN9": "it is about the check itself",
}


@cache
def fixer(code: str) -> Callable[[Finding, Book], Repair] | None:
    """The function that repairs findings of a code."""
    for length in (6, 5, 4):
        name = FIXERS.get(code[:length])
        if name is not None:
            propose: Callable[[Finding, Book], Repair] = importlib.import_module(f"omnilint.fixes.{name}").propose
            return propose
    return None


def attach(
    findings: Sequence[Finding], project: Project, sources: dict[str, Source], indices: Callable[[str], Sequence[int]]
) -> list[Finding]:
    """The findings, each with its repair, or with the reason why there is none in `data["unfixed"]`.

    `indices` gives the releases of JAX that a file, by its shown path, is judged for.
    """
    books: dict[tuple[int, ...], Book] = {}

    def book(path: str) -> Book:
        releases = tuple(indices(path))
        if releases not in books:
            books[releases] = Book(project, sources, releases)
        return books[releases]

    return [f if f.fix is not None else _with_repair(f, book(f.place.path)) for f in findings]


def _with_repair(finding: Finding, book: Book) -> Finding:
    propose = fixer(finding.code)
    if propose is None:
        reason = next((why for code, why in WITHOUT.items() if finding.code.startswith(code)), "it needs a person")
        return dataclasses.replace(finding, data={**finding.data, "unfixed": reason})
    try:
        return dataclasses.replace(finding, fix=propose(finding, book).fix())
    except Refusal as why:
        return dataclasses.replace(finding, data={**finding.data, "unfixed": str(why)})
    except Exception as error:  # a mistake of ours costs this repair, not the finding
        if os.environ.get("OMNILINT_DEBUG"):
            raise
        told = f"the search for a repair failed ({type(error).__name__}: {error}); please report it"
        return dataclasses.replace(finding, data={**finding.data, "unfixed": told})
