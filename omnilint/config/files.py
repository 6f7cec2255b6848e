"""Configuration files: `omnilint.toml`, or `[tool.omnilint]` in `pyproject.toml`. An unknown key is an error."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from omnilint.config.keys import KEYS
from omnilint.config.settings import Settings
from omnilint.errors import ConfigError, did_you_mean

# In one folder the first of these that has something for us is taken.
NAMES = ("omnilint.toml", "pyproject.toml")


def load(paths: Iterable[str], file: str | None = None) -> Settings:
    """Settings of `file`, else of the nearest configuration file upwards from the first path.

    Raises ConfigError for a file that isn't TOML, an unknown key or a value of the wrong kind.
    """
    if file is not None:
        table = _table(file)
        if table is None:
            missing = "has no [tool.omnilint] table" if os.path.exists(file) else "no such file"
            raise ConfigError(f"{file}: {missing}; name a configuration file")
        return parse(table, file)
    folder = os.path.abspath(next((p for p in paths if p != "-"), "."))
    if not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    for above in _upwards(folder):
        for candidate in (os.path.join(above, name) for name in NAMES):
            table = _table(candidate)
            if table is not None:
                return parse(table, candidate)
    return Settings()


def passed_over(settings: Settings, files: Iterable[str]) -> list[str]:
    """Configuration files that are nearer to some of these files than the one that the settings are from."""
    nearest: dict[str, str | None] = {}
    for folder in sorted({os.path.dirname(file) for file in files}):
        above = list(_upwards(folder))
        known = next((i for i, f in enumerate(above) if f in nearest), len(above))
        found = nearest[above[known]] if known < len(above) else None
        for here in reversed(above[:known]):
            found = next((c for name in NAMES if _speaks(c := os.path.join(here, name))), found)
            nearest[here] = found
    return sorted({file for folder, file in nearest.items() if file and file != settings.file})


def _upwards(folder: str) -> Iterator[str]:
    """The folder and all above it."""
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def _speaks(file: str) -> bool:
    try:
        return _table(file) is not None
    except ConfigError:
        return True  # whatever it says, it isn't heard


def parse(table: Mapping[str, Any], file: str, extending: tuple[str, ...] = ()) -> Settings:
    """The Settings that the table of a configuration file stands for; raises ConfigError."""
    file = os.path.abspath(file)
    folder, where = os.path.dirname(file), os.path.relpath(file)
    by_name = {key.name: key for key in KEYS}
    values: dict[str, Any] = {}
    for name, value in table.items():
        if name == "extend":
            continue
        key = by_name.get(name)
        if key is None:
            raise ConfigError(f"{where}: there is no key {name!r}; {_instead(name, value, [*by_name, 'extend'])}")
        try:
            values[key.field] = key.read(value, folder)
        except TypeError:
            raise ConfigError(f"{where}: {name}: expected {key.expected}, got {value!r}") from None
        except ValueError as error:
            raise ConfigError(f"{where}: {name}: {error}") from None
    base = _extended(table, file, extending) if "extend" in table else Settings()
    kept = {key.field: getattr(base, key.field) for key in KEYS}
    origins = {**base.origins, **dict.fromkeys(values, file)}
    return Settings(**{**kept, **values}, file=file, origins=origins)


def _instead(name: str, value: Any, known: list[str]) -> str:
    """What to write for a key that there isn't."""
    if name == "tool" and isinstance(value, dict) and "omnilint" in value:
        return "the keys stand here without [tool.omnilint]"
    if name == "omnilint" and isinstance(value, dict):
        return "the keys stand here without [omnilint]"
    return did_you_mean(name, known)


def _extended(table: Mapping[str, Any], file: str, extending: tuple[str, ...]) -> Settings:
    where, name = os.path.relpath(file), table["extend"]
    if not isinstance(name, str):
        raise ConfigError(f"{where}: extend: expected a string, got {name!r}")
    other = os.path.join(os.path.dirname(file), os.path.expanduser(name))
    chain = (*extending, file)
    if os.path.abspath(other) in chain:
        raise ConfigError(f"{where}: extend: {name} leads back to this file; break the circle")
    content = _table(other)
    if content is None:
        missing = "has no [tool.omnilint] table" if os.path.exists(other) else "doesn't exist"
        raise ConfigError(f"{where}: extend: {name} {missing}")
    return parse(content, other, chain)


def _table(file: str) -> Mapping[str, Any] | None:
    """What a file has to say to us; None when it says nothing or isn't there."""
    try:
        with open(file, "rb") as f:
            raw = f.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"{os.path.relpath(file)}: can't be read ({error.strerror}); mend that") from None
    whole = os.path.basename(file) != "pyproject.toml"
    # The text test keeps a broken file that is none of our business (a test's data) from ending the run.
    if not whole and b"omnilint" not in raw:
        return None
    try:
        document = tomllib.loads(raw.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{os.path.relpath(file)}: not valid TOML: {error}") from None
    if whole:
        return document
    tool = document.get("tool")
    table = tool.get("omnilint") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError(f"{os.path.relpath(file)}: [tool.omnilint] must be a table, got {table!r}")
    return table
