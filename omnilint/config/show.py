"""Settings as people and programs read them: each value and where it came from."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from omnilint import knowledge
from omnilint.config.keys import KEYS, Key
from omnilint.config.settings import COMMAND_LINE, RULES, Settings
from omnilint.sources.globs import Patterns

DEFAULT = "default"


def document(settings: Settings) -> dict[str, Any]:
    """The settings as a JSON document: the file, and for each key its value and origin."""
    settings = _ranked(settings)
    return {
        "version": 1,
        "file": settings.file,
        "settings": {
            key.name: {"value": _value(settings, key), "origin": settings.origins.get(key.field, DEFAULT)}
            for key in KEYS
        },
    }


def lines(settings: Settings) -> Iterator[str]:
    """The settings as lines of TOML, with the origin behind each as a comment."""
    settings = _ranked(settings)
    yield f"# {os.path.relpath(settings.file)}" if settings.file else "# no configuration file"
    for key in KEYS:
        origin = settings.origins.get(key.field, DEFAULT)
        where = os.path.relpath(origin) if os.path.isabs(origin) else origin
        value = _value(settings, key)
        if value is None:
            yield f"# {key.name} is not set"
        else:
            told = f"{where}: {_all()}" if key.name == "select" and not value else where
            yield f"{key.name} = {toml(value)}  # {told}"


def _ranked(settings: Settings) -> Settings:
    """The settings with one list of each kind of words on rules; with `--select` the file's words on them are void."""
    below = settings.below
    if below is None or settings.select:
        return settings
    values: dict[str, tuple[str, ...]] = {}
    origins = dict(settings.origins)
    for name in RULES:
        ours, theirs = getattr(settings, name), getattr(below, name)
        values[name] = (*theirs, *ours)
        if ours and theirs:
            origins[name] = f"{os.path.relpath(below.origins[name])}, and {COMMAND_LINE} on top"
        elif theirs:
            origins[name] = below.origins[name]
    return replace(
        settings,
        select=values["select"],
        extend_select=values["extend_select"],
        ignore=values["ignore"],
        origins=origins,
    )


def _all() -> str:
    off = [code for code, rule in knowledge.rules().items() if not rule.default]
    return f"all but {' and '.join(off)}"


def _value(settings: Settings, key: Key) -> Any:
    value = plain(getattr(settings, key.field))
    return {} if value == [] and key.schema.get("type") == "object" else value


def plain(value: Any) -> Any:
    """A value of Settings in the types that TOML and JSON have."""
    if isinstance(value, Patterns):
        return ["!" * value.others + p.text for p in value.patterns]
    if isinstance(value, tuple):
        if all(isinstance(v, Patterns) for v in value):
            return [text for patterns in value for text in plain(patterns)]
        if all(isinstance(v, tuple) for v in value):
            pairs = ((", ".join(plain(k)) if isinstance(k, Patterns) else k, v) for k, v in value)
            return {k: list(v) if isinstance(v, tuple) else str(v) for k, v in pairs}
        return list(value)
    return value


def toml(value: Any) -> str:
    """A plain value as TOML, which JSON is but for the sign between a key and its value."""
    if isinstance(value, dict):
        inner = ", ".join(f"{json.dumps(k, ensure_ascii=False)} = {toml(v)}" for k, v in value.items())
        return f"{{{inner}}}"
    return json.dumps(value, ensure_ascii=False)
