"""What `--confirm` can be told, that it says what it does, and the table of several interpreters."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from omnilint.cli import run
from omnilint.config.confirming import amount, seconds, size
from omnilint.confirm.backends import same
from omnilint.model import Finding, Place, Report, Status, Verdict
from omnilint.report import json_format, markdown, matrix, summary

BRANCH = "import jax\n\n\n@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return 0 * x\n"
SCRIPT = BRANCH + "\n\nprint(relu(1.0))\nraise SystemExit('a script')\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(BRANCH)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "value"), [("30", 30.0), ("0.5", 0.5), ("30s", 30.0), ("2m", 120.0), ("1.5 min", 90.0)]
)
def test_times(text: str, value: float) -> None:
    assert seconds(text) == value


@pytest.mark.parametrize("text", ["", "0", "-3", "soon", "3 h", "1e3"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match="write seconds"):
        seconds(text)


@pytest.mark.parametrize(
    ("text", "value"), [("2GiB", 2 << 30), ("700M", 700 << 20), ("1.5g", 3 << 29), ("100MB", 100 << 20)]
)
def test_sizes(text: str, value: int) -> None:
    assert size(text) == value


@pytest.mark.parametrize("text", ["", "many", "1K", "63M", "-2G", "2 apples"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match="write 2GiB or 700M"):
        size(text)


def test_sizes_are_written_as_they_are_read() -> None:
    assert [amount(size(t)) for t in ("8GiB", "700M", "1.5G")] == ["8 GiB", "700 MiB", "1.5 GiB"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--timeout", "3"], "--timeout says how to confirm; give --confirm too"),
        (["--import", "slice"], "--import says how to confirm"),
        (["--no-verdict-cache"], "--no-verdict-cache says how to confirm"),
        (["--confirm", "--timeout", "soon"], "--timeout: 'soon' is no length of time"),
        (["--confirm", "--memory-limit", "1K"], "--memory-limit: '1K' is no amount of memory"),
        (["--confirm", "--backend", "abacus"], "abacus"),
    ],
)
def test_what_makes_no_sense_is_one_line(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "a.py", *arguments]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert words in told.err
    assert told.err.count("\n") == 1


def confirmed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[list[Verdict], str]:
    """The verdicts on the only finding, as far as needed, and what was said on standard error."""
    pytest.importorskip("jax", reason="confirm runs code under JAX")
    words = ["check", "a.py", "--confirm", "--python", sys.executable, "--format", "json", "--no-verdict-cache"]
    assert run([*words, *arguments]) == 1
    told = capsys.readouterr()
    (finding,) = json.loads(told.out)["findings"]
    found = [Verdict(Status(v["status"]), reason=v["reason"]) for v in finding["verdicts"]]
    return found, told.err


def test_it_announces_that_it_runs_code(capsys: pytest.CaptureFixture[str]) -> None:
    _, said = confirmed(capsys, "--timeout", "40", "--memory-limit", "3GiB")
    (line,) = said.splitlines()
    assert line.startswith(f"confirm runs this code under {sys.executable} (")
    assert line.endswith("on the CPU, in processes of its own: at most 40 s and 3 GiB a run")


def test_quiet_means_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    _, said = confirmed(capsys, "--quiet")
    assert said == ""


def test_without_confirm_nothing_runs_and_nothing_is_announced(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text(f"{BRANCH}\nopen({str(here / 'ran')!r}, 'w').close()\n")
    assert run(["check", "a.py", "--format", "json"]) == 1
    assert "confirm" not in capsys.readouterr().err
    assert not (here / "ran").exists()


@pytest.mark.parametrize(
    ("importing", "status", "words"),
    [
        pytest.param("whole", Status.INCONCLUSIVE, "SystemExit", id="whole: the script ends the run"),
        pytest.param("slice", Status.CONFIRMED, "imported in part, without a.py:11", id="slice: only what makes names"),
    ],
)
def test_how_to_import(
    here: Path, importing: str, status: Status, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "a.py").write_text(SCRIPT.replace("relu(1.0)", "1.0"))
    (found,), _ = confirmed(capsys, "--import", importing)
    assert found.status is status, found
    assert words in (found.reason or "")


def test_the_time_limit_is_the_one_asked_for(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("import time\n" + BRANCH + "\n\nfor _ in range(10_000):\n    time.sleep(1)\n")
    (found,), _ = confirmed(capsys, "--timeout", "4", "--import", "whole")
    assert found.status is Status.INCONCLUSIVE
    assert "importing a took longer than 4 s" in (found.reason or "")


def test_the_configuration_says_so_too(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "omnilint.toml").write_text('confirm = {timeout = 41, memory-limit = "3GiB", import = "slice"}\n')
    (here / "a.py").write_text(SCRIPT)
    (found,), said = confirmed(capsys, "--timeout", "42")
    assert "at most 42 s and 3 GiB" in said
    assert "imported in part" in (found.reason or "")


@pytest.mark.parametrize("backend", ["metal", "tpu", "gpu"])
@pytest.mark.parametrize(
    "code",
    [
        pytest.param(BRANCH, id="a finding"),
        pytest.param("import jax\n\n\n@jax.jit\ndef fine(x):\n    return x + 1\n", id="a program"),
    ],
)
def test_a_backend_that_is_not_there_is_one_line(
    here: Path, backend: str, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    jax = pytest.importorskip("jax", reason="asks JAX for its backends")
    if jax.default_backend() == backend:
        pytest.skip(f"JAX has the backend {backend} here, and the test asks for one that is missing")
    (here / "a.py").write_text(code)
    command = ["check", "a.py", "--confirm", "--python", sys.executable, "--backend", backend, "--format", "json"]
    assert run([*command, "--no-verdict-cache"]) == 2
    told = capsys.readouterr()
    document = json.loads(told.out)
    (problem,) = document["errors"]
    assert f"--backend {backend}: the jax of" in problem["message"]
    assert "has no such backend here, only cpu (" in problem["message"]
    assert "runs this code" not in told.err
    assert [v for f in document["findings"] for v in f["verdicts"]] == []
    assert not any(f["code"].startswith("OMN6") for f in document["findings"])
    assert not (here / ".omnilint_cache").exists()


@pytest.mark.parametrize(
    ("platform", "told", "expected"),
    [
        ("cpu", "cpu", True),
        ("cuda", "gpu", True),
        ("cuda", "cpu", False),
        ("tpu", "cpu", False),
        ("cpu", "gpu", False),
        ("METAL", "metal", True),
        ("cuda", None, True),
    ],
)
def test_a_run_elsewhere_is_not_this_backend_s(platform: str, told: str | None, expected: bool) -> None:
    assert same(platform, told) is expected


def compared() -> Report:
    """Two findings under two interpreters: gone in the newer one, and wrong in both."""
    a = {"python": "/old/python (3.9)", "jax": "0.4.30"}
    b = {"python": "/new/python (3.13)", "jax": "0.10.2"}
    name = Finding("OMN401", "gone", Place("a.py", 2, 1, 2, 5))
    branch = Finding("OMN501", "branch", Place("a.py", 6, 8, 6, 13))
    return Report(
        findings=[
            replaced(name, Verdict(Status.REFUTED, **a), Verdict(Status.CONFIRMED, **b)),
            replaced(branch, Verdict(Status.CONFIRMED, **a), Verdict(Status.UNREACHED, **b)),
        ],
        confirmed_with=["old", "new"],
    )


def replaced(finding: Finding, *verdicts: Verdict) -> Finding:
    import dataclasses

    return dataclasses.replace(finding, verdicts=verdicts)


def test_two_interpreters_stand_side_by_side() -> None:
    assert matrix.lines(compared()) == [
        "                 jax 0.4.30  jax 0.10.2",
        "a.py:2:1 OMN401  works       fails",
        "a.py:6:8 OMN501  fails       unreached",
    ]
    assert matrix.lines(compared())[1] in summary.lines(compared())
    assert "| `a.py:2:1` | OMN401 | works | fails |" in markdown.render(compared())


def test_the_same_table_for_programs() -> None:
    import jsonschema

    document = json_format.document(compared())
    jsonschema.validate(document, json_format.schema())
    table = document["summary"]["matrix"]
    assert [i["heading"] for i in table["interpreters"]] == ["jax 0.4.30", "jax 0.10.2"]
    assert [row["words"] for row in table["rows"]] == [["works", "fails"], ["fails", "unreached"]]


def test_one_interpreter_needs_no_table() -> None:
    report = compared()
    report.findings = [replaced(f, f.verdicts[0]) for f in report.findings]
    assert matrix.lines(report) == []
    assert matrix.document(report) is None


def test_two_interpreters_with_the_same_jax_are_told_apart() -> None:
    report = compared()
    first, second = (Verdict(Status.CONFIRMED, python=p, jax="0.10.2") for p in ("/a", "/b"))
    report.findings = [replaced(f, first, second) for f in report.findings]
    assert [heading for _, heading in matrix.columns(report)] == ["jax 0.10.2 in /a", "jax 0.10.2 in /b"]


def test_repairs_that_are_offered_are_proven_unless_told_otherwise(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("jax", reason="confirm runs code under JAX")
    words = ["check", "a.py", "--confirm", "--python", sys.executable, "--format", "json", "--no-verdict-cache"]
    (here / "a.py").write_text(
        "import jax\nimport jax.numpy as jnp\n\n\n@jax.jit\ndef flat(x):\n"
        "    return x.reshape((jnp.prod(jnp.array(x.shape)),))\n"
    )
    for more, verified in (([], True), (["--no-prove-fixes"], None)):
        assert run([*words, *more]) == 1
        (finding,) = json.loads(capsys.readouterr().out)["findings"]
        assert finding["verdicts"][0]["status"] == "confirmed"
        assert finding["fix"]["verified"] is verified
