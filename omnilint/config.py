"""`[tool.omnilint]` and the command line, made into Settings. An unknown key is an error, never a shrug."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from omnilint.errors import ConfigError, did_you_mean
from omnilint.sources.globs import Patterns


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that decides what a run reads and says.

    `exclude` and `traced` hold patterns with the folder that they are relative to: the file they
    were written in, or the current directory for those given on the command line. `file` is the
    configuration file, None when there is none.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[Patterns, ...] = ()
    traced: tuple[Patterns, ...] = ()
    target_jax: str | None = None
    python: tuple[str, ...] = ()
    file: str | None = None


@dataclass(frozen=True, slots=True)
class Key:
    """A key of the configuration: how it is read, and the line that explains it to people."""

    name: str
    read: Callable[[Any, str], Any]
    help: str
    expected: str

    @property
    def field(self) -> str:
        """The Settings field of the same meaning."""
        return self.name.replace("-", "_")


def _text(value: Any, folder: str) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _texts(value: Any, folder: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise TypeError
    return tuple(value)


def _patterns(value: Any, folder: str) -> tuple[Patterns, ...]:
    return (Patterns.of(folder, _texts(value, folder)),)


def _programs(value: Any, folder: str) -> tuple[str, ...]:
    # "python3.12" is looked up on PATH, ".venv/bin/python" lies beside the configuration file.
    return tuple(os.path.join(folder, v) if os.sep in v else v for v in _texts(value, folder))


STRING, STRINGS = "a string", "a list of strings"

KEYS = (
    Key("select", _texts, "codes, prefixes, hazards or names of the rules to report", STRINGS),
    Key("ignore", _texts, "codes, prefixes, hazards or names of the rules to leave out", STRINGS),
    Key("exclude", _patterns, "files and folders to leave out, as in .gitignore", STRINGS),
    Key("traced", _patterns, "files whose public functions your users trace, as in .gitignore", STRINGS),
    Key("target-jax", _text, "the JAX version, or versions, that the code must run on", STRING),
    Key("python", _programs, "interpreters that --confirm runs the code with", STRINGS),
)


def load(paths: Iterable[str]) -> Settings:
    """Settings of the nearest `pyproject.toml` with a `[tool.omnilint]` table, upwards from the first path.

    Raises ConfigError for a file that isn't TOML, an unknown key or a value of the wrong kind.
    """
    folder = os.path.abspath(next((p for p in paths if p != "-"), "."))
    if not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    while True:
        file = os.path.join(folder, "pyproject.toml")
        table = _table(file)
        if table is not None:
            return parse(table, file)
        parent = os.path.dirname(folder)
        if parent == folder:
            return Settings()
        folder = parent


def parse(table: Mapping[str, Any], file: str) -> Settings:
    """The Settings that the table of a configuration file stands for; raises ConfigError."""
    by_name = {key.name: key for key in KEYS}
    where = os.path.relpath(file)
    values: dict[str, Any] = {"file": file}
    for name, value in table.items():
        key = by_name.get(name)
        if key is None:
            raise ConfigError(f"{where}: [tool.omnilint] has no key {name!r}; {did_you_mean(name, by_name)}")
        try:
            values[key.field] = key.read(value, os.path.dirname(file))
        except TypeError:
            raise ConfigError(f"{where}: [tool.omnilint] {name}: expected {key.expected}, got {value!r}") from None
    return Settings(**values)


def override(settings: Settings, given: Mapping[str, Any]) -> Settings:
    """`settings` with what the command line says (None: it says nothing) in their stead.

    Patterns are added rather than replaced: they are relative to another folder.
    """
    changes = {k: v for k, v in given.items() if v is not None}
    for field in ("exclude", "traced"):
        if changes.get(field):
            changes[field] = (*getattr(settings, field), Patterns.of(os.getcwd(), changes[field]))
        else:
            changes.pop(field, None)
    return replace(settings, **changes)


def _table(file: str) -> Mapping[str, Any] | None:
    try:
        with open(file, "rb") as f:
            raw = f.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{os.path.relpath(file)}: can't be read ({error.strerror}); mend its permissions") from None
    # The text test keeps a broken file that is none of our business (a test's data) from ending the run.
    if b"omnilint" not in raw:
        return None
    try:
        document = tomllib.loads(raw.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{os.path.relpath(file)}: not valid TOML: {error}") from None
    tool = document.get("tool")
    table = tool.get("omnilint") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError(f"{os.path.relpath(file)}: [tool.omnilint] must be a table, got {table!r}")
    return table
