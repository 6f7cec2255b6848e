"""The history against what real imports of real releases said."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from omnilint.api import history
from omnilint.api.life import DEPRECATED, MISSING, UNKNOWN, state_of

FILE = Path(__file__).resolve().parent.parent / "fixtures" / "internal" / "api_truth.csv"
# Warnings were looked for from the first release on that has its jaxlib on the index.
WARNINGS_FROM = "0.4.13"


def rows() -> list[dict[str, str]]:
    with FILE.open(encoding="utf-8") as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#")))


ROWS = rows()
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
