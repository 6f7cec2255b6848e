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

# An array by its annotation, which may be a typed key too.
ANY = "any array"
_BY_HAND, _MEASURED = "internal_attributes", "jax_attributes"
# What JAX's arrays are inside of traced code, with what is passed on to its type.
_TRACER = ("Tracer", "ShapedArray")
_TRACED = {"Array": _TRACER, "typed key": _TRACER, ANY: _TRACER}


@cache
def _rows() -> Mapping[tuple[str, str], Mapping[str, Any]]:
    return {(r["object"], r["attribute"]): r for r in knowledge.table(_BY_HAND)["attribute"]}


@cache
def _older() -> frozenset[tuple[str, str]]:
    """Attributes that objects also had in all releases before the first that was measured."""
    return frozenset((r["object"], a) for r in knowledge.table(_BY_HAND)["older"] for a in r["attributes"])


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
def of_traces() -> frozenset[str]:
    """What a class that derives from JAX's Trace has in some releases only."""
    return frozenset(a for kind, a in _rows() if kind == "trace")


@cache
def steady() -> frozenset[str]:
    """Attributes that arrays have in all releases, and that are fine on whatever else has them."""
    return frozenset(a for a, runs in _measured()[1]["Array"].items() if runs == "0-") - attributes()


def closed(kind: str) -> bool:
    """Whether an object has the attributes that were measured, and no others."""
    return kind in knowledge.table(_BY_HAND)["closed"]["objects"]


@cache
def called() -> frozenset[str]:
    """Attributes that the hand table speaks of as called, as `device()`: by then they are there, but no methods."""
    return frozenset(a.removesuffix("()") for _, a in _rows() if a.endswith("()"))


def object_in(name: str) -> tuple[str, str]:
    """(object, attribute) of the name of a class's attribute, such as `jax.Array.at`; ("", "") for any other name."""
    head, _, attribute = name.rpartition(".")
    kind = knowledge.table(_BY_HAND)["classes"].get(head)
    return (kind, attribute) if kind else ("", "")


def _traced_ever_has(kind: str, attribute: str) -> bool:
    return any(attribute in _measured()[1][other] for other in _TRACED.get(kind, ()))


def _traced_has(kind: str, attribute: str, index: int) -> bool:
    """Whether the tracer that stands for an object in traced code may have an attribute in a release."""
    runs = [_measured()[1][other].get(attribute) for other in _TRACED.get(kind, ())]
    return any(r is not None and _holds(r, index) is not False for r in runs)


def _holds(runs: str | None, index: int) -> bool | None:
    """Whether runs of measured releases hold for a release; between two of them, only what both say."""
    releases = _measured()[0]
    if index < releases[0]:
        return None
    at = bisect_left(releases, index)
    around = {at} if at < len(releases) and releases[at] == index else {at - 1, min(at, len(releases) - 1)}
    found = {runs is not None and history.alive(runs, position) for position in around}
    return found.pop() if len(found) == 1 else None


@cache
def _may_exist(kind: str, index: int) -> bool:
    """Whether a release can have objects of a kind: where it lacks their class, that is what is reported."""
    classes = [c for c, k in knowledge.table(_BY_HAND)["classes"].items() if k == kind and kind != "config"]
    return not classes or any(not history.resolve(c, index, c.count(".")).missing for c in classes)


def is_there(kind: str, attribute: str, index: int) -> bool | None:
    """Whether an object has an attribute in a release; None where nobody measured it."""
    if attribute.startswith("__"):
        return None
    if kind == ANY:
        there = is_there("Array", attribute, index)
        key = _measured()[1]["typed key"].get(attribute)
        return None if there is False and key is not None and _holds(key, index) is not False else there
    if not _may_exist(kind, index):
        return None
    _, objects, _ = _measured()
    row = _rows().get((kind, attribute))
    if row is not None and within(row.get("missing", ()), index):
        return False
    if row is not None and within(row.get("there", ()), index):
        return True
    if index < _measured()[0][0] and (kind, attribute) in _older():
        return True
    runs = objects.get(kind, {}).get(attribute)
    if runs is None and not closed(kind):
        return None
    if runs is None and _traced_ever_has(kind, attribute):
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


def plain(kind: str | None) -> str:
    """The kind to look facts up by; "" for none."""
    return "Array" if kind == ANY else kind or ""


def judge_attribute(kind: str, attribute: str, indices: Sequence[int], inside: bool = False) -> Verdict | None:
    """The verdict on an attribute of one of the table's objects in a target.

    `inside`: it stands in a function, so that an array may be a tracer, and what either has isn't told.
    """
    row = _rows().get((plain(kind), attribute), {})
    name = f"jax.config.{attribute}" if kind == "config" else f"{plain(kind)}.{attribute}"
    instead = row.get("instead")
    if instead is not None and "needs" in row and min(indices) < history.index_of(row["needs"]):
        instead = None
    advice = f"; use {instead}" if instead else f"; {row['note']}" if "note" in row else ""
    told = [i for i in indices if not (inside and _traced_has(kind, attribute, i))]
    missing = next((i for i in told if is_there(kind, attribute, i) is False), None)
    if missing is not None:
        return _absent(kind, attribute, name, missing, instead, advice)
    warns = next((i for i in told if _warns(plain(kind), attribute, i)), None)
    if warns is None:
        return None
    while warns > 0 and _warns(plain(kind), attribute, warns - 1):
        warns -= 1
    since = history.releases()[warns]
    message = f"`{name}` is deprecated since JAX {since}{advice}"
    return Verdict(DEPRECATED, name, 1, message, instead, since)


def _absent(kind: str, attribute: str, name: str, index: int, instead: str | None, advice: str) -> Verdict | None:
    releases = history.releases()
    row = _rows().get((plain(kind), attribute), {})
    there = [i for i in range(len(releases)) if is_there(kind, attribute, i)]
    before, after = [i for i in there if i < index], [i for i in there if i > index]
    since = next((run.partition("..")[0] for run in row.get("missing", ()) if within([run], index)), "")
    if before:
        since = next(releases[i] for i in range(before[-1] + 1, index + 1) if is_there(kind, attribute, i) is False)
    if since == releases[_measured()[0][0]] and not before:
        # It may have gone long before: nobody asked older releases.
        message = f"`{name}` isn't there in JAX {since} and later (older releases weren't asked){advice}"
        return Verdict(REMOVED, name, 1, message, instead)
    if since:
        back = f", and is back since JAX {releases[after[0]]}" if before and after else ""
        message = f"`{name}` isn't there since JAX {since}{back}{advice}"
        return Verdict(REMOVED, name, 1, message, instead, None, since)
    if after:
        came = releases[after[0]]
        message = f"`{name}` isn't in JAX {releases[index]}: it came with JAX {came}"
        return Verdict(UNKNOWN, name, 1, message, None, came)
    if kind == ANY:
        # Real packages annotate arrays of other libraries as JAX's: jax-md 0.2.29, `x: Array` with `x.irreps`.
        return None
    close = difflib.get_close_matches(attribute, list(_names(kind, index)), 1, 0.8)
    hint = advice or (f"; did you mean `{close[0]}`?" if close else "")
    shown = _WORDS.get(kind, f"`{kind}`")
    return Verdict(UNKNOWN, name, 1, f"JAX's {shown} has no `{attribute}`{hint}", instead)


def remark(kind: str, attribute: str) -> str | None:
    """What the hand table says of an attribute that nothing replaces."""
    note = _rows().get((kind, attribute), {}).get("note")
    return None if note is None else str(note)


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
