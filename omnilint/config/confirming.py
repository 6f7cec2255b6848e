"""What settings may say of `--confirm`: the words for how to import, where to run, how long and how large."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from omnilint.errors import did_you_mean

IMPORTS = ("auto", "whole", "slice")
BACKENDS = ("all", "cpu", "gpu", "cuda", "rocm", "tpu", "metal")

_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|min)?")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}


def seconds(text: str) -> float:
    """The seconds of `30`, `30s`, `2m` or `0.5`; raises ValueError for anything else and for none."""
    found = _TIME.fullmatch(text.strip())
    value = float(found[1]) * (60.0 if found[2] in ("m", "min") else 1.0) if found else 0.0
    if value <= 0:
        raise ValueError(f"{text!r} is no length of time; write seconds, as in 30 or 0.5, or 2m")
    return value


def size(text: str) -> int:
    """The bytes of `2GiB`, `700M` or `8G`; raises ValueError for anything else and for less than 64 MiB."""
    found = _SIZE.fullmatch(text.strip())
    value = int(float(found[1]) * (1 << _UNITS[found[2].upper()])) if found else 0
    if value < 64 << 20:
        raise ValueError(f"{text!r} is no amount of memory that JAX can run in; write 2GiB or 700M")
    return value


def amount(number: int) -> str:
    """Bytes as people read them."""
    return f"{number / (1 << 30):g} GiB" if number >= 1 << 30 else f"{number / (1 << 20):g} MiB"


def _one_of(known: tuple[str, ...]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in known:
            raise ValueError(f"{text!r} is none of them; {did_you_mean(text, known)}")
        return text

    return read


# Key → what reads its text. Numbers are taken as their text, so that `timeout = 30` is right too.
WORDS: Mapping[str, Callable[[str], Any]] = {
    "import": _one_of(IMPORTS),
    "backend": _one_of(BACKENDS),
    "timeout": seconds,
    "memory-limit": size,
    "run-timeout": seconds,
}

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "import": {"enum": list(IMPORTS)},
        "backend": {"enum": list(BACKENDS)},
        "timeout": {"type": ["string", "number"]},
        "memory-limit": {"type": "string"},
        "run-timeout": {"type": ["string", "number"]},
    },
}


def read(value: Any, folder: str) -> tuple[tuple[str, str], ...]:
    """The table `confirm` of a configuration file; raises TypeError and ValueError as readers of keys do."""
    if not isinstance(value, dict):
        raise TypeError
    for key, word in value.items():
        if key not in WORDS:
            raise ValueError(f"there is no key {key!r}; {did_you_mean(key, WORDS)}")
        if isinstance(word, bool) or not isinstance(word, (str, int, float)):
            raise TypeError
        WORDS[key](str(word))
    return tuple((key, str(word)) for key, word in value.items())


def inputs(value: Any, folder: str) -> tuple[tuple[str, str], ...]:
    """The table `inputs` of a configuration file: dotted names of functions and their arguments."""
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise TypeError
    return tuple(value.items())
