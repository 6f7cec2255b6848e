"""A team's own facts (`extend-tables`): its transforms, and which arguments of its functions must be static."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from omnilint import knowledge
from omnilint.errors import ConfigError, did_you_mean

# Key of an entry → what is expected, and how to tell; the same form as in omnilint's own tables.
_STRINGS = ("a list of strings", lambda v: isinstance(v, list) and all(isinstance(x, str) for x in v))
_STRING = ("a string", lambda v: isinstance(v, str))
_FLAG = ("true or false", lambda v: isinstance(v, bool))
_WORDS = ("a table of parameters and exceptions", lambda v: isinstance(v, dict) and all(map(_is_text, v.values())))
_FORMS: Mapping[str, Mapping[str, Any]] = {
    "transform": {
        **dict.fromkeys(("names", "params", "functions", "statics", "arguments"), _STRINGS),
        **dict.fromkeys(("kind", "result"), _STRING),
        "factory": _FLAG,
    },
    "function": {
        **dict.fromkeys(("names", "params"), _STRINGS),
        "static": _WORDS,
        "result": _STRING,
    },
}
_NEEDED = {"transform": ("names", "kind", "params", "functions"), "function": ("names", "params", "static")}
RESULTS = ("traced", "static")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def read(files: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """The entries of the files, by kind; raises ConfigError that says which entry of which file is wrong, and how."""
    out: dict[str, list[dict[str, Any]]] = {"transform": [], "function": []}
    for file in files:
        where = os.path.relpath(file)
        try:
            with open(file, "rb") as f:
                document = tomllib.load(f)
        except FileNotFoundError:
            raise ConfigError(f"extend-tables: {where}: no such file; mend the path") from None
        except OSError as error:
            raise ConfigError(f"extend-tables: {where}: can't be read ({error.strerror})") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ConfigError(f"{where}: not valid TOML: {error}") from None
        for form, entries in document.items():
            if form not in _FORMS:
                raise ConfigError(f"{where}: there is no table {form!r}; {did_you_mean(form, _FORMS)}")
            if not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
                raise ConfigError(f"{where}: write [[{form}]], with two brackets, before each entry")
            for number, entry in enumerate(entries, 1):
                _judge(form, entry, f"{where}: {form} {number}")
                out[form].append(entry)
    return out


def _judge(form: str, entry: dict[str, Any], where: str) -> None:
    known = _FORMS[form]
    for key, value in entry.items():
        if key not in known:
            raise ConfigError(f"{where}: there is no key {key!r}; {did_you_mean(key, known)}")
        expected, fits = known[key]
        if not fits(value):
            raise ConfigError(f"{where}: {key}: expected {expected}, got {value!r}")
    for key in _NEEDED[form]:
        if key not in entry:
            raise ConfigError(f"{where}: {key} is missing; give it")
    for name in entry["names"]:
        if "." not in name or not all(part.isidentifier() for part in name.split(".")):
            raise ConfigError(f"{where}: {name!r} is no dotted name; write it as it is imported: package.module.name")
    if form == "transform":
        kinds = sorted({row["kind"] for row in knowledge.table("transforms")["transform"]})
        _one_of(entry["kind"], kinds, f"{where}: kind")
        for name in entry["functions"]:
            _one_of(name, entry["params"], f"{where}: functions")
    else:
        for name in entry["static"]:
            _one_of(name, entry["params"], f"{where}: static")
        _one_of(entry.get("result", "traced"), RESULTS, f"{where}: result")


def _one_of(word: str, known: Sequence[str], where: str) -> None:
    if word not in known:
        raise ConfigError(f"{where}: {word!r} is none of them; {did_you_mean(word, known)}")
