"""Settings: everything that decides what a run reads and says."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from omnilint.model import Severity
from omnilint.sources.globs import Patterns

COMMAND_LINE = "the command line"
RULES = ("select", "extend_select", "ignore")


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings, with their defaults.

    Patterns hold the folder that they are relative to: that of the file they were written in, or the
    current directory for those given on the command line. `file` is the configuration file, None when
    there is none; `origins` says of each field that isn't the default where it was set. `below` are the settings
    that `select`, `extend_select` and `ignore` come on top of: the file's, below what the command line says of rules.
    """

    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[Patterns, tuple[str, ...]], ...] = ()
    severity: tuple[tuple[str, Severity], ...] = ()
    fail_on: tuple[str, ...] = ()
    exclude: tuple[Patterns, ...] = ()
    gitignore: bool = True
    traced: tuple[Patterns, ...] = ()
    target_jax: str | None = None
    from_jax: str | None = None
    python: tuple[str, ...] = ()
    confirm: tuple[tuple[str, str], ...] = ()
    inputs: tuple[tuple[str, str], ...] = ()
    extend_tables: tuple[str, ...] = ()
    baseline: str | None = None
    file: str | None = None
    below: Settings | None = None
    origins: Mapping[str, str] = field(default_factory=dict, compare=False, hash=False)


def override(settings: Settings, given: Mapping[str, Any]) -> Settings:
    """`settings` with what the command line says (None or nothing: it says nothing) in their stead.

    Patterns are added rather than replaced: they are relative to another folder. Words on how to confirm
    replace those of the same key. Words on rules rank above those of `settings`, however specific these are.
    """
    changes = {name: value for name, value in given.items() if value not in (None, ())}
    origins = {**settings.origins, **dict.fromkeys(changes, COMMAND_LINE)}
    if any(name in changes for name in RULES):
        changes = {**dict.fromkeys(RULES, ()), **changes, "below": settings}
    for name in ("exclude", "traced"):
        if name in changes:
            changes[name] = (*getattr(settings, name), Patterns.of(os.getcwd(), changes[name]))
    if "confirm" in changes:
        changes["confirm"] = tuple({**dict(settings.confirm), **dict(changes["confirm"])}.items())
    return replace(settings, **changes, origins=origins)
