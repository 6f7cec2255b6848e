"""The formats: what a person reads, and what a program reads, checked against the schema."""

from __future__ import annotations

import dataclasses
import io
import json

import jsonschema
import pytest
from rich.console import Console

from omnilint import __version__
from omnilint.model import (
    Applicability,
    Confidence,
    Edit,
    Finding,
    Fix,
    Place,
    Problem,
    Related,
    Report,
    Severity,
    Source,
    Status,
    Summary,
    TargetUsed,
    Verdict,
)
from omnilint.report import concise, json_format, rich_text, sarif, summary
from omnilint.report.text import Lines, position, proofs
from omnilint.sources.notebook import Notebook

TEXT = "import jax\n\n@jax.jit\ndef flat(x):\n\treturn x.reshape(jnp.prod(x.shape))\n"
SIZE = Place("pkg/a.py", 5, 19, 5, 36)


def full_report() -> Report:
    fix = Fix(Applicability.SAFE, "use math.prod", (Edit(SIZE, "math.prod(x.shape)"),), verified=True)
    proved = Verdict(
        Status.CONFIRMED,
        exception="TypeError",
        message="Shapes must be 1D sequences\nof concrete values",
        line=5,
        inputs="f32[3,4]",
        legacy=True,
        reached=True,
        python="3.11.7",
        jax="0.10.2",
        backend="cpu",
    )
    shape = Finding(
        "OMN101",
        "jnp.prod of a shape is staged; use math.prod",
        SIZE,
        symbol="flat",
        related=(
            Related(Place("pkg/a.py", 3, 1, 3, 9), "jax.jit traces flat"),
            Related(Place("pkg/b.py", 9, 2, 9, 9), "called here"),
        ),
        fix=fix,
        verdicts=(proved,),
        statement="return x.reshape(jnp.prod(x.shape))",
    )
    branch = Finding(
        "OMN501",
        "`if` needs a Python bool",
        Place("pkg/b.py", 2, 4, 3, 6),
        Confidence.CONDITIONAL,
        severity=Severity.NOTE,
    )
    return Report(
        findings=[shape, branch],
        problems=[Problem("syntax", "syntax error: invalid syntax", "c.py", 3, 7)],
        summary=Summary(
            files=4,
            lines=50,
            python_files=3,
            jax_files=2,
            text_files=1,
            functions=7,
            traced=3,
            skipped={".venv": "left out by default"},
            cut_short=[Problem("budget", "the analysis of f stopped", "pkg/a.py")],
            seconds=0.5,
        ),
        targets=[TargetUsed("0.10.2")],
        confirmed_with=["jax 0.10.2 (/usr/bin/python)"],
        suppressed=[dataclasses.replace(branch, place=Place("pkg/a.py", 4, 1, 4, 4))],
        sources={"pkg/a.py": Source("pkg/a.py", TEXT)},
    )


def rich_output(report: Report, width: int = 100, *, quiet: bool = False) -> str:
    stream = io.StringIO()
    rich_text.write(report, Console(file=stream, width=width, highlight=False), quiet=quiet)
    return stream.getvalue()


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(json_format.schema())
    return jsonschema.Draft202012Validator(json_format.schema())


@pytest.mark.parametrize("report", [full_report(), Report()], ids=["full", "empty"])
def test_json_follows_the_schema(validator: jsonschema.Draft202012Validator, report: Report) -> None:
    document = json.loads(json_format.render(report))
    assert [e.message for e in validator.iter_errors(document)] == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("version",), 2),
        (("findings", 0, "line"), 0),
        (("findings", 0, "hazard"), "OTHER"),
        (("findings", 0, "code"), "E501"),
        (("findings", 0, "verdicts", 0, "status"), "maybe"),
        (("findings", 0, "fix", "applicability"), "sure"),
        (("findings", 0, "extra"), 1),
        (("errors", 0, "message"), ""),
        (("summary", "files"), -1),
    ],
    ids=lambda v: ".".join(map(str, v)) if isinstance(v, tuple) else None,
)
def test_the_schema_refuses(
    validator: jsonschema.Draft202012Validator, path: tuple[str | int, ...], value: object
) -> None:
    document = json.loads(json_format.render(full_report()))
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert not validator.is_valid(document)


def test_json_holds_the_contract() -> None:
    document = json.loads(json_format.render(full_report()))
    assert list(document) == ["version", "omnilint", "target_jax", "findings", "errors", "summary"]
    assert (document["version"], document["omnilint"]) == (1, __version__)
    first, second = document["findings"]
    assert (first["code"], first["name"], first["hazard"]) == ("OMN101", "shape-maths-as-size", "SHAPE")
    assert (first["path"], first["line"], first["column"], first["end_line"], first["end_column"]) == (
        *("pkg/a.py", 5, 19, 5, 36),
    )
    assert first["related"][1] == {"path": "pkg/b.py", "line": 9, "column": 2, "cell": None, "message": "called here"}
    assert first["fix"]["edits"][0]["content"] == "math.prod(x.shape)"
    assert first["verdicts"][0]["legacy"] is True
    assert (second["severity"], second["confidence"], second["fix"]) == ("note", "conditional", None)
    assert document["errors"][0] == {
        "kind": "syntax",
        "code": "OMN902",
        "message": "syntax error: invalid syntax",
        "path": "c.py",
        "line": 3,
        "column": 7,
        "cell": None,
    }
    assert document["summary"]["codes"] == {"OMN101": 1, "OMN501": 1}
    assert document["summary"]["verdicts"] == {"confirmed": 1}
    assert document["summary"]["skipped"] == [{"path": ".venv", "reason": "left out by default"}]


def test_concise_is_one_line_a_finding() -> None:
    assert list(concise.lines(full_report())) == [
        "pkg/a.py:5:19: OMN101 jnp.prod of a shape is staged; use math.prod [confirmed by jax 0.10.2] [fix verified]",
        "pkg/b.py:2:4: OMN501 `if` needs a Python bool [conditional]",
    ]


def test_concise_folds_a_message_of_several_lines() -> None:
    report = Report(findings=[Finding("OMN101", "one\n  two", SIZE)])
    assert list(concise.lines(report)) == ["pkg/a.py:5:19: OMN101 one two"]


def test_rich_shows_line_chain_proof_and_repair() -> None:
    lines = [line.rstrip() for line in rich_output(full_report()).splitlines()]
    start = lines.index("pkg/a.py")
    assert lines[start : start + 10] == [
        "pkg/a.py",
        "  5:19 OMN101 shape-maths-as-size  in flat",
        "    jnp.prod of a shape is staged; use math.prod",
        "      5 │     return x.reshape(jnp.prod(x.shape))",
        "        │                      ^^^^^^^^^^^^^^^^^",
        "    why 3:1 jax.jit traces flat",
        "        pkg/b.py:9:2 called here",
        "    JAX confirmed by jax 0.10.2 on cpu: TypeError: Shapes must be 1D sequences; raised at line 5;",
        "        inputs f32[3,4]; worked before omnistaging",
        "    fix use math.prod (safe, verified)",
    ]
    assert "  2:4 OMN501 traced-branch  [conditional]" in lines


def test_rich_tells_places_of_one_kind_in_one_line() -> None:
    place = Place("a.py", 1, 1, 1, 2)
    uses = tuple(Related(Place("a.py", line, 5, line, 9), "used here") for line in range(3, 15))
    asked = Related(Place("a.py", 2, 1, 2, 2), "asked here")
    told = "3:5, 4:5, 5:5, 6:5, 7:5, 8:5, 9:5, 10:5, 11:5, 12:5 and 2 more used here"
    out = rich_output(Report(findings=[Finding("OMN401", "gone", place, related=(asked, *uses))]), 120)
    assert "why 2:1 asked here" in out
    assert told in out


def test_sarif_shows_uses_behind_an_import_as_no_way_to_it() -> None:
    place = Place("a.py", 1, 1, 1, 2)
    uses = (Related(Place("a.py", 3, 5, 3, 9), "used here"),)
    for code, flows in (("OMN401", False), ("OMN501", True)):
        (run,) = json.loads(sarif.render(Report(findings=[Finding(code, "m", place, related=uses)])))["runs"]
        (result,) = run["results"]
        assert ("codeFlows" in result) is flows
        assert result["relatedLocations"]


def test_rich_does_not_take_messages_for_markup() -> None:
    report = Report(findings=[Finding("OMN101", "see [bold]x[/bold] and [0]", SIZE)])
    assert "see [bold]x[/bold] and [0]" in rich_output(report)


def test_rich_without_the_source_leaves_the_excerpt_out() -> None:
    report = Report(findings=[Finding("OMN101", "m", SIZE)])
    assert "│" not in rich_output(report)


def test_quiet_leaves_the_summary_out() -> None:
    assert "2 findings" in rich_output(full_report())
    assert "2 findings" not in rich_output(full_report(), quiet=True)


def test_summary_of_a_full_report() -> None:
    assert summary.lines(full_report()) == [
        "2 findings in 2 files (1 error, 1 note): CONC 1, SHAPE 1; 1 problem kept something from being checked",
        "checked 3 Python files (2 with JAX) and 1 configuration file: 7 functions analysed, 3 of them traced, "
        "for JAX 0.10.2",
        "1 finding silenced by comments",
        "verdicts by jax 0.10.2 (/usr/bin/python): 1 confirmed",
        "cut short at the analysis' budget in 1 place (OMN903): pkg/a.py",
        "skipped, left out by default: .venv",
    ]


def test_a_silent_report_says_how_its_silence_was_earned() -> None:
    report = Report(summary=Summary(files=1, python_files=1, jax_files=1, functions=1, traced=1))
    assert summary.lines(report) == [
        "no findings",
        "checked 1 Python file (1 with JAX): 1 function analysed, 1 of them traced",
    ]


def test_a_report_with_problems_never_says_just_no_findings() -> None:
    report = Report(problems=[Problem("unreadable", "can't be read", "a.py")])
    assert summary.lines(report)[0] == "no findings, but 1 problem kept something from being checked"


def test_many_skipped_paths_are_counted() -> None:
    skipped = {f"d{i}": "left out by default" for i in range(9)} | {f"p{i}": f"reason {i}" for i in range(6)}
    lines = summary.lines(Report(summary=Summary(skipped=skipped)))
    assert "skipped, left out by default: d0, d1, d2 and 6 more" in lines
    assert lines[-1] == "skipped for other reasons: 3 paths (`--format json` lists them)"


def test_places_in_notebooks_name_their_cell() -> None:
    assert position(Place("n.ipynb", 2, 5, 2, 9, cell=3)) == "n.ipynb:cell 3:2:5"
    book = Notebook("n.ipynb", "a\nb\nc\n", "notebook", None, (1, 3), (2, 5))
    lines = Lines(Report(sources={"n.ipynb": book}))
    assert lines.at(Place("n.ipynb", 1, 1, 1, 2, cell=5)) == "c"


@pytest.mark.parametrize(
    ("code", "verdicts", "told"),
    [
        ("OMN501", [Verdict(Status.UNREACHED, reason="no call was found")], ["unreached; no call was found"]),
        (
            "OMN501",
            [Verdict(Status.REFUTED, jax="0.9", python="/a", backend="cpu", legacy=False)],
            ["refuted by jax 0.9 on cpu; failed before omnistaging too"],
        ),
        (
            "OMN401",
            [Verdict(Status.CONFIRMED, jax="0.9", python="/a", legacy=False), Verdict(Status.REFUTED, python="/b")],
            ["confirmed by jax 0.9 in /a", "refuted in /b"],
        ),
        (
            "OMN501",
            [Verdict(Status.CONFIRMED, exception="E", message="\n\n  m. The error occurred while tracing f\nrest")],
            ["confirmed: E: m."],
        ),
    ],
    ids=["a reason", "legacy", "several interpreters", "the gist of the message"],
)
def test_proofs(code: str, verdicts: list[Verdict], told: list[str]) -> None:
    assert proofs(Finding(code, "m", SIZE, verdicts=tuple(verdicts))) == told


def test_problems_are_one_line_with_their_place() -> None:
    assert str(Problem("syntax", "bad", "a.py", 3, 7)) == "a.py:3:7: bad"
    assert str(Problem("syntax", "bad", "n.ipynb", 3, cell=2)) == "n.ipynb:cell 2:3: bad"
    assert str(Problem("confirm", "no JAX")) == "no JAX"
