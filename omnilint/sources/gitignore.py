"""The ignore files of git that hold for a folder: `.gitignore` from the repository's top down, `info/exclude`."""

from __future__ import annotations

import os

from omnilint.sources.globs import Patterns


def load(folder: str, name: str = ".gitignore") -> Patterns | None:
    """The patterns of a folder's own ignore file; None when it has none that can be read."""
    try:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as f:
            patterns = Patterns.of(folder, f.read().split("\n"))
    except OSError:
        return None
    return patterns if patterns.patterns else None


def inherited(folder: str) -> list[Patterns]:
    """What the repository's ignore files above `folder` say about the things in it, farthest first.

    A folder that they ignore themselves was asked for by name, so then they have no say: without
    this, nobody could check an installed package below `.venv`.
    """
    top = repository(folder)
    if top is None:
        return []
    parts = [] if folder == top else os.path.relpath(folder, top).split(os.sep)
    rules: list[Patterns] = []
    info = load(top, os.path.join(".git", "info", "exclude"))
    if info is not None:
        rules.append(info)
    here = top
    for part in parts:
        own = load(here)
        if own is not None:
            rules.append(own)
        here = os.path.join(here, part)
        if ignored(rules, here, folder=True):
            return []
    return rules


def ignored(rules: list[Patterns], path: str, folder: bool) -> bool:
    """Whether the nearest ignore file that speaks of `path` leaves it out."""
    for patterns in reversed(rules):
        found = patterns.decide(path, folder)
        if found is not None:
            return not found.negated
    return False


def repository(folder: str) -> str | None:
    """The nearest folder from `folder` upwards that has a repository of git; None where there is none."""
    while True:
        if os.path.exists(os.path.join(folder, ".git")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
