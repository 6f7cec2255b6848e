"""Names of JAX that moved or were renamed without changing, for code that is older than the JAX it is put to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from omnilint import knowledge
from omnilint.index.module import ModuleIndex

_DOTTED = re.compile(r"`?((?:\w+\.)+\w+)`?")


@cache
def table() -> dict[str, tuple[str, ...]]:
    """Old dotted name to the names that may stand for it today, best first."""
    found: dict[str, tuple[str, ...]] = {}
    for row in knowledge.table("internal").get("move", ()):
        found[row["old"]] = (row["new"],)
    for row in knowledge.table("internal").get("instead", ()):
        for name in row["names"]:
            uses = [_DOTTED.fullmatch(u.replace("{leaf}", name.rpartition(".")[2])) for u in row["use"]]
            told = tuple(u[1] for u in uses if u)
            if told:
                found.setdefault(name, told)
    return found


def used_by(modules: Iterable[ModuleIndex]) -> dict[str, list[str]]:
    """The rows of the table whose names these modules may use."""
    words: set[str] = set()
    for m in modules:
        words |= m.identifiers | {part for dotted in m.imports.values() for part in dotted.split(".")}
        words |= {part for star in m.stars for part in star.split(".")}
    return {old: list(new) for old, new in table().items() if set(old.split(".")[1:]) <= words}
