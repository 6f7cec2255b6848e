"""Which module repairs which findings; each gives a Repair or refuses with a reason."""

from __future__ import annotations

import dataclasses
import importlib
import os
from collections.abc import Callable, Sequence
from functools import cache

from omnilint.fixes.context import Book, Refusal, Repair
from omnilint.fixes.settled import settle
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

    by_book: dict[int, tuple[Book, list[int]]] = {}
    found: list[Finding] = list(findings)
    repairs: dict[int, Repair] = {}
    for i, finding in enumerate(findings):
        if finding.fix is None:
            own = book(finding.place.path)
            by_book.setdefault(id(own), (own, []))[1].append(i)
            proposed = _proposed(finding, own)
            if isinstance(proposed, Repair):
                repairs[i] = proposed
            else:
                found[i] = _without(finding, proposed)
    for own, numbers in by_book.values():
        chosen = settle([(findings[i], repairs.get(i)) for i in numbers], own)
        for i, repair in zip(numbers, chosen, strict=True):
            if repair is not None:
                found[i] = _with(findings[i], repair)
    return found


def _proposed(finding: Finding, book: Book) -> Repair | str:
    """The repair of a finding, or the reason why there is none."""
    propose = fixer(finding.code)
    if propose is None:
        return next((why for code, why in WITHOUT.items() if finding.code.startswith(code)), "it needs a person")
    try:
        return propose(finding, book)
    except Refusal as why:
        return str(why)
    except Exception as error:  # a mistake of ours costs this repair, not the finding
        return _failed(error)


def _with(finding: Finding, repair: Repair) -> Finding:
    try:
        return dataclasses.replace(finding, fix=repair.fix())
    except Refusal as why:
        return _without(finding, str(why))
    except Exception as error:
        return _without(finding, _failed(error))


def _without(finding: Finding, reason: str) -> Finding:
    return dataclasses.replace(finding, data={**finding.data, "unfixed": reason})


def _failed(error: Exception) -> str:
    if os.environ.get("OMNILINT_DEBUG"):
        raise error
    return f"the search for a repair failed ({type(error).__name__}: {error}); please report it"
