"""The history against what real imports of real releases said."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from omnilint.api import history
from omnilint.api.arguments import parameters_at
from omnilint.api.attributes import judge_attribute
from omnilint.api.life import DEPRECATED, MISSING, UNKNOWN, state_of
from omnilint.api.target import Target
from omnilint.hazards.internal import find
from omnilint.index.module import index_module
from omnilint.model import Source

FOLDER = Path(__file__).resolve().parent.parent / "fixtures" / "internal"
# Warnings were looked for from the first release on that has its jaxlib on the index.
WARNINGS_FROM = "0.4.13"


def rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / f"api_{name}.csv").open(encoding="utf-8") as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#")))


ROWS = rows("truth")
CHECKED = sorted({v for r in ROWS for v in (r["first"], r["last"], *r["gaps"].split()) if v}, key=history.version_key)


def is_there(row: dict[str, str], version: str) -> bool:
    if not row["first"]:
        return False
    key, first, last = (history.version_key(v) for v in (version, row["first"], row["last"]))
    return first <= key <= last and version not in row["gaps"].split()


@pytest.mark.parametrize("row", ROWS, ids=[r["name"] for r in ROWS])
def test_presence(row: dict[str, str]) -> None:
    states = {v: state_of(row["name"], history.index_of(v))[0] for v in CHECKED}
    wrong = {v: s for v, s in states.items() if s != UNKNOWN and (s != MISSING) is not is_there(row, v)}
    assert wrong == {}


@pytest.mark.parametrize("row", [r for r in ROWS if r["warns"]], ids=[r["name"] for r in ROWS if r["warns"]])
def test_the_first_warning(row: dict[str, str]) -> None:
    since = history.version_key(WARNINGS_FROM)
    states = {v: state_of(row["name"], history.index_of(v))[0] for v in CHECKED if is_there(row, v)}
    first = next((v for v in CHECKED if states.get(v) == DEPRECATED), None)
    assert first is not None
    assert first == row["warns"] or history.version_key(row["warns"]) <= since


def test_the_sample_is_large_and_mostly_judged() -> None:
    pairs = [(r["name"], v) for r in ROWS for v in CHECKED]
    unknown = [p for p in pairs if state_of(p[0], history.index_of(p[1]))[0] == UNKNOWN]
    assert len(ROWS) > 100
    assert len(CHECKED) > 40
    assert len(unknown) < 0.02 * len(pairs)


def states(text: str) -> dict[str, str]:
    """Checked release → state, of a history such as `ok 0.4.13..0.4.26; no 0.4.28..0.12.0.1`."""
    out: dict[str, str] = {}
    for piece in text.split("; "):
        state, _, span = piece.rpartition(" ")
        first, last = (history.version_key(v) for v in span.split(".."))
        out |= {v: state for v in CHECKED if first <= history.version_key(v) <= last}
    return out


# Where `inspect.signature` doesn't tell what a call may pass: the wrapper takes `concrete` by name, and shows the
# signature of what it wraps. Real calls of `jax.checkpoint(f, concrete=False)` work from 0.4.13 to 0.8.0.
WRAPPED = {("jax.checkpoint", "concrete"): ("0.3.20", "0.8.0")}
# The probe was a vector, of which `mT` raises a ValueError: the attribute is there.
PROBED_WRONGLY = {("Array", "mT")}


def parameter(function: str, argument: str, version: str) -> str:
    known = parameters_at(function, history.index_of(version))
    if known is None:
        return "not known"
    if argument in known.positional_only:
        return "positional-only"
    if argument not in known.keywords:
        return "**kwargs" if known.open else "no"
    marker = "(deprecated marker)" if argument in known.deprecated else ""
    return ("yes" if argument in known.positional else "keyword-only") + marker


@pytest.mark.parametrize("row", rows("kwargs"), ids=lambda r: f"{r['function']}({r['argument']})")
def test_parameters(row: dict[str, str]) -> None:
    expected = states(row["history"])
    if (row["function"], row["argument"]) in WRAPPED:
        first, last = (history.version_key(v) for v in WRAPPED[row["function"], row["argument"]])
        expected = {v: s for v, s in expected.items() if not first <= history.version_key(v) <= last}
    assert {v: parameter(row["function"], row["argument"], v) for v in expected} == expected


@pytest.mark.parametrize("row", rows("attributes"), ids=lambda r: f"{r['object']}.{r['attribute']}")
def test_attributes(row: dict[str, str]) -> None:
    thing, attribute = row["object"], row["attribute"]
    if (thing, attribute) in PROBED_WRONGLY:
        return
    expected = states(row["history"])
    found = {}
    for v in expected:
        index = history.index_of(v)
        verdict = judge_attribute(thing, attribute, (index,))
        found[v] = "ok" if verdict is None else "warn" if verdict.code == "OMN402" else "no"
    assert found == expected


@pytest.mark.parametrize("row", rows("calls"), ids=lambda r: r["code"])
def test_calls(row: dict[str, str]) -> None:
    code = "import jax\nimport jax.numpy as jnp\nimport jax.extend.linear_util\n" + row["code"]
    expected = states(row["history"])
    found = {}
    for v in expected:
        module = index_module(Source("case.py", code), "case")
        codes = {f.code for f in find(module, Target.parse(v)) if f.place.line == 4 or "linear_util" in row["code"]}
        bad = codes & {"OMN401", "OMN405", "OMN407"}
        found[v] = "error" if bad else "warn" if codes & {"OMN402", "OMN408"} else "ok"
    assert found == expected
