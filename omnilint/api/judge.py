"""The verdict on a dotted name for a target: gone, deprecated, private, internal, unknown, or nothing to say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from omnilint import knowledge
from omnilint.api import history
from omnilint.api.nearest import nearest
from omnilint.api.replacement import instead_of, remark_on, speaks_for_members

REMOVED, DEPRECATED, PRIVATE, INTERNAL, UNKNOWN = "OMN401", "OMN402", "OMN403", "OMN404", "OMN407"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is wrong with `name`, and what to do; `parts` of the name that was used are enough to see it."""

    code: str
    name: str
    parts: int
    message: str
    instead: str | None = None
    since: str | None = None
    gone: str | None = None
    raises: bool = False


@cache
def judge(dotted: str, indices: tuple[int, ...], imported: int = 1) -> Verdict | None:
    """The verdict on a name that starts with `jax`, for all releases of `indices` (oldest first) together.

    `imported` is as for `history.resolve`. A name that is missing anywhere in the range is an error, and so is
    a function that only raises; else one that warns anywhere is deprecated; else a private or internal name is said to
    be so.
    """
    first_warning: tuple[int, history.Resolution] | None = None
    empty = _raising().get(dotted)
    raising = False
    for i in indices:
        found = history.resolve(dotted, i, imported)
        if found.missing:
            return _missing(dotted, found, i, indices, imported)
        if found.warns is not None and first_warning is None:
            first_warning = (i, found)
        raising = raising or raises(dotted, i) is not None
    if empty is not None and raising:
        return _only_raises(dotted, empty, indices)
    if first_warning is not None:
        return _deprecated(dotted, first_warning[1], first_warning[0], indices, imported)
    return tier(dotted, indices)


def _prefix(dotted: str, parts: int) -> str:
    return ".".join(dotted.split(".")[:parts])


def _there(name: str, index: int, imported: int) -> bool:
    found = history.resolve(name, index, imported)
    return found.known and not found.missing


def _missing(dotted: str, found: history.Resolution, index: int, indices: Sequence[int], imported: int) -> Verdict:
    name = _prefix(dotted, found.missing)
    releases = history.releases()
    before = [i for i in range(index) if _there(name, i, imported)]
    after = [i for i in range(index + 1, len(releases)) if _there(name, i, imported)]
    if before:
        gone = releases[before[-1] + 1]
        words = history.gone_message(found.module, found.attribute)
        last = history.resolve(name, before[-1], imported).warns
        is_module = history.is_module(name, before[-1])
        origin = f"{found.module}.{found.attribute}"
        instead, advice = _suggest(dotted, name, is_module, " ".join(filter(None, (words, last))), indices, origin)
        what = "module " if is_module and not history.private(name) else ""
        back = f", and is back since JAX {releases[after[0]]}" if after else ""
        message = f"{what}`{name}` was removed in JAX {gone}{back}{advice}"
        return Verdict(REMOVED, name, found.missing, message, instead, None, gone)
    if after:
        came = releases[after[0]]
        message = f"`{name}` isn't in JAX {releases[index]}: it came with JAX {came}"
        return Verdict(UNKNOWN, name, found.missing, message, None, came)
    if history.exists(found.module, found.attribute, index):
        advice = f"write `from {found.module} import {found.attribute}`"
        return Verdict(UNKNOWN, name, found.missing, f"`{name}` is no module that can be imported; {advice}")
    near = near_match(found.module, found.attribute, index)
    hint = f"; did you mean `{near}`?" if near else ""
    return Verdict(UNKNOWN, name, found.missing, f"JAX has no `{name}`{hint}", near)


@cache
def _raising() -> Mapping[str, Mapping[str, str]]:
    """The functions of the hand table that releases kept only to raise an error."""
    return {name: row for row in knowledge.table("internal").get("raises", ()) for name in row["names"]}


def raises(name: str, index: int) -> str | None:
    """The error that calling a function gives in a release that kept it only to raise; None for all others."""
    row = _raising().get(name)
    return row["error"] if row is not None and index >= history.index_of(row["since"]) else None


def _only_raises(name: str, row: Mapping[str, str], indices: Sequence[int]) -> Verdict:
    since = row["since"]
    instead, advice = _suggest(name, name, False, None, indices)
    message = f"`{name}` only raises {row['error']} since JAX {since}{advice}"
    return Verdict(REMOVED, name, name.count(".") + 1, message, instead, None, since, True)


def near_match(module: str, name: str, index: int) -> str | None:
    """The public name of a module that looks most like `name`, when one is close."""
    close = nearest(name, (n for n in history.names_of(module, index) if n[0] != "_"))
    return f"{module}.{close}" if close else None


def _suggest(
    dotted: str, name: str, is_module: bool, words: str | None, indices: Sequence[int], origin: str = ""
) -> tuple[str | None, str]:
    """What replaces a name in all releases of the target, and the words that say so, or what comes nearest to it.

    `origin`: the name by its own module, where another one passes that on.
    """

    def replacement(some: Sequence[int]) -> tuple[str | None, str]:
        whole = instead_of(dotted, some) if dotted != name else None
        if whole:
            return whole, f"for `{dotted}` use {whole}"
        # What replaces a module replaces the names in it only where the table says so.
        fits = dotted == name or speaks_for_members(name) or not is_module
        instead = instead_of(name, some, words) if fits else None
        return instead, f"use {instead}"

    instead, text = replacement(indices)
    if instead:
        return instead, f"; {text}"
    if origin not in ("", name):
        return _suggest(origin, origin, is_module, words, indices)
    note = remark_on(name)
    if note:
        return None, f"; {note}"
    last, text = replacement(indices[-1:])
    if last is None:
        return None, ""
    first = next(i for k, i in enumerate(indices) if replacement(indices[k:])[0] == last)
    return None, f"; from JAX {history.releases()[first]} on {text}"


def _advice(name: str, instead: str | None) -> str:
    if instead:
        return f"; use {instead}"
    note = remark_on(name)
    return f"; {note}" if note else ""


def _deprecated(dotted: str, found: history.Resolution, index: int, indices: Sequence[int], imported: int) -> Verdict:
    name = _prefix(dotted, found.warns_at)
    # A module that is imported may warn, and go, where the attribute of the same name doesn't.
    imported = max(imported, found.warns_at)
    releases = history.releases()
    start = index
    while start > 0 and history.resolve(name, start - 1, imported).warns is not None:
        start -= 1
    since = releases[start]
    later = range(indices[-1] + 1, len(releases))
    gone = next((releases[i] for i in later if history.resolve(name, i, imported).missing), None)
    instead, advice = _suggest(dotted, name, history.is_module(name, index), found.warns, indices)
    end = f" and was removed in JAX {gone}" if gone else ""
    message = f"`{name}` is deprecated since JAX {since}{end}{advice}"
    return Verdict(DEPRECATED, name, found.warns_at, message, instead, since, gone)


def tier(dotted: str, indices: Sequence[int]) -> Verdict | None:
    """The verdict on a name that works: private, internal, or None for a public one."""
    parts = dotted.split(".")
    for i, part in enumerate(parts[1:], 2):
        if part.startswith("_") and not part.startswith("__"):
            instead = instead_of(dotted, indices)
            message = f"`{dotted}` is private to JAX and may change in any release{_advice(dotted, instead)}"
            return Verdict(PRIVATE, dotted, i, message, instead)
    for prefix in knowledge.table("internal")["internal"]["modules"]:
        if dotted == prefix or dotted.startswith(prefix + "."):
            shown = _prefix(dotted, prefix.count(".") + 2)
            message = f"`{shown}` is internal to JAX: it works in this release, without a promise for the next"
            return Verdict(INTERNAL, shown, shown.count(".") + 1, message)
    return None
