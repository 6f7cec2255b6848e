"""The verdict on an attribute of one of JAX's objects."""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from omnilint import knowledge
from omnilint.api import history
from omnilint.api.judge import DEPRECATED, REMOVED, UNKNOWN, Verdict

_BY_HAND, _MEASURED = "internal_attributes", "jax_attributes"
# What JAX's arrays are inside of traced code, with what is passed on to its type.
_TRACED = {"Array": ("Tracer", "ShapedArray"), "typed key": ("Tracer", "ShapedArray")}


@cache
def _rows() -> Mapping[tuple[str, str], Mapping[str, Any]]:
    return {(r["object"], r["attribute"]): r for r in knowledge.table(_BY_HAND)["attribute"]}


@cache
def _measured() -> tuple[tuple[int, ...], Mapping[str, Mapping[str, str]], Mapping[str, Mapping[str, str]]]:
    """(the releases that were measured, by index; object → attribute → runs; the same for those that warn).

    Runs are as in the history, of positions in the list of releases.
    """
    table = knowledge.table(_MEASURED)

    def spread(part: Mapping[str, Mapping[str, str]]) -> Mapping[str, Mapping[str, str]]:
        return {o: {a: runs for runs, text in by.items() for a in text.split(" ")} for o, by in part.items()}

    index = {v: i for i, v in enumerate(history.releases())}
    return (
        tuple(index[v] for v in table["releases"]),
        spread(table["objects"]),
        spread(table["warns"]),
    )


@cache
def attributes() -> frozenset[str]:
    """Every attribute that an object lacks in some release, and no other object has in all of them."""
    _, objects, _ = _measured()
    changing = {a for by in objects.values() for a, runs in by.items() if runs != "0-"}
    always = {a for by in objects.values() for a, runs in by.items() if runs == "0-"}
    return frozenset(a for _, a in _rows()) | (changing - always)


@cache
def steady() -> frozenset[str]:
    """Attributes that arrays have in all releases, and that are fine on whatever else has them."""
    return frozenset(a for a, runs in _measured()[1]["Array"].items() if runs == "0-") - attributes()


def closed(kind: str) -> bool:
    """Whether an object has the attributes that were measured, and no others."""
    return kind in knowledge.table(_BY_HAND)["closed"]["objects"]


def traced_has(kind: str, attribute: str) -> bool:
    """Whether the tracer that stands for an object in traced code has an attribute in some release."""
    return any(attribute in _measured()[1][other] for other in _TRACED.get(kind, ()))


def _holds(runs: str | None, index: int) -> bool | None:
    """Whether runs of measured releases hold for a release; between two of them, only what both say."""
    releases = _measured()[0]
    if index < releases[0]:
        return None
    at = bisect_left(releases, index)
    around = {at} if at < len(releases) and releases[at] == index else {at - 1, min(at, len(releases) - 1)}
    found = {runs is not None and history.alive(runs, position) for position in around}
    return found.pop() if len(found) == 1 else None


def is_there(kind: str, attribute: str, index: int) -> bool | None:
    """Whether an object has an attribute in a release; None where nobody measured it."""
    if attribute.startswith("__"):
        return None
    _, objects, _ = _measured()
    row = _rows().get((kind, attribute))
    if row is not None and within(row.get("missing", ()), index):
        return False
    runs = objects.get(kind, {}).get(attribute)
    if runs is None and not closed(kind):
        return None
    if runs is None and traced_has(kind, attribute):
        return None
    return _holds(runs, index)


def _warns(kind: str, attribute: str, index: int) -> bool:
    row = _rows().get((kind, attribute))
    if row is not None and within(row.get("warns", ()), index):
        return True
    runs = _measured()[2].get(kind, {}).get(attribute)
    return runs is not None and _holds(runs, index) is True


def within(runs: Sequence[str], index: int) -> bool:
    """Whether a release lies in runs such as "0.4.27..", "..0.6.0" or "0.4.27..0.4.30"."""
    for run in runs:
        first, _, last = run.partition("..")
        if (not first or index >= history.index_of(first)) and (not last or index <= history.index_of(last)):
            return True
    return False


def judge_attribute(kind: str, attribute: str, indices: Sequence[int]) -> Verdict | None:
    """The verdict on an attribute of one of the table's objects in a target."""
    row = _rows().get((kind, attribute), {})
    name = f"jax.config.{attribute}" if kind == "config" else f"{kind}.{attribute}"
    instead = row.get("instead")
    if instead is not None and "needs" in row and min(indices) < history.index_of(row["needs"]):
        instead = None
    advice = f"; use {instead}" if instead else f"; {row['note']}" if "note" in row else ""
    missing = next((i for i in indices if is_there(kind, attribute, i) is False), None)
    if missing is not None:
        return _absent(kind, attribute, name, missing, instead, advice)
    warns = next((i for i in indices if _warns(kind, attribute, i)), None)
    if warns is None:
        return None
    while warns > 0 and _warns(kind, attribute, warns - 1):
        warns -= 1
    since = history.releases()[warns]
    message = f"`{name}` is deprecated since JAX {since}{advice}"
    return Verdict(DEPRECATED, name, 1, message, instead, since)


def _absent(kind: str, attribute: str, name: str, index: int, instead: str | None, advice: str) -> Verdict:
    releases = history.releases()
    row = _rows().get((kind, attribute), {})
    there = [i for i in range(len(releases)) if is_there(kind, attribute, i)]
    before, after = [i for i in there if i < index], [i for i in there if i > index]
    since = next((run.partition("..")[0] for run in row.get("missing", ()) if within([run], index)), "")
    if before:
        since = next(releases[i] for i in range(before[-1] + 1, index + 1) if is_there(kind, attribute, i) is False)
    if since:
        back = f", and is back since JAX {releases[after[0]]}" if before and after else ""
        message = f"`{name}` isn't there since JAX {since}{back}{advice}"
        return Verdict(REMOVED, name, 1, message, instead, None, since)
    if after:
        came = releases[after[0]]
        message = f"`{name}` isn't in JAX {releases[index]}: it came with JAX {came}"
        return Verdict(UNKNOWN, name, 1, message, None, came)
    close = difflib.get_close_matches(attribute, list(_names(kind, index)), 1, 0.8)
    hint = advice or (f"; did you mean `{close[0]}`?" if close else "")
    return Verdict(UNKNOWN, name, 1, f"JAX's {_WORDS.get(kind, f'`{kind}`')} has no `{attribute}`{hint}", instead)


def near_attributes(kind: str, attribute: str) -> list[str]:
    """Attributes that an object has in some release and that look most like `attribute`, the likeliest first."""
    names = {n for n in _measured()[1].get(kind, {}) if not n.startswith("_")}
    names |= set(history.options()) if kind == "config" else set()
    return difflib.get_close_matches(attribute, sorted(names), 4, 0.7)


_WORDS = {"Array": "`jax.Array`"}


def _names(kind: str, index: int) -> Iterator[str]:
    for attribute in _measured()[1].get(kind, {}):
        if not attribute.startswith("_") and is_there(kind, attribute, index):
            yield attribute
