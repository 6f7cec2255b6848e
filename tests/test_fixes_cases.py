"""Repairs on the labelled cases: how many findings have one, and that clean code stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from omnilint import knowledge, pipeline
from omnilint.config import Settings
from omnilint.fixes.repair import Outcome, Repairs
from omnilint.model import Applicability, Report, Source

CASES = Path(__file__).parent.parent / "fixtures" / "cases"


def repaired(folder: Path, unsafe: bool) -> Outcome:
    """The repairs of all files of a folder, made in memory."""

    def check(edited: Mapping[str, bytes]) -> Report:
        return pipeline.check([str(folder)], Settings(), edited=edited)

    def read(source: Source) -> bytes:
        return Path(source.file or source.path).read_bytes()

    return Repairs(check, read, unsafe).run()


@cache
def hazards() -> Report:
    """What is found in the cases that are wrong."""
    return pipeline.check([str(CASES / "hazards")], Settings())


@pytest.mark.parametrize(("prefix", "share"), [("OMN1", 0.6), ("OMN4", 0.6)], ids=["SHAPE", "INTERNAL"])
def test_most_findings_have_a_repair(prefix: str, share: float) -> None:
    own = [f for f in hazards().findings if f.code.startswith(prefix)]
    fixed = [f for f in own if f.fix is not None and f.fix.applicability is not Applicability.DISPLAY]
    assert len(own) >= 10
    assert len(fixed) >= share * len(own)


def test_every_finding_has_a_repair_or_a_reason() -> None:
    for finding in hazards().findings:
        assert (finding.fix is None) is bool(finding.data.get("unfixed")), finding


def test_clean_code_stays_as_it_is() -> None:
    out = repaired(CASES / "clean", unsafe=True)
    assert not out.changed()


def test_all_repairs_together_bring_nothing_new() -> None:
    out = repaired(CASES / "hazards", unsafe=True)
    assert len(out.fixed) >= 50
    assert not out.defects
    before = {(f.place.path, f.code) for f in hazards().findings}
    assert {(f.place.path, f.code) for f in out.report.findings} <= before


def test_repairs_are_of_the_kinds_that_their_rules_pages_say() -> None:
    """What no page says isn't offered, and what it says is seen somewhere, as far as SHAPE goes."""
    seen: dict[str, set[str]] = {}
    for folder in ("cases/hazards", "fixes", "seed", "tol"):
        for f in pipeline.check([str(CASES.parent / folder)], Settings()).findings:
            if f.fix is not None:
                seen.setdefault(f.code, set()).add(f.fix.applicability.value)
    for code, kinds in seen.items():
        said = set(knowledge.rule(code).fix.split(" or "))
        assert kinds <= said, code
        assert kinds == said or not code.startswith("OMN1"), code
