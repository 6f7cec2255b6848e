"""Comments that silence nothing are findings themselves, and removable ones."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from omnilint.config import Settings
from omnilint.index.module import index_module
from omnilint.model import Applicability, Finding, Place, Severity, Source
from omnilint.selection import selection
from omnilint.settle import settle


def settled(
    text: str, found: dict[int, str], settings: Settings | None = None, kind: str = "python", confirm: bool = False
) -> tuple[list[Finding], list[Finding]]:
    """What is reported and silenced of findings of the given codes on the given lines."""
    source = Source("a.py", text, kind, str(Path("a.py").absolute()))
    modules = {"a.py": index_module(source, "a")} if kind == "python" else {}
    findings = [Finding(code, "m", Place("a.py", line, 1, line, 2)) for line, code in found.items()]
    return settle(findings, {"a.py": source}, modules, selection(settings or Settings()), confirm)


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("# noqa: OMN101", "this comment silences nothing; remove it"),
        ("# noqa: OMN1", "this comment silences nothing; remove it"),
        ("# omnilint: ignore[OMN101] static here", "this comment silences nothing; remove it"),
        ("# omnilint: ignore[SHAPE]", "this comment silences nothing; remove it"),
        ("# noqa: E501, OMN101", "`OMN101` in this comment silences nothing; remove it there"),
        ("# noqa: OMN501, OMN101", "`OMN101` in this comment silences nothing; remove it there"),
        ("# omnilint: ignore-file[OMN101]", "this comment silences nothing; remove it"),
    ],
)
def test_an_unused_suppression_is_reported(comment: str, message: str) -> None:
    reported, silenced = settled(f"x = 1  {comment}\n", {1: "OMN501"} if "OMN501" in comment else {})
    (finding,) = [f for f in reported if f.code == "OMN904"]
    assert finding.message == message
    assert (finding.place.line, finding.place.column) == (1, 8)
    assert (finding.fix is None) is ("in this comment" in message)
    assert len(silenced) == ("OMN501" in comment)


@pytest.mark.parametrize(
    ("comment", "settings"),
    [
        ("# noqa", Settings()),
        ("# omnilint: ignore", Settings()),
        ("# noqa: E501", Settings()),
        ("# noqa: OMN301", Settings(ignore=("TOL",))),
        ("# noqa: OMN404", Settings()),
        ("# noqa: OMN601", Settings()),
        ("# noqa: OMN904", Settings()),
        ("# noqa: OMN101", Settings(ignore=("OMN904",))),
        ("# noqa: OMN101", Settings(select=("OMN1",))),
    ],
    ids=[
        *("bare noqa", "bare ignore", "another tool", "an ignored rule", "a rule that is off", "for confirm alone"),
        *("of its own kind", "not wanted", "not selected"),
    ],
)
def test_a_suppression_that_may_be_useful_elsewhere_is_left_alone(comment: str, settings: Settings) -> None:
    assert settled(f"x = 1  {comment}\n", {}, settings) == ([], [])


def test_a_confirming_run_judges_what_only_it_can_find() -> None:
    (finding,) = settled("x = 1  # noqa: OMN601\n", {}, confirm=True)[0]
    assert finding.code == "OMN904"


def test_a_used_suppression_is_no_finding() -> None:
    reported, silenced = settled("x = (1,\n  2)  # noqa: OMN1\n", {1: "OMN101"})
    assert (reported, [f.code for f in silenced]) == ([], ["OMN101"])


def test_the_repair_takes_the_comment_and_its_blanks() -> None:
    text = "x = 1   # noqa: OMN101\n"
    (finding,) = settled(text, {})[0]
    assert finding.fix is not None
    assert finding.fix.applicability is Applicability.SAFE
    (edit,) = finding.fix.edits
    line = text.rstrip("\n")
    after = line[: edit.place.column - 1] + edit.content + line[edit.place.end_column - 1 :]
    assert after == "x = 1"
    ast.parse(after)


def test_unused_suppressions_of_configuration_text() -> None:
    (finding,) = settled("export A=1  # noqa: OMN406\n", {}, kind="text")[0]
    assert (finding.code, finding.statement) == ("OMN904", "export A=1  # noqa: OMN406")


def test_a_file_that_was_not_parsed_is_not_judged() -> None:
    source = Source("a.py", "x = (  # noqa: OMN101\n", "python", "/a.py")
    assert settle([], {"a.py": source}, {}, selection(Settings()), False) == ([], [])


def test_settings_change_the_severity() -> None:
    settings = Settings(severity=(("OMN101", Severity.NOTE),))
    reported, _ = settled("x = 1\ny = 2\n", {1: "OMN101", 2: "OMN102"}, settings)
    assert [f.severity for f in reported] == [Severity.NOTE, None]
