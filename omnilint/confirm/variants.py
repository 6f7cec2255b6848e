"""The same call with another of the values that a function asks a parameter for: another line may run then."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from omnilint.confirm.guess import words_asked
from omnilint.confirm.hints import parameters
from omnilint.confirm.known import SEARCH
from omnilint.confirm.literal import Entry
from omnilint.confirm.specs import Spec, literal
from omnilint.index.module import FunctionNode

MOST_VARIANTS = 8


def asked_for(node: FunctionNode, method: bool, static: frozenset[str]) -> dict[str, list[Spec]]:
    """The values that a function's own text asks its parameters for, by parameter: for one that isn't an array.

    Words that it is compared with or that its annotation lists; the other of two for a flag; for a number that is
    static those around what it is compared with.
    """
    found: dict[str, list[Spec]] = {}
    for h in parameters(node, method):
        sources = list(words_asked(h))
        if isinstance(h.default, ast.Constant) and isinstance(h.default.value, bool):
            sources.append(repr(not h.default.value))
        elif h.name in static and not sources:
            sources += [s for c in _constants(node, h.name) for s in _around(c)] or ["False", "True"]
        if sources:
            found[h.name] = [literal(s) for s in dict.fromkeys(sources)]
    return found


def _constants(node: ast.AST, name: str) -> Iterator[Any]:
    """The constants, but for strings, that a name is compared with."""
    for n in ast.walk(node):
        if isinstance(n, ast.Compare):
            sides = (n.left, *n.comparators)
            if any(isinstance(s, ast.Name) and s.id == name for s in sides):
                yield from (s.value for s in sides if isinstance(s, ast.Constant) and not isinstance(s.value, str))


def _around(value: Any) -> list[str]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [repr(value), repr(value + 1), repr(value - 1)]
    return [repr(value)]


def variants(entry: Entry, pinned: Entry) -> Iterator[Entry]:
    """An entry with each other value for one of its parameters in turn; `pinned` has the made-up ones that it took."""
    if pinned.spec.get("origins") != [SEARCH]:
        return  # somebody's own call stays as it is
    first = pinned.spec["assignments"][0]
    number = 0
    for name, specs in (entry.spec.get("choices") or {}).items():
        before = first.get(name)
        if before is not None and before.get("kind") not in ("literal", "scalar"):
            continue  # it was an array that went
        for spec in specs:
            if number < MOST_VARIANTS and (before is None or before.get("source") != spec["source"]):
                number += 1
                tried: list[dict[str, Spec]] = []
                for given in (first, *entry.spec["assignments"]):
                    if {**given, name: spec} not in tried:
                        tried.append({**given, name: spec})
                more = {"assignments": tried, "origins": [SEARCH] * len(tried), "choices": None}
                yield Entry(entry.module, {**entry.spec, **more}, entry.label, entry.source)
