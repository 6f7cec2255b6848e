"""What to use instead of a name: the hand table first, then JAX's own words; always checked in every target release."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from omnilint import knowledge
from omnilint.api import history

_CODE = re.compile(r"`([^`]+)`")
_USE = re.compile(
    r"(?:[Uu]se|[Uu]sing|[Rr]eplace(?:d by| with)?|renamed to|moved to|[Ss]ee|in favor of)\s+"
    r"(?:the |public |function |class |module )*[`'\"]*((?:jax|jnp|lax)(?:\.\w+)+)"
)
_SHORT = {"jnp": "jax.numpy", "lax": "jax.lax"}  # as JAX's own messages shorten its modules


@cache
def _table() -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Every name of the hand table with its rows."""
    out: dict[str, list[Mapping[str, Any]]] = {}
    for row in knowledge.table("internal").get("instead", ()):
        for name in row["names"]:
            out.setdefault(name, []).append(row)
    return out


@cache
def _moves() -> Mapping[str, str]:
    """Modules that moved as a whole, old to new."""
    return {row["old"]: row["new"] for row in knowledge.table("internal").get("move", ())}


def available(name: str, indices: Iterable[int]) -> bool:
    """Whether a dotted name is there, and doesn't warn, in each of the releases."""
    for i in indices:
        found = history.resolve(name, i, name.count(".") + 1)
        if found.missing or not found.known or found.warns:
            return False
    return True


def instead_of(name: str, indices: Sequence[int], message: str | None = None) -> str | None:
    """What to write instead of `name`, in words that follow "use"; None when nothing is known to be right.

    `message` is what JAX says of the name. A suggestion that any of the releases lacks isn't made.
    """
    for row in _table().get(name, ()):
        for template in row["use"]:
            option = template.replace("{leaf}", name.rpartition(".")[2])
            if _holds(option, row, indices):
                return _shown(option)
    moved = _moved(name, indices)
    if moved is not None:
        return moved
    if name in _table():
        return None
    for words in _USE.findall(message or ""):
        head, _, rest = words.partition(".")
        told = f"{_SHORT.get(head, head)}.{rest}"
        # "moved to jax.x.y" names the module that has it now.
        for option in (f"{told}.{name.rpartition('.')[2]}", told):
            if option != name and available(option, indices):
                return _shown(option)
    return None


def speaks_for_members(module: str) -> bool:
    """Whether what the hand table says of a module holds for whatever is used of it."""
    return any(row.get("members", False) for row in _table().get(module, ()))


def remark_on(name: str) -> str | None:
    """A remark of the hand table on a name that nothing replaces."""
    return next((str(row["note"]) for row in _table().get(name, ()) if "note" in row), None)


def _holds(option: str, row: Mapping[str, Any], indices: Sequence[int]) -> bool:
    since = row.get("since")
    if since is not None and min(indices) < history.index_of(since):
        return False
    named = [option] if re.fullmatch(r"jax(\.\w+)*", option) else []
    named += [m.rstrip("(") for code in _CODE.findall(option) for m in re.findall(r"jax(?:\.\w+)+", code)]
    return all(available(n, indices) for n in named)


def _shown(option: str) -> str:
    return option if "`" in option else f"`{option}`"


def _moved(name: str, indices: Sequence[int]) -> str | None:
    """Where a name went with its module, or what replaces it there."""
    head, tail = name, ""
    while head:
        if head in _moves():
            new = _moves()[head] + tail
            return _shown(new) if available(new, indices) else instead_of(new, indices)
        head, _, leaf = head.rpartition(".")
        tail = f".{leaf}{tail}"
    return None
