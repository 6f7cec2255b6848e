"""The steps of a run together: bad input, failures on one file, silencing, order, and what is never done."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from omnilint import config
from omnilint.analysis import engine, session
from omnilint.analysis.options import AnalysisOptions
from omnilint.config import Settings
from omnilint.errors import ConfigError
from omnilint.hazards import internal, switches, tolerance
from omnilint.index.module import ModuleIndex
from omnilint.model import Confidence, Finding, Place, Problem, Report, Source
from omnilint.pipeline import check

ROOT = Path(__file__).parent.parent
SWITCH = "export JAX_OMNISTAGING=0\n"
BRANCH = "import jax\n\n\n@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return 0 * x\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(files: dict[str, str | bytes]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(text.encode() if isinstance(text, str) else text)


def codes(report: Report) -> list[tuple[str, int, str]]:
    return [(f.place.path, f.place.line, f.code) for f in report.findings]


def only(monkeypatch: pytest.MonkeyPatch, find: Callable[[ModuleIndex], list[Finding]]) -> None:
    """Let nothing but `find` report."""
    monkeypatch.setattr(internal, "find", lambda module, target, project: find(module))
    monkeypatch.setattr(tolerance, "find", lambda module, project: [])
    monkeypatch.setattr(switches, "find", lambda source, target: [])
    monkeypatch.setattr(session, "merged", lambda *parts: engine.Analysis())


def at(module: ModuleIndex, line: int, code: str = "OMN101", **more: object) -> Finding:
    return dataclasses.replace(Finding(code, "m", Place(module.path, line, 1, line, 2)), **more)


def test_a_traced_branch_and_a_dead_switch_are_found(here: Path) -> None:
    write({"pkg/a.py": BRANCH, "run.sh": SWITCH})
    report = check(["."], Settings())
    assert codes(report) == [("pkg/a.py", 6, "OMN501"), ("run.sh", 1, "OMN406")]
    assert report.problems == []
    summary = report.summary
    assert (summary.files, summary.python_files, summary.jax_files, summary.text_files) == (2, 1, 1, 1)
    assert (summary.functions, summary.traced) == (1, 1)


BAD = {
    "missing path": (None, "missing-path", None, "no such file"),
    "syntax error": (b"x = 1\nif x\n", "syntax", 2, "expected ':'"),
    "python 2": (b"print 'x'\n", "syntax", 1, "Missing parentheses"),
    "not Python": (b"\x89PNG\r\n\x1a\n\x00", "encoding", 1, "0x89"),
    "undecodable bytes": (b"a = 1\nb = '\xe9'\n", "encoding", 2, "0xe9"),
    "null byte": (b"a = 1\nb = \x002\n", "syntax", 2, "null bytes"),
    "unknown encoding": (b"# coding: klingon\n", "encoding", 1, "klingon"),
    "deep brackets": (b"(" * 5000 + b")" * 5000, "syntax", 1, "too many nested parentheses"),
    "deep operators": (b"-" * 200_000 + b"1", "too-deep", None, "nested too deeply"),
    "long chain": (b"x" + b".y" * 50_000, "too-deep", None, "nested too deeply"),
    "deep indentation": (
        b"".join(b" " * i + b"if x:\n" for i in range(120)) + b" " * 120 + b"pass\n",
        *("syntax", 101, "too many levels of indentation"),
    ),
}


@pytest.mark.parametrize(("raw", "kind", "line", "words"), BAD.values(), ids=BAD)
def test_bad_input_is_one_clear_line_and_the_rest_is_checked(
    here: Path, raw: bytes | None, kind: str, line: int | None, words: str
) -> None:
    write({"good.py": BRANCH} | ({"bad.py": raw} if raw is not None else {}))
    report = check(["good.py", "bad.py"], Settings())
    assert codes(report) == [("good.py", 6, "OMN501")]
    (problem,) = report.problems
    assert (problem.kind, problem.path, problem.line) == (kind, "bad.py", line)
    assert words in problem.message
    assert "\n" not in str(problem)


@pytest.mark.parametrize(
    "raw", [b"", b"\n", b"\xef\xbb\xbf", b"# only a comment", b"\x0c\n"], ids=["", "newline", "bom", "comment", "feed"]
)
def test_an_empty_file_is_fine(here: Path, raw: bytes) -> None:
    write({"empty.py": raw})
    report = check(["empty.py"], Settings())
    assert (report.findings, report.problems, report.summary.python_files) == ([], [], 1)


def test_a_file_of_two_megabytes_is_checked(here: Path) -> None:
    table = "TABLE = [\n" + "    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],\n" * 44_000 + "]\n"
    assert len(table) > 2_000_000
    write({"big.py": table + BRANCH})
    report = check(["big.py"], Settings())
    assert [code for _, _, code in codes(report)] == ["OMN501"]
    assert report.problems == []


def test_nothing_to_check_is_a_problem(here: Path) -> None:
    write({"README.md": "# hi"})
    assert [p.kind for p in check(["."], Settings()).problems] == ["nothing-to-check"]


def test_a_file_that_vanishes_midway(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write({"a.py": BRANCH, "b.py": "x = 1\n", "c.py": BRANCH})

    def remove_b(step: str, done: int, total: int) -> None:
        if step == "reading" and done == 1:
            os.remove("b.py")

    report = check(["."], Settings(), progress=remove_b)
    assert [(p.kind, p.path) for p in report.problems] == [("vanished", "b.py")]
    assert [path for path, _, _ in codes(report)] == ["a.py", "c.py"]


@pytest.mark.parametrize("module", [internal, switches, tolerance], ids=lambda m: m.__name__)
def test_our_own_failure_costs_one_file(here: Path, monkeypatch: pytest.MonkeyPatch, module: object) -> None:
    monkeypatch.delenv("OMNILINT_DEBUG", raising=False)
    write({"a.py": BRANCH, "b.py": BRANCH})
    real = module.find  # type: ignore[attr-defined]

    def fail_on_a(subject: Source | ModuleIndex, *rest: object) -> list[Finding]:
        if subject.path == "a.py":
            raise RuntimeError("two\nlines")
        found: list[Finding] = real(subject, *rest)
        return found

    monkeypatch.setattr(module, "find", fail_on_a)
    report = check(["."], Settings())
    (problem,) = report.problems
    assert (problem.kind, problem.path) == ("internal", "a.py")
    assert "RuntimeError: two lines" in problem.message
    assert "please report" in problem.message
    assert ("b.py", 6, "OMN501") in codes(report)


def test_a_failure_of_the_analysis_leaves_the_rest(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMNILINT_DEBUG", raising=False)

    def fail(self: object, group: object) -> session.Part:
        raise KeyError("x")

    monkeypatch.setattr(session.Session, "own", fail)
    write({"run.sh": SWITCH, "a.py": "import jax\n"})
    report = check(["."], Settings())
    assert codes(report) == [("run.sh", 1, "OMN406")]
    assert [p.kind for p in report.problems] == ["internal"]


def test_a_spent_budget_is_told_and_no_failure(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spent = Problem("budget", "analysis of `f` stopped at its budget", "a.py", 3)
    monkeypatch.setattr(session, "merged", lambda *parts: engine.Analysis(problems=[spent]))
    write({"a.py": "import jax\n\ndef f():\n    pass\n"})
    report = check(["a.py"], Settings())
    assert (report.findings, report.problems, report.summary.cut_short) == ([], [], [spent])
    asked = check(["a.py"], Settings(extend_select=("OMN903",)))
    assert codes(asked) == [("a.py", 3, "OMN903")]
    assert asked.findings[0].symbol == "f"


def test_debugging_raises_our_own_failure(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMNILINT_DEBUG", "1")
    only(monkeypatch, lambda module: [][0])
    write({"a.py": "x = 1\n"})
    with pytest.raises(IndexError):
        check(["a.py"], Settings())


def test_findings_come_once_whole_and_in_order(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    likely = Confidence.LIKELY
    only(
        monkeypatch,
        lambda m: [
            *(at(m, 4, "OMN501"), at(m, 2, confidence=likely), at(m, 2), at(m, 1), at(m, 2, "OMN102")),
        ],
    )
    write({"b.py": "x = 1\ndef f():\n    # why\n    return (1,  # here\n      2)\n", "a.py": "\n\n\n\n"})
    report = check(["."], Settings())
    assert codes(report) == [
        *(("a.py", 1, "OMN101"), ("a.py", 2, "OMN101"), ("a.py", 2, "OMN102"), ("a.py", 4, "OMN501")),
        *(("b.py", 1, "OMN101"), ("b.py", 2, "OMN101"), ("b.py", 2, "OMN102"), ("b.py", 4, "OMN501")),
    ]
    assert all(f.confidence is Confidence.CERTAIN for f in report.findings)
    by_line = {f.place.line: f for f in report.findings if f.place.path == "b.py"}
    assert (by_line[1].symbol, by_line[1].statement) == ("", "x = 1")
    assert (by_line[4].symbol, by_line[4].statement) == ("f", "return (1, 2)")
    assert by_line[2].statement == "def f():"


def test_fingerprints_survive_moved_lines_comments_and_layout(here: Path) -> None:
    write({"a.py": BRANCH})
    (before,) = check(["a.py"], Settings()).findings
    write({"a.py": "# a new header\n" + BRANCH.replace("if x > 0:", "if (x >\n        0):  # why")})
    (after,) = check(["a.py"], Settings()).findings
    assert after.place.line == before.place.line + 1
    assert after.fingerprint == before.fingerprint


def test_comments_silence_and_are_counted(here: Path) -> None:
    write({"a.py": BRANCH.replace("if x > 0:", "if x > 0:  # noqa: OMN501"), "run.sh": SWITCH.strip() + "  # noqa\n"})
    report = check(["."], Settings())
    assert (report.findings, len(report.suppressed)) == ([], 2)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (Settings(select=("CONC",)), ["OMN501"]),
        (Settings(ignore=("OMN5",)), ["OMN406"]),
        (Settings(select=("OMN101",)), []),
    ],
    ids=["select", "ignore", "select another"],
)
def test_selection(here: Path, settings: Settings, expected: list[str]) -> None:
    write({"a.py": BRANCH, "run.sh": SWITCH})
    assert [code for _, _, code in codes(check(["."], settings))] == expected


def test_a_syntax_error_can_be_ignored_by_its_code_but_is_told(here: Path) -> None:
    write({"template.py": "{{ x }} y\n", "a.py": "x = 1\n"})
    report = check(["."], Settings(ignore=("OMN902",)))
    assert report.problems == []
    assert report.summary.skipped["template.py"].startswith("OMN902 ignored: syntax error")


@pytest.mark.parametrize("word", ["META", "OMN9", "OMN90"])
def test_who_ignores_more_than_syntax_errors_hears_of_them(here: Path, word: str) -> None:
    """`META` is written to be rid of unused suppressions: a file that isn't checked must not go unseen with them."""
    write({"broken.py": "x = (\n"})
    assert [p.kind for p in check(["."], Settings(ignore=(word,))).problems] == ["syntax"]


def test_a_missing_path_can_not_be_ignored(here: Path) -> None:
    assert [p.kind for p in check(["gone"], Settings(ignore=("META",))).problems] == ["missing-path"]


def test_standard_input(here: Path) -> None:
    report = check([], Settings(), stdin=BRANCH.encode())
    assert codes(report) == [("<stdin>", 6, "OMN501")]
    named = check([], Settings(), stdin=SWITCH.encode(), stdin_filename="job/run.sh")
    assert codes(named) == [("job/run.sh", 1, "OMN406")]


def test_a_named_buffer_stands_for_the_file_on_disk(here: Path) -> None:
    write({"a.py": "x = 1\n", "b.py": "x = 1\n"})
    report = check(["."], Settings(), stdin=BRANCH.encode(), stdin_filename="a.py")
    assert codes(report) == [("a.py", 6, "OMN501")]
    assert report.summary.files == 2


def test_notebooks_are_checked_by_cell(here: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# title\n"], "metadata": {}},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "import jax\n"], "metadata": {}, "outputs": []},
        {"cell_type": "code", "source": BRANCH.partition("\n\n\n")[2], "metadata": {}, "outputs": []},
        {"cell_type": "code", "source": "x = (", "metadata": {}, "outputs": []},
    ]
    good = json.dumps({"cells": cells[:3], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    bad = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    write({"good.ipynb": good, "bad.ipynb": bad})
    report = check(["."], Settings())
    (finding,) = report.findings
    assert (finding.place.path, finding.place.cell, finding.place.line) == ("good.ipynb", 3, 3)
    (problem,) = report.problems
    assert (problem.path, problem.cell, problem.line) == ("bad.ipynb", 4, 1)


def test_warnings_of_the_parser_are_not_printed(here: Path, recwarn: pytest.WarningsRecorder) -> None:
    write({"a.py": "x = '\\d'\nassert (1, 'm')\ny = 1 is 1\n"})
    assert check(["a.py"], Settings()).problems == []
    assert list(recwarn) == []


def test_patterns_say_which_modules_are_traced(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, ...]] = []

    def begin(self: object, project: object, options: AnalysisOptions) -> None:
        seen.append(options.assume_traced)
        raise KeyError("enough is seen")

    monkeypatch.delenv("OMNILINT_DEBUG", raising=False)
    monkeypatch.setattr(session.Session, "__init__", begin)
    write(
        {"pyproject.toml": "[tool.omnilint]\ntraced = ['lib/**']\n"}
        | dict.fromkeys(["lib/a.py", "b.py", "c.py"], "import jax\n")
    )
    settings = config.override(config.load(["."]), {"traced": ("c.py",)})
    check(["."], settings)
    assert seen == [("c.py", "lib/a.py")]


NAMES = "import jax\n\njax.tree_map(len, [1])\n"


@pytest.mark.parametrize(
    ("files", "settings", "code", "target", "origin"),
    [
        ({}, Settings(), "OMN401", None, "the newest release known"),
        ({}, Settings(target_jax="0.4.20"), None, "0.4.20", ""),
        ({}, Settings(target_jax="0.4.30"), "OMN402", "0.4.30", ""),
        ({"requirements.txt": "jax==0.4.30\n"}, Settings(), "OMN402", "0.4.30", "requirements.txt"),
        ({"requirements.txt": "jax==0.4.30\n"}, Settings(target_jax="0.7.0"), "OMN401", "0.7.0", ""),
        ({}, Settings(target_jax="0.4.30", from_jax="0.4.28"), None, "0.4.30", ""),
        ({}, Settings(target_jax="0.7.0", from_jax="0.4.28"), "OMN401", "0.7.0", ""),
    ],
    ids=["newest", "still there", "deprecated", "by metadata", "settings win", "no news since", "news since"],
)
def test_names_are_judged_for_the_target(
    here: Path, files: dict[str, str | bytes], settings: Settings, code: str | None, target: str | None, origin: str
) -> None:
    write(files | {"src/a.py": NAMES, ".git/HEAD": ""})
    report = check(["src"], settings)
    assert [f.code for f in report.findings] == ([code] if code else [])
    assert target is None or report.target_jax == target
    assert report.target_origin == origin


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (Settings(target_jax="new"), "--target-jax: 'new' is no JAX version"),
        (Settings(from_jax="0.0.1"), "--from: JAX 0.0.1 is older than"),
        (Settings(from_jax="foo"), "--from: 'foo' is no JAX version"),
        (Settings(from_jax="foo", target_jax="0.9"), "--from: 'foo' is no JAX version"),
        (Settings(target_jax=" , "), "--target-jax: no JAX version given"),
    ],
)
def test_a_target_that_is_none(here: Path, settings: Settings, words: str) -> None:
    write({"a.py": NAMES})
    with pytest.raises(ConfigError, match=f"^{words}"):
        check(["a.py"], settings)


def test_code_without_jax_needs_no_target(here: Path) -> None:
    write({"a.py": "x = 1\n"})
    assert check(["a.py"], Settings()).target_jax is None


def test_what_is_read_is_never_run(here: Path) -> None:
    trap = "import pathlib\npathlib.Path('ran').touch()\nimport jax\n"
    names = ["a.py", "conftest.py", "setup.py", "pkg/__init__.py", "jax.py", "libcst.py", "click.py", "rich.py"]
    write(dict.fromkeys(names, trap))
    command = [sys.executable, "-m", "omnilint", "check", "."]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "checked 8 Python files" in done.stderr
    assert not Path("ran").exists()


def test_jax_is_not_imported(here: Path) -> None:
    write({"stub/jax/__init__.py": "raise SystemExit('jax was imported')\n", "src/a.py": BRANCH})
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(["stub", str(ROOT)])}
    command = [sys.executable, "-m", "omnilint", "check", "src"]
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    assert (done.returncode, done.stdout.count("OMN501")) == (1, 1), done.stderr
    proof = subprocess.run([sys.executable, "-c", "import jax"], capture_output=True, text=True, env=env)
    assert "jax was imported" in proof.stderr
