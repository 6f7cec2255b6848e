"""The program as its users meet it: options, formats, exit codes, and one line for whatever goes wrong."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest

from omnilint import __version__, cli, config, pipeline
from omnilint.compiled import COMPILED
from omnilint.report import NAMES, json_format

ROOT = Path(__file__).parent.parent
BRANCH = "import jax\n\n\n@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return 0 * x\n"
FINDING = "a.py:6:"
PATHS = {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OMNILINT_DEBUG", raising=False)
    return tmp_path


def write(files: dict[str, str | bytes]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(text.encode() if isinstance(text, str) else text)


def omnilint(*arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """The program in its own process, with the project on the path."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "omnilint", *arguments]
    return subprocess.run(command, capture_output=True, text=True, input=stdin, env=environment)


def test_a_bar_of_verdicts_without_verdicts_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import jax\n")
    assert cli.run(["check", "--fail-on", "confirmed", str(tmp_path)]) == 2
    assert "--confirm" in capsys.readouterr().err
    (tmp_path / "omnilint.toml").write_text("fail-on = 'confirmed'\n")
    (tmp_path / "a.py").write_text(BRANCH)
    assert cli.run(["check", str(tmp_path)]) == 2
    assert "--confirm" in capsys.readouterr().err
    assert cli.run(["check", "--fail-on", "error", str(tmp_path)]) == 1
    assert cli.run(["check", "--exit-zero", str(tmp_path)]) == 0


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["--version"]) == 0
    assert capsys.readouterr().out == f"omnilint {__version__}{' (compiled)' if COMPILED else ''}\n"


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], []])
def test_help_lists_the_commands(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(arguments) == 0
    out = capsys.readouterr().out
    for name in ("check", "staging", "rule", "config", "api"):
        assert f"\n  {name} " in out


def test_every_command_can_be_loaded_and_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    for name in cli.COMMANDS:
        assert cli.run([name, "--help"]) == 0
        assert f"Usage: omnilint {name}" in capsys.readouterr().out


def test_help_of_check_is_grouped(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["check", "-h"]) == 0
    out = capsys.readouterr().out
    headings = [line[:-1] for line in out.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings == ["Rules", "Repairs", "Files", "Old code", "JAX", "Confirm", "Output", "Help"]


@pytest.mark.parametrize(
    ("files", "arguments", "code"),
    [
        ({"a.py": "x = 1\n"}, [], 0),
        ({"a.py": BRANCH}, [], 1),
        ({"a.py": BRANCH}, ["--exit-zero"], 0),
        ({"a.py": "import jax\nx = " + " + ".join(["'a'"] * 1_200) + "\n"}, [], 0),
        ({"a.py": BRANCH}, ["--ignore", "OMN5"], 0),
        ({"a.py": BRANCH}, ["--select", "SHAPE,STATE"], 0),
        ({"a.py": BRANCH, "b.py": "if\n"}, [], 2),
        ({"a.py": "x = 1\n", "b.py": "if\n"}, ["--exit-zero"], 2),
        ({"a.py": BRANCH}, ["a.py", "gone.py"], 2),
        ({"a.txt": ""}, [], 2),
        ({"a.py": BRANCH}, ["--exclude", "a.py"], 2),
        ({"a.py": BRANCH, "b.py": ""}, ["--exclude", "a.py"], 0),
        ({"a.py": BRANCH, "pyproject.toml": "[tool.omnilint]\nignore = ['OMN501']\n"}, [], 0),
        ({"a.py": BRANCH, "pyproject.toml": "[tool.omnilint]\nignore = ['OMN501']\n"}, ["--ignore", "OMN1"], 0),
        ({"a.py": BRANCH, "pyproject.toml": "[tool.omnilint]\nignore = ['OMN501']\n"}, ["--select", "CONC"], 1),
        ({"a.py": BRANCH, "pyproject.toml": "[tool.omnilint]\nignroe = ['OMN501']\n"}, [], 2),
    ],
    ids=[
        *(
            "clean",
            "findings",
            "exit zero",
            "a sum of many terms",
            "ignored",
            "others selected",
            "problems win over findings",
        ),
        *("exit zero is not for problems", "missing path", "nothing to check", "all excluded", "one excluded"),
        *("ignored by the settings", "the command line ignores more", "the command line overrides", "bad settings"),
    ],
)
def test_exit_codes(files: dict[str, str | bytes], arguments: list[str], code: int) -> None:
    write(files)
    assert cli.run(["check", *arguments]) == code


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "--selec", "x"], "--select"),
        (["check", "--format", "xml"], "'xml' is not one of"),
        (["check", "--select", "OMN105"], "did you mean 'OMN"),
        (["check", "--ignore", "SHAEP"], "did you mean 'SHAPE'"),
        (["check", "--stdin-filename", "a.py"], "comes in by `-`"),
        (["chekc"], "did you mean 'check'"),
        (["a.py"], "`omnilint check a.py`?"),
        (["check", "gone.py"], "gone.py: no such file or directory"),
    ],
)
def test_a_mistake_is_one_line_on_stderr(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    write({"a.py": "x = 1\n"})
    assert cli.run([*arguments, *(["-q"] if arguments[0] == "check" else [])]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("error: ")
    assert words in captured.err


def test_concise_is_for_pipes(capsys: pytest.CaptureFixture[str]) -> None:
    write({"a.py": BRANCH})
    assert cli.run(["check", "."]) == 1
    captured = capsys.readouterr()
    (line,) = captured.out.splitlines()
    assert line.startswith(FINDING)
    assert " OMN501 " in line
    assert captured.err.splitlines()[0].startswith("1 finding in 1 file")
    assert "1 function analysed, 1 of them traced" in captured.err


def test_quiet_says_nothing_but_findings_and_problems(capsys: pytest.CaptureFixture[str]) -> None:
    write({"a.py": BRANCH, "b.py": "if\n"})
    assert cli.run(["check", "-q", "."]) == 2
    captured = capsys.readouterr()
    assert captured.out.startswith(FINDING)
    assert captured.err == "error: b.py:1:3: syntax error: invalid syntax\n"


def test_json_validates_and_is_alone_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    write({"a.py": BRANCH, "b.py": "if\n", "venv/c.py": ""})
    assert cli.run(["check", "--format", "json", "."]) == 2
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json_format.schema())
    assert [f["code"] for f in document["findings"]] == ["OMN501"]
    assert [e["code"] for e in document["errors"]] == ["OMN902"]
    assert document["summary"]["skipped"] == [{"path": "venv", "reason": "left out by default"}]


def test_rich_by_name_and_by_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    write({"a.py": BRANCH})
    assert cli.run(["check", "--format", "rich", "."]) == 1
    by_name = capsys.readouterr().out
    assert "OMN501 traced-branch" in by_name
    assert "6 │     if x > 0:" in by_name
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert cli.run(["check", "--color", "never", "."]) == 1
    assert "OMN501 traced-branch" in capsys.readouterr().out


def test_several_forms_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    write({"a.py": BRANCH, "out/x": ""})
    outputs = ["--output", "sarif=out/a.sarif", "--output", "junit=a=b.xml", "--output", "rich=a.txt"]
    assert cli.run(["check", "-q", "a.py", *outputs]) == 1
    assert capsys.readouterr().out.startswith(FINDING)
    assert json.loads(Path("out/a.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert Path("a=b.xml").read_text(encoding="utf-8").startswith("<?xml")
    assert "OMN501 traced-branch" in Path("a.txt").read_text(encoding="utf-8")


def test_an_output_can_go_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    write({"a.py": BRANCH})
    assert cli.run(["check", "a.py", "--output", "json=-", "--output", "markdown=a.md"]) == 1
    assert json.loads(capsys.readouterr().out)["findings"]
    assert sorted(os.listdir()) == ["a.md", "a.py"]


@pytest.mark.parametrize(
    "options",
    [
        ["--output", "sarif=-"],
        ["--format", "concise"],
        ["--diff"],
        ["--statistics"],
        ["--write-baseline"],
        ["--fix", "-", "a.py"],
    ],
)
def test_standard_output_is_given_away_once(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    write({"a.py": BRANCH})
    assert cli.run(["check", "--output", "json=-", *options]) == 2
    assert "standard output" in capsys.readouterr().err


def test_the_summary_of_a_step_is_appended_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other commands of the step write to it as well; a file that is ours alone is written anew."""
    write({"a.py": BRANCH, "summary.md": "# Before\n", "own.md": "old\n"})
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", os.path.abspath("summary.md"))
    for _ in range(2):
        assert cli.run(["check", "a.py", "--output", "markdown=./summary.md", "--output", "markdown=own.md"]) == 1
    text, own = Path("summary.md").read_text(), Path("own.md").read_text()
    assert text.startswith("# Before\n\n")
    assert text.count("OMN501 traced-branch |") == 2 * own.count("OMN501 traced-branch |") > 0


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("sarif", "write FORMAT=FILE"),
        ("sarif=", "write FORMAT=FILE"),
        ("sarf=a", "did you mean 'sarif'?"),
        ("sarif=gone/a.sarif", "there is no folder gone"),
        ("sarif=folder", "can't be written"),
    ],
)
def test_an_output_that_can_not_be_written_is_one_line(
    value: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write({"a.py": "x = 1\n", "folder/x": ""})
    assert cli.run(["check", "-q", "a.py", "--output", value]) == 2
    err = capsys.readouterr().err
    assert words in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(("color", "expected"), [("always", True), ("never", False), ("auto", False)])
def test_color(color: str, expected: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    write({"a.py": BRANCH})
    cli.run(["check", "--format", "rich", "--color", color])
    assert ("\x1b[" in capsys.readouterr().out) is expected


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BRANCH.encode())))
    assert cli.run(["check", "-q", "-", "--stdin-filename", "pkg/a.py"]) == 1
    assert capsys.readouterr().out.startswith("pkg/a.py:6:")


def test_standard_input_in_its_own_process() -> None:
    done = omnilint("check", "-q", "-", stdin=BRANCH)
    assert (done.returncode, done.stdout[:10]) == (1, "<stdin>:6:")


def test_an_error_of_our_own_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(pipeline, "check", fail)
    assert cli.run(["check", "."]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: internal error (ZeroDivisionError: oh); please report")
    assert err.count("\n") == 1


def test_an_interrupt_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "check", interrupt)
    assert cli.run(["check", "."]) == 130
    assert capsys.readouterr().err.strip() == "error: interrupted"


def test_a_reader_that_leaves_is_no_error() -> None:
    write({f"a{i}.py": BRANCH * 50 for i in range(40)})
    command = f"{sys.executable} -m omnilint check . 2>err | head -n 1"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.stdout.startswith("a0.py:6:")
    assert "Traceback" not in Path("err").read_text(encoding="utf-8")
    assert "BrokenPipe" not in Path("err").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (["--version"], ["libcst", "rich", "jax", "tomllib", "omnilint.model"]),
        (["--help"], ["libcst", "rich", "jax", "omnilint.pipeline"]),
        (["check", "plain.py"], ["libcst", "rich", "jax"]),
        (["check", "--format", "json", "traced.py"], ["rich", "jax"]),
    ],
    ids=["version", "help", "a file without JAX", "json"],
)
def test_only_what_is_needed_is_imported(arguments: list[str], unwanted: list[str]) -> None:
    write({"plain.py": "import numpy\n\ndef f(x):\n    return numpy.sum(x)\n", "traced.py": BRANCH})
    program = (
        "import sys; from omnilint import cli; cli.run(sys.argv[2:]); "
        "print('imported:', [m for m in sys.argv[1].split(',') if m in sys.modules])"
    )
    command = [sys.executable, "-c", program, ",".join(unwanted), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.stdout.splitlines()[-1] == "imported: []", done.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--fail-on", "error"], 1),
        (["--fail-on", "certain,error"], 1),
        (["--fail-on", "conditional"], 1),
    ],
)
def test_the_bar_for_failing(arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    write({"a.py": BRANCH})
    assert cli.run(["check", "-q", *arguments]) == code
    assert capsys.readouterr().out.startswith(FINDING)


def test_a_changed_severity_changes_the_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    write({"a.py": BRANCH, "omnilint.toml": 'fail-on = "warning"\nseverity = {CONC = "note"}\n'})
    assert cli.run(["check", "--format", "json"]) == 0
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert finding["severity"] == "note"


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes on Linux")
def test_names_that_are_no_text_are_shown_and_kept(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    names = [b"b\xff.py", b"e\x1b[31m.py", b"n\nl.py"]
    for name in names:
        with open(name, "wb") as f:
            f.write(BRANCH.encode())
    for form in ("concise", "rich", "markdown"):
        assert omnilint_bytes("check", "--format", form, ".") == 1
        shown = capfdbinary.readouterr().out
        for told in (rb"b\xff.py", rb"e\x1b[31m.py", rb"n\nl.py"):
            assert told.replace(b"[", rb"\[") in shown or told in shown
    assert omnilint_bytes("check", "--show-files", ".") == 0
    assert capfdbinary.readouterr().out == b"".join(name + b"\n" for name in names)


def omnilint_bytes(*arguments: str) -> int:
    return subprocess.run([sys.executable, "-m", "omnilint", *arguments], env=PATHS).returncode


def test_colour_for_lines_too(capfd: pytest.CaptureFixture[str]) -> None:
    write({"a.py": BRANCH})
    for colour, expected in (("always", True), ("never", False), ("auto", False)):
        assert subprocess.run([sys.executable, "-m", "omnilint", "check", "--color", colour], env=PATHS).returncode == 1
        assert ("\x1b[31m\x1b[1mOMN501\x1b[0m" in capfd.readouterr().out) is expected


def test_rich_in_a_file_has_no_trailing_blanks(capfd: pytest.CaptureFixture[str]) -> None:
    write({"a.py": BRANCH})
    command = [sys.executable, "-m", "omnilint", "check", "--format", "rich", "--output", "rich=out.txt"]
    subprocess.run(command, env=PATHS)
    for text in (capfd.readouterr().out, Path("out.txt").read_text()):
        assert "OMN501" in text
        assert [line for line in text.split("\n") if line != line.rstrip()] == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--exclude", "gne"], "--exclude gne"),
        (["--exclude", "gen"], None),
        (["--exclude", "src/a.py"], None),
        (["--assume-traced", "scr/**", "--exclude", "*.ipynb"], "--exclude *.ipynb, --assume-traced scr/**"),
        (["--assume-traced", "src/**", "--assume-traced", "nothing"], "--assume-traced nothing"),
        (["--assume-traced", "src/**"], None),
        (["--exclude", "gne", "--force-exclude"], None),
    ],
)
def test_patterns_that_match_nothing_are_told(
    arguments: list[str], told: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    write({"src/a.py": BRANCH, "src/b.py": BRANCH, "gen/c.py": BRANCH, "omnilint.toml": "exclude = ['never/**']\n"})
    for _ in ("nothing is kept", "everything is kept"):
        assert cli.run(["check", *arguments]) == 1
        lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("warning")]
        assert lines == ([f"warning: nothing here matches {told}; check the spelling"] if told else [])


def test_a_file_that_no_rule_is_on_for_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    write(
        {"a.py": BRANCH, "b.py": BRANCH, "omnilint.toml": "per-file-ignores = {'a.py' = ['ALL'], 'b.py' = ['CONC']}\n"}
    )
    assert cli.run(["check"]) == 0
    assert "skipped, no rule is on there: a.py\n" in capsys.readouterr().err


def test_extend_select_adds_to_the_defaults() -> None:
    write({"a.py": "import jax.core\n\nprint(jax.core.Tracer)\n"})
    assert cli.run(["check"]) == 0
    assert cli.run(["check", "--extend-select", "OMN404"]) == 1


def test_a_kept_result_does_not_outlive_a_negation() -> None:
    write({"src/a.py": BRANCH})
    for pattern, code in (("src/**", 0), ("!src/**", 1), ("src/**", 0), ("!lib/**", 0)):
        write({"omnilint.toml": f"per-file-ignores = {{'{pattern}' = ['CONC']}}\n"})
        assert cli.run(["check", "src"]) == code


def test_settings_that_are_passed_over_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    """One run has one set of settings: a nearer file that isn't heard is no secret."""
    project = "[project]\nname = 'b'\n"
    write({"a/x.py": BRANCH, "a/omnilint.toml": "", "b/c/x.py": BRANCH, "b/pyproject.toml": project})
    write({"b/omnilint.toml": "ignore = ['CONC']\n"})
    told = "settings not taken: b/omnilint.toml"
    assert cli.run(["check", "a", "b"]) == 1
    assert told in capsys.readouterr().err
    assert cli.run(["check", "."]) == 1
    assert "settings not taken: a/omnilint.toml, b/omnilint.toml" in capsys.readouterr().err
    for arguments in (["a"], ["b"], ["a", "b", "--no-config"], ["a", "b", "--config", "a/omnilint.toml"]):
        cli.run(["check", *arguments])
        assert "not taken" not in capsys.readouterr().err
    cli.run(["check", "a", "b", "--format", "json"])
    assert json.loads(capsys.readouterr().out)["summary"]["passed_over"] == ["b/omnilint.toml"]


def test_per_file_ignores_hold_from_any_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    write({"a.py": BRANCH, "tests/a.py": BRANCH, "omnilint.toml": "per-file-ignores = {'tests/**' = ['CONC']}\n"})
    assert cli.run(["check", "tests"]) == 0
    assert cli.run(["check", "a.py"]) == 1
    monkeypatch.chdir("tests")
    assert cli.run(["check"]) == 0
    assert cli.run(["check", "a.py", "--no-config"]) == 1


def test_statistics(capsys: pytest.CaptureFixture[str]) -> None:
    write({"a.py": BRANCH, "b.py": BRANCH, "run.sh": "export JAX_OMNISTAGING=0\n"})
    assert cli.run(["check", "--statistics"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "     2 OMN501 traced-branch (CONC)",
        "     1 OMN406 dead-omnistaging-switch (INTERNAL)",
    ]
    assert cli.run(["check", "--statistics", "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)[0] == {
        "code": "OMN501",
        "name": "traced-branch",
        "hazard": "CONC",
        "count": 2,
    }


def test_counts_of_nothing_say_what_was_looked_at(capsys: pytest.CaptureFixture[str]) -> None:
    write({"a.py": "import jax\n"})
    assert cli.run(["check", "--statistics"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "checked 1 Python file (1 with JAX)" in captured.err
    assert cli.run(["check", "--statistics", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_show_files_and_gitignore(capsys: pytest.CaptureFixture[str]) -> None:
    write({"a.py": "", "gen/b.py": "", ".gitignore": "gen/\n", "notes.txt": "", "if.py": "if"})
    assert cli.run(["check", "--show-files"]) == 0
    assert capsys.readouterr().out.split() == ["a.py", "if.py"]
    assert cli.run(["check", "--show-files", "--no-gitignore"]) == 0
    assert capsys.readouterr().out.split() == ["a.py", "gen/b.py", "if.py"]
    assert cli.run(["check", "--show-files", "gone.py"]) == 2


def test_examples_of_the_help_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["check", "--help"]) == 0
    lines = capsys.readouterr().out.partition("Examples:")[2].splitlines()
    examples = [line.split("   ")[0].split()[1:] for line in map(str.strip, lines) if line]
    assert len(examples) >= 7
    for example in examples:
        write({"src/a.py": BRANCH, "tests/b.py": "import jax\n"})
        if "--confirm" not in example:  # needs JAX; what it does is tested elsewhere
            assert cli.run(example) in (0, 1), example


def test_explain_is_another_way_to_say_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["rule", "OMN501"]) == 0
    page = capsys.readouterr().out
    assert cli.run(["check", "--explain", "OMN501"]) == 0
    assert capsys.readouterr().out == page
    assert cli.run(["check", "--explain", "OMN999"]) == 2


def test_force_exclude_is_for_hooks() -> None:
    write({"gen/a.py": BRANCH, "omnilint.toml": "exclude = ['gen']\n"})
    assert cli.run(["check", "gen/a.py"]) == 1
    assert cli.run(["check", "gen/a.py", "--force-exclude"]) == 0


@pytest.mark.parametrize("options", [[], ["--fix"], ["--diff"], ["--no-cache"]])
def test_force_exclude_holds_for_standard_input(options: list[str]) -> None:
    """An excluded buffer: nothing is checked, which is said, and `--fix` gives it back as it was."""
    write({"gen/a.py": BRANCH, "b.py": "import jax\njax.tree_map\n", "omnilint.toml": "exclude = ['gen']\n"})
    named = ["check", "-", "--stdin-filename", "gen/a.py", *options]
    assert omnilint(*named, stdin=BRANCH).returncode == (0 if options == ["--diff"] else 1)
    done = omnilint(*named, "--force-exclude", stdin=BRANCH)
    assert done.returncode == 0
    assert "excluded by the settings: gen/a.py" in done.stderr
    assert done.stdout == (BRANCH if options == ["--fix"] else "")


def test_what_comes_in_besides_standard_input_is_repaired_when_that_is_excluded() -> None:
    write({"b.py": "import jax\njax.tree_map\n", "omnilint.toml": "exclude = ['gen']\n"})
    done = omnilint("check", "-", "b.py", "--stdin-filename", "gen/a.py", "--force-exclude", "--fix", stdin=BRANCH)
    assert (done.returncode, done.stdout) == (0, BRANCH)
    assert Path("b.py").read_text() == "import jax\njax.tree.map\n"


def test_settings_that_are_shown_can_be_read_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Empty lists as lists and empty tables as tables, whatever is set."""
    write({"omnilint.toml": "[per-file-ignores]\n'!src/**' = ['OMN5']\n", "default/omnilint.toml": ""})
    for folder in ("default", "."):
        assert cli.run(["config", folder]) == 0
        shown = capsys.readouterr().out
        assert config.parse(tomllib.loads(shown), str(tmp_path / "omnilint.toml"))
    assert tomllib.loads(shown)["per-file-ignores"] == {"!src/**": ["OMN5"]}
    assert cli.run(["config", "default", "--format", "json"]) == 0
    shown_json = json.loads(capsys.readouterr().out)["settings"]
    assert (shown_json["severity"]["value"], shown_json["select"]["value"]) == ({}, [])


def test_settings_are_shown_with_their_origins(capsys: pytest.CaptureFixture[str]) -> None:
    write(
        {
            "omnilint.toml": "extend = 'base.toml'\nignore = ['TOL']\nper-file-ignores = {'t/**' = ['OMN1']}\n",
            "base.toml": "severity = {OMN302 = 'note'}\nexclude = ['/gen']\n",
        }
    )
    assert cli.run(["config"]) == 0
    text = capsys.readouterr().out
    assert text.splitlines()[0] == "# omnilint.toml"
    assert 'ignore = ["TOL"]  # omnilint.toml' in text
    assert 'severity = {"OMN302" = "note"}  # base.toml' in text
    assert "select = []  # default" in text
    read_back = tomllib.loads(text)
    assert read_back["per-file-ignores"] == {"t/**": ["OMN1"]}
    assert read_back["exclude"] == ["/gen"]
    assert cli.run(["check", "--select", "OMN1", "--show-settings"]) == 0
    shown = capsys.readouterr().out
    assert 'select = ["OMN1"]  # the command line' in shown
    assert "ignore = []" in shown
    assert cli.run(["check", "--ignore", "OMN1", "--show-settings"]) == 0
    assert 'ignore = ["TOL", "OMN1"]  # omnilint.toml, and the command line on top' in capsys.readouterr().out


def test_settings_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    write({"pyproject.toml": "[tool.omnilint]\ntarget-jax = '0.9'\n"})
    assert cli.run(["config", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["file"] == os.path.abspath("pyproject.toml")
    assert document["settings"]["target-jax"] == {"value": "0.9", "origin": os.path.abspath("pyproject.toml")}
    assert document["settings"]["gitignore"] == {"value": True, "origin": "default"}


def test_the_schema_of_the_settings(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["config", "--schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert "per-file-ignores" in schema["properties"]


def test_bad_settings_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    write({"omnilint.toml": "select = ['OMN1O1']\n"})
    assert cli.run(["config"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: omnilint.toml: select: no rule, hazard or prefix is called 'OMN1O1'; did you mean")
    assert err.count("\n") == 1


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="their file names are always text")
@pytest.mark.parametrize("form", NAMES)
def test_file_names_that_are_no_text(form: str) -> None:
    Path(os.fsdecode(b"\xff.py")).write_text(BRANCH, encoding="utf-8")
    Path("a\nb.py").write_text(BRANCH, encoding="utf-8")
    done = omnilint("check", "-q", "--format", form, "--output", f"{form}=out.txt")
    assert (done.returncode, done.stderr) == (1, "")
    assert Path("out.txt").stat().st_size > 0
    if form in ("json", "sarif", "gitlab"):
        assert json.loads(done.stdout)


def test_an_ascii_terminal() -> None:
    write({"a.py": BRANCH})
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "omnilint", "check", "--format", "rich"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.skipif(sys.platform == "win32", reason="uses a POSIX shell")
@pytest.mark.parametrize(
    ("tail", "code", "words"),
    [
        ("check - <&-", 2, "standard input is closed"),
        ("check a.py >&-", 1, "1 finding"),
        ("check a.py 2>&-", 1, ""),
        ("--version >&-", 0, ""),
    ],
)
def test_closed_streams(tail: str, code: int, words: str) -> None:
    write({"a.py": BRANCH})
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        f"{sys.executable} -m omnilint {tail}", shell=True, capture_output=True, text=True, env=environment
    )
    assert done.returncode == code
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there a current directory can't be removed")
def test_a_current_directory_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    done = omnilint("check")
    os.chdir(tmp_path)
    assert done.returncode == 2
    assert done.stderr == "error: the current directory is gone; change to one that exists\n"
