"""Comments that silence nothing are findings themselves, and removable ones."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from omnilint.config import Settings
from omnilint.fixes.rewrite import spans_of
from omnilint.fixes.text import apply
from omnilint.index.module import index_module
from omnilint.model import Applicability, Finding, Place, Severity, Source
from omnilint.selection import selection
from omnilint.settle import settle
from omnilint.sources import notebook


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
        ("# omnilint: ignore", "this comment silences nothing; remove it"),
        ("# omnilint: ignore why", "this comment silences nothing; remove it"),
    ],
)
def test_an_unused_suppression_is_reported(comment: str, message: str) -> None:
    reported, silenced = settled(f"x = 1  {comment}\n", {1: "OMN501"} if "OMN501" in comment else {})
    (finding,) = [f for f in reported if f.code == "OMN904"]
    assert finding.message == message
    assert (finding.place.line, finding.place.column) == (1, 8)
    assert finding.fix is not None
    assert len(silenced) == ("OMN501" in comment)


@pytest.mark.parametrize(
    ("comment", "settings"),
    [
        ("# noqa", Settings()),
        ("# omnilint: ignore-file", Settings()),
        ("# noqa: E501", Settings()),
        ("# noqa: OMN301", Settings(ignore=("TOL",))),
        ("# noqa: OMN404", Settings()),
        ("# noqa: OMN601", Settings()),
        ("# noqa: OMN904", Settings()),
        ("# noqa: OMN101", Settings(ignore=("OMN904",))),
        ("# noqa: OMN101", Settings(select=("OMN1",))),
    ],
    ids=[
        *("bare noqa", "the whole file", "another tool", "an ignored rule", "a rule that is off", "for confirm alone"),
        *("of its own kind", "not wanted", "not selected"),
    ],
)
def test_a_suppression_that_may_be_useful_elsewhere_is_left_alone(comment: str, settings: Settings) -> None:
    assert settled(f"x = 1  {comment}\n", {}, settings) == ([], [])


@pytest.mark.parametrize(
    ("text", "found", "confirm"),
    [
        pytest.param("x = 1  # omnilint: ignore", {1: "OMN501"}, False, id="used"),
        pytest.param("x = 1  # omnilint: ignore because it is right", {1: "OMN501"}, False, id="with a reason"),
        pytest.param("x = 1  # omnilint: ignore", {1: "OMN302"}, False, id="of use to another selection"),
        pytest.param("x = 1  # omnilint: ignore", {1: "OMN404"}, False, id="of use to a rule that is off"),
        pytest.param("@d\ndef f(x):  # omnilint: ignore\n  pass", {}, False, id="a definition, for confirm"),
        pytest.param(
            "x = (1,  # omnilint: ignore\n  2)  # omnilint: ignore", {1: "OMN501", 2: "OMN501"}, True, id="both"
        ),
    ],
)
def test_a_bare_comment_with_a_use_is_left_alone(text: str, found: dict[int, str], confirm: bool) -> None:
    assert settled(text + "\n", found, Settings(ignore=("TOL",)), confirm=confirm)[0] == []


@pytest.mark.parametrize("comment", ["# omnilint: ignore", "# omnilint: ignore[OMN501]", "# noqa: OMN501"])
def test_a_comment_on_a_line_of_its_own_is_told_where_to_stand(comment: str) -> None:
    """Above a statement, as some other tools want it, it silences nothing."""
    reported, _ = settled(f"{comment}\nx = 1\n", {2: "OMN501"})
    assert [f.message for f in reported] == [
        "this comment stands on no line of a statement and silences nothing; put it on one, or remove it",
        "m",
    ]


def test_a_confirming_run_judges_definitions_too() -> None:
    (finding,) = settled("@d\ndef f(x):  # omnilint: ignore\n  pass\n", {}, confirm=True)[0]
    assert finding.code == "OMN904"


def test_a_confirming_run_judges_what_only_it_can_find() -> None:
    (finding,) = settled("x = 1  # noqa: OMN601\n", {}, confirm=True)[0]
    assert finding.code == "OMN904"


def test_a_used_suppression_is_no_finding() -> None:
    reported, silenced = settled("x = (1,\n  2)  # noqa: OMN1\n", {1: "OMN101"})
    assert (reported, [f.code for f in silenced]) == ([], ["OMN101"])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("x = 1   # noqa: OMN101", "x = 1", id="all of it, with its blanks"),
        pytest.param("x = 1  # omnilint: ignore[OMN101] static here, see #12", "x = 1", id="with its reason"),
        pytest.param("x = 1  # noqa: OMN101 static here", "x = 1  # static here", id="without the words behind a noqa"),
        pytest.param("x = 1  # noqa: OMN101 - because of y", "x = 1  # because of y", id="without them, behind a dash"),
        pytest.param("# noqa: OMN101 (see y)\nx = 1", "# (see y)\nx = 1", id="without them, in a line of its own"),
        pytest.param("x = 1  # noqa: OMN101  # type: ignore", "x = 1  # type: ignore", id="not the next comment"),
        pytest.param("x = 1  # type: ignore  # noqa: OMN101", "x = 1  # type: ignore", id="not the one before"),
        pytest.param("x = 1  # noqa: E501, OMN101", "x = 1  # noqa: E501", id="not another tool's code"),
        pytest.param("x = 1  # noqa: OMN101,W605,OMN2 why", "x = 1  # noqa: W605 why", id="two of three"),
        pytest.param("x = 1  # omnilint: ignore[SHAPE, OMN501] y", "x = 1  # omnilint: ignore[OMN501] y", id="hazard"),
        pytest.param("x = 1  # omnilint: ignore[shape-maths-as-size]", "x = 1", id="by the name of its rule"),
    ],
)
def test_the_repair_takes_what_is_idle(line: str, expected: str) -> None:
    (finding,) = [f for f in settled(line + "\n", {1: "OMN501"} if "OMN501" in line else {})[0] if f.code == "OMN904"]
    assert finding.fix is not None
    assert finding.fix.applicability is Applicability.SAFE
    (edit,) = finding.fix.edits
    after = line[: edit.place.column - 1] + edit.content + line[edit.place.end_column - 1 :]
    assert after == expected
    ast.parse(after)


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("# noqa: OMN999", "no rule, hazard or prefix is called 'OMN999'"),
        ("# noqa: E501, OMN1011", "no rule, hazard or prefix is called 'OMN1011'; did you mean 'OMN101'?"),
        ("# omnilint: ignore[OMN999] why", "no rule, hazard or prefix is called 'OMN999'"),
        ("# omnilint: ignore[E501]", "no rule, hazard or prefix is called 'E501'"),
        ("# omnilint: ignore[shape-math]", "did you mean 'shape-maths-as-size'?"),
        ("# omnilint: ignroe[OMN101]", "there is no `omnilint: ignroe`; did you mean 'ignore'?"),
        ("# omnilint: ignore_file", "there is no `omnilint: ignore_file`; did you mean 'ignore-file'?"),
        ("# omnilint: disable=OMN101", "there is no `omnilint: disable`; write `ignore` or `ignore-file`"),
        ("# omnilint: ignore OMN101", "the codes go in brackets"),
        ("# omnilint: ignore: OMN101", "the codes go in brackets"),
    ],
)
def test_a_comment_that_means_nothing_is_said(comment: str, message: str) -> None:
    (finding,) = settled(f"x = 1  {comment}\n", {})[0]
    assert finding.code == "OMN904"
    assert message in finding.message


@pytest.mark.parametrize(
    "comment",
    [
        "# omnilint: inputs(f32[3])",
        "# omnilint: it finds the bug below",
        "# noqa: E501 OMNIBUS",
        "# noqa: OMNI1",
        "# see omnilint: ignore[OMN999]",
    ],
)
def test_other_comments_mean_something_else(comment: str) -> None:
    assert settled(f"x = 1  {comment}\n", {})[0] == []


def test_a_rule_goes_by_its_name_in_our_own_brackets() -> None:
    reported, silenced = settled("x = 1  # omnilint: ignore[shape-maths-as-size]\n", {1: "OMN101"})
    assert (reported, [f.code for f in silenced]) == ([], ["OMN101"])


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


@pytest.mark.parametrize(
    "text",
    [
        "# omnilint: ignore-file\nx = 1  # noqa: OMN101\n",
        "# omnilint: ignore-file[META]\nx = 1  # noqa: OMN101\n",
        "# omnilint: ignore-file[OMN904] generated\nx = 1  # omnilint: ignore[OMN1O1]\n",
        "x = 1  # noqa: OMN101, OMN904\n",
    ],
)
def test_idle_comments_may_be_allowed(text: str) -> None:
    reported, silenced = settled(text, {})
    assert reported == []
    assert [f.code for f in silenced] == ["OMN904"]


@pytest.mark.parametrize("comment", ["# omnilint: ignore-file[SHAPE]", "# omnilint: ignore-file[OMN903]"])
def test_a_file_without_another_rule_still_has_idle_comments(comment: str) -> None:
    reported, _ = settled(f"{comment}\nx = 1  # noqa: OMN501\n", {})
    assert [f.place.line for f in reported][-1:] == [2]


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("import a\n# noqa: OMN101\nx = 1\n", "import a\nx = 1\n"),
        ("if a:\n    # omnilint: ignore[OMN101] why\n    x = 1\n", "if a:\n    x = 1\n"),
        ("# noqa: OMN1\n# noqa: OMN2\nx = 1\n", "x = 1\n"),
        ("x = 1\n# noqa: OMN101", "x = 1\n"),
        ("x = 1\n# noqa: OMN101  # why not\n", "x = 1\n  # why not\n"),
        ("x = 1  # noqa: OMN101\ny = 2\n", "x = 1\ny = 2\n"),
    ],
)
def test_a_comment_on_its_own_line_goes_with_the_line(text: str, after: str) -> None:
    reported, _ = settled(text, {})
    source = Source("a.py", text)
    edits = [edit for f in reported if f.fix for edit in f.fix.edits]
    assert apply(text, spans_of(source, edits)) == after


def test_the_lines_of_the_next_cell_stay_there() -> None:
    cells = [{"cell_type": "code", "source": text} for text in ("x = 1\n# noqa: OMN101", "y = 2")]
    source = notebook.read(json.dumps({"nbformat": 4, "cells": cells}).encode(), "a.ipynb", None)
    assert isinstance(source, notebook.Notebook)
    (finding,), _ = settle(
        [], {"a.ipynb": source}, {"a.ipynb": index_module(source, "a")}, selection(Settings()), False
    )
    assert finding.fix is not None
    assert [(e.place.line, e.place.end_line) for e in finding.fix.edits] == [(2, 2)]
