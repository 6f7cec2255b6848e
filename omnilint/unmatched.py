"""Patterns given with the command that take in nothing: a slip that would otherwise go unseen."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator

from omnilint.config import Settings
from omnilint.config.settings import COMMAND_LINE
from omnilint.sources import Discovery
from omnilint.sources.globs import Patterns

OPTIONS = {"exclude": "--exclude", "traced": "--assume-traced"}


def unmatched(settings: Settings, found: Discovery, read: Collection[str]) -> Iterator[str]:
    """The options whose pattern matches neither a file that is `read` nor, of `--exclude`, one that was left out.

    Patterns in a file of settings are for all runs, of which one may well have nothing of theirs.
    """
    seen = {"traced": set(read), "exclude": {*read, *map(os.path.abspath, found.skipped)}}
    for field, option in OPTIONS.items():
        if settings.origins.get(field) != COMMAND_LINE:
            continue
        given: Patterns = getattr(settings, field)[-1]
        for pattern in given.patterns:
            alone = Patterns(given.base, (pattern,))
            if not pattern.negated and not any(alone.match(file) for file in seen[field]):
                yield f"{option} {pattern.text}"
