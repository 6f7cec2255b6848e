"""The keys of a configuration file: one table that reads them, explains them, and is their JSON Schema."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from omnilint.config import confirming
from omnilint.errors import did_you_mean
from omnilint.failing import WORDS
from omnilint.model import Severity
from omnilint.sources.globs import Patterns

# (value as TOML gives it, folder of the file) → the field of Settings. Raises TypeError for a value
# of the wrong kind, ValueError with a message for one that means nothing.
Reader = Callable[[Any, str], Any]


@dataclass(frozen=True, slots=True)
class Key:
    """One key: how it is read, what is expected, and the line that explains it to people."""

    name: str
    read: Reader
    expected: str
    schema: Mapping[str, Any]
    help: str

    @property
    def field(self) -> str:
        """The Settings field of the same meaning."""
        return self.name.replace("-", "_")


def _text(value: Any, folder: str) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _flag(value: Any, folder: str) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _texts(value: Any, folder: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise TypeError
    return tuple(value)


def _patterns(value: Any, folder: str) -> tuple[Patterns, ...]:
    return (Patterns.of(folder, _texts(value, folder)),)


def _file(value: Any, folder: str) -> str:
    return os.path.join(folder, _text(value, folder))


def _files(value: Any, folder: str) -> tuple[str, ...]:
    return tuple(os.path.join(folder, v) for v in _texts(value, folder))


def _programs(value: Any, folder: str) -> tuple[str, ...]:
    # "python3.12" is looked up on PATH, ".venv/bin/python" lies beside the configuration file.
    return tuple(os.path.join(folder, v) if os.sep in v else v for v in _texts(value, folder))


def _ignores(value: Any, folder: str) -> tuple[tuple[Patterns, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise TypeError
    return tuple((_one_pattern(pattern, folder), _texts(codes, folder)) for pattern, codes in value.items())


def _one_pattern(pattern: str, folder: str) -> Patterns:
    """A pattern that stands alone: one with `!` takes in all files but those that match, as in ruff."""
    others = pattern.startswith("!")
    return replace(Patterns.of(folder, [pattern.removeprefix("!")]), others=others)


def _severities(value: Any, folder: str) -> tuple[tuple[str, Severity], ...]:
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise TypeError
    for word in value.values():
        if word not in list(Severity):
            raise ValueError(f"{word!r} is no severity; {did_you_mean(word, [s.value for s in Severity])}")
    return tuple((rule, Severity(word)) for rule, word in value.items())


def failing(value: Any, folder: str = "") -> tuple[str, ...]:
    """The words of `fail-on`; raises ValueError for one that means nothing."""
    words = (value,) if isinstance(value, str) else _texts(value, folder)
    for word in words:
        if word not in WORDS:
            raise ValueError(f"{word!r} is nothing to fail on; {did_you_mean(word, WORDS)}")
    return words


_STRING: Mapping[str, Any] = {"type": "string"}
_STRINGS: Mapping[str, Any] = {"type": "array", "items": _STRING}
_FAIL_ON: Mapping[str, Any] = {"enum": list(WORDS)}


def _strings(name: str, help: str, read: Reader = _texts) -> Key:
    return Key(name, read, "a list of strings", _STRINGS, help)


KEYS = (
    _strings("select", "report only these rules: codes, prefixes, hazards or names"),
    _strings("extend-select", "report these rules too, beside the default ones"),
    _strings("ignore", "leave these rules out"),
    Key(
        "per-file-ignores",
        _ignores,
        "a table of patterns and lists of strings",
        {"type": "object", "additionalProperties": _STRINGS},
        "leave rules out in files that match a pattern (as in .gitignore); with `!` before it, in all others",
    ),
    Key(
        "severity",
        _severities,
        "a table of rules and severities",
        {"type": "object", "additionalProperties": {"enum": [s.value for s in Severity]}},
        "give rules another severity",
    ),
    Key(
        "fail-on",
        failing,
        "a string or a list of strings",
        {"oneOf": [_FAIL_ON, {"type": "array", "items": _FAIL_ON}]},
        "exit with 1 only for findings at least as severe, as sure, or confirmed",
    ),
    _strings("exclude", "leave out files and folders that match (as in .gitignore)", _patterns),
    Key("gitignore", _flag, "true or false", {"type": "boolean"}, "leave out what git ignores"),
    _strings("traced", "files whose public functions your users trace (as in .gitignore)", _patterns),
    Key("target-jax", _text, "a string", _STRING, "the JAX version, or versions, that the code must run on"),
    _strings("python", "interpreters that --confirm runs the code with", _programs),
    Key("confirm", confirming.read, "a table of words", confirming.SCHEMA, "how --confirm runs the code"),
    Key(
        "inputs",
        confirming.inputs,
        "a table of functions and their arguments",
        {"type": "object", "additionalProperties": _STRING},
        "what --confirm calls functions with, by their dotted names",
    ),
    _strings("extend-tables", "TOML files with your own transforms and functions", _files),
    Key("baseline", _file, "a string", _STRING, "a file of findings that are known already"),
)


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of `[tool.omnilint]` and of omnilint.toml."""
    properties: dict[str, Any] = {"extend": {**_STRING, "description": "another configuration file to start from"}}
    properties |= {key.name: {**key.schema, "description": key.help} for key in KEYS}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "omnilint configuration",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }
