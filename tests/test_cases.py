"""The labelled cases: every marked line is found, nothing else is said, and the clean look-alikes stay silent."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

from omnilint import knowledge
from omnilint.cache import records
from omnilint.config import Settings
from omnilint.model import Finding, Hazard
from omnilint.pipeline import check

CASES = Path(__file__).parent.parent / "fixtures" / "cases"
MARK = re.compile(r"#\s*expect:\s*([A-Z]+)")
NOTED = re.compile(r"#\s*(raises|expect:)")


def folders(kind: str) -> list[str]:
    return sorted(p.parent.name for p in (CASES / kind).glob("*/meta.json"))


@cache
def findings(kind: str) -> dict[str, list[Finding]]:
    """Findings of one corpus, checked in one run, by case."""
    report = check([str(CASES / kind)], Settings())
    assert not report.problems
    out: dict[str, list[Finding]] = {}
    for f in report.findings:
        if knowledge.rule(f.code).hazard is not Hazard.META:
            parts = Path(f.place.path).parts
            out.setdefault(parts[parts.index(kind) + 1], []).append(f)
    return out


def lines(case: Path) -> list[tuple[str, int, str]]:
    return [
        (file.name, i, text)
        for file in sorted(case.glob("*.py"))
        for i, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
    ]


def covers(f: Finding, file: str, line: int) -> bool:
    own = Path(f.place.path).name == file and f.place.line <= line <= f.place.end_line
    return own or any(Path(r.place.path).name == file and r.place.line == line for r in f.related)


@pytest.mark.parametrize("name", folders("hazards"))
def test_each_mark_is_found(name: str) -> None:
    found = findings("hazards").get(name, [])
    marks = [(file, i, hazard) for file, i, text in lines(CASES / "hazards" / name) for hazard in MARK.findall(text)]
    assert marks
    for file, i, hazard in marks:
        assert any(knowledge.rule(f.code).hazard == hazard and covers(f, file, i) for f in found), (file, i, found)


@pytest.mark.parametrize("name", folders("hazards"))
def test_nothing_else_is_said(name: str) -> None:
    noted = {(file, i) for file, i, text in lines(CASES / "hazards" / name) if NOTED.search(text)}
    for f in findings("hazards").get(name, []):
        span = range(f.place.line, f.place.end_line + 1)
        assert any((Path(f.place.path).name, i) in noted for i in span), f


def test_what_findings_carry_can_be_kept_and_sent() -> None:
    """No node, and nothing of the analysis: answers are kept as JSON, and handed over by other processes."""
    for found in findings("hazards").values():
        for f in found:
            assert json.dumps(records.pack(dict(f.data))), f


@pytest.mark.parametrize("name", folders("missed"))
def test_a_known_miss_is_still_missed(name: str) -> None:
    """Strict: a miss that is mended moves to the hazards."""
    found = findings("missed").get(name, [])
    marks = [(file, i, hazard) for file, i, text in lines(CASES / "missed" / name) for hazard in MARK.findall(text)]
    assert not all(
        any(knowledge.rule(f.code).hazard == hazard and covers(f, file, i) for f in found) for file, i, hazard in marks
    )


@pytest.mark.parametrize("name", folders("clean"))
def test_a_look_alike_stays_silent(name: str) -> None:
    meta = json.loads((CASES / "clean" / name / "meta.json").read_text())
    found = findings("clean").get(name, [])
    assert not found or meta.get("debatable"), found
