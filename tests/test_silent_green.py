"""Silence is earned: where other linters say "all is well" of what they never checked, ours doesn't."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from omnilint.cli import run
from omnilint.fixes import rewrite

PATHS = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}

BRANCH = "import jax\n\n\n@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return 0 * x\n"
CELL = {"cell_type": "code", "source": BRANCH, "metadata": {}, "outputs": [], "execution_count": None}
NOTEBOOK = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [CELL]})


def write(name: str, text: str | bytes = BRANCH) -> None:
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)


def unreadable() -> None:
    write("a.py")
    os.chmod("a.py", 0)


# Python 3.12 and later read it; what parses there must be checked there, by both of our parsers.
NEWER = (
    BRANCH.replace("def relu(x):", 'def relu[T](x: T) -> T:\n    name = f"{f"{\'a\' if 1 else "b"}"}"')
    + "type X = int\n"
)
AS_PYTHON_READS_IT = (1, "OMN501") if sys.version_info >= (3, 12) else (2, "syntax error")

# What is there, what is asked, how it must end, and what must be said.
CASES = [
    pytest.param(lambda: write("a.py"), ["a.py"], 1, "OMN501", id="findings end with 1"),
    pytest.param(lambda: write("a.py", "def f(:\n"), ["a.py"], 2, "syntax error", id="a syntax error"),
    pytest.param(lambda: write("d/a.py", "def f(:\n"), ["d"], 2, "syntax error", id="a syntax error in a folder"),
    pytest.param(lambda: write("a.py", b"x = '\xff'\n"), ["a.py"], 2, "UTF-8", id="bytes that are no text"),
    pytest.param(lambda: write("a.py", "x = 1\0\n"), ["a.py"], 2, "null bytes", id="null bytes"),
    pytest.param(lambda: None, ["no.py"], 2, "no such file", id="a missing path"),
    pytest.param(lambda: write("a.py"), ["a.py", "no"], 2, "no such file", id="one of two paths is missing"),
    pytest.param(lambda: Path("d").mkdir(), ["d"], 2, "no Python file", id="an empty folder"),
    pytest.param(lambda: write("a.txt"), ["a.txt"], 2, "not Python", id="a file of another kind"),
    pytest.param(lambda: write("n.ipynb", NOTEBOOK), ["n.ipynb"], 1, "OMN501", id="a notebook"),
    pytest.param(lambda: write("n.ipynb", "{"), ["n.ipynb"], 2, "invalid JSON", id="a broken notebook"),
    pytest.param(lambda: write("omnilint.toml", "slect = []\n"), ["."], 2, "'select'", id="an unknown key"),
    pytest.param(lambda: write("omnilint.toml", "select = ['OMN999']\n"), ["."], 2, "OMN999", id="an unknown rule"),
    pytest.param(lambda: write("a.py"), ["--baseline", "no.json", "a.py"], 2, "no baseline", id="a missing baseline"),
    pytest.param(lambda: write("a.py"), ["--diff-base", "HEAD", "a.py"], 2, "--diff-base", id="no repository"),
    pytest.param(lambda: write("a.py"), ["--select", "OMN9999", "a.py"], 2, "OMN9999", id="an unknown --select"),
    pytest.param(lambda: write("a.py"), ["--ignore", "ALL", "a.py"], 2, "no rule is left", id="all rules ignored"),
    pytest.param(lambda: write("a.py"), ["--select", "XLA", "a.py"], 2, "--confirm", id="rules of confirm alone"),
    pytest.param(
        lambda: (write("a.py"), write("omnilint.toml", "ignore = ['ALL']\n")),
        ["."],
        2,
        "omnilint.toml: ignore ALL: no rule is left",
        id="all rules ignored in the settings",
    ),
    pytest.param(
        lambda: (write("a.py"), write("omnilint.toml", "ignore = ['OMN501']\n")),
        ["--select", "OMN501", "a.py"],
        1,
        "OMN501",
        id="a rule that the settings ignore is asked for",
    ),
    pytest.param(
        lambda: write("a.py"), ["--statistics", "--format", "sarif", "a.py"], 2, "no form sarif", id="counts as SARIF"
    ),
    pytest.param(
        lambda: write("a.py"),
        ["--output", "json=x", "--output", "sarif=./x", "a.py"],
        2,
        "same file",
        id="two reports in one file",
    ),
    pytest.param(lambda: write("a.sh", "export JAX_OMNISTAGING=0\n"), ["a.sh"], 1, "OMN406", id="only a warning"),
    pytest.param(
        lambda: (write("a.py"), write("omnilint.toml", "severity = {CONC = 'note'}\n")),
        ["."],
        1,
        "1 note",
        id="only a note",
    ),
    pytest.param(lambda: os.symlink("gone", "a.py"), ["a.py"], 2, "link to nowhere", id="a link to nowhere"),
    pytest.param(lambda: os.symlink("gone", "a.py"), ["."], 2, "no Python file", id="nothing but a link to nowhere"),
    pytest.param(lambda: os.symlink("a.py", "a.py"), ["a.py"], 2, "can't be read", id="a file that can't be opened"),
    pytest.param(lambda: Path("a.py").mkdir(), ["a.py"], 2, "no Python file", id="a folder called like a file"),
    pytest.param(lambda: write("a.py"), ["--exclude", "*.py", "."], 2, "no Python file", id="all is excluded"),
    pytest.param(lambda: write("a.py", NEWER), ["a.py"], *AS_PYTHON_READS_IT, id="syntax of a newer Python"),
    pytest.param(lambda: write("a.py"), ["a.p*"], 2, "no such file", id="a pattern that no shell expanded"),
    pytest.param(
        lambda: write("a.py", "d = {'a': 1, **{}}\n" + BRANCH), ["a.py"], 1, "OMN501", id="a dict that is spread"
    ),
    pytest.param(
        lambda: write("a.py", "from jax import linear_util\n" + BRANCH), ["a.py"], 1, "OMN501", id="not importable"
    ),
    pytest.param(lambda: write("a.py", BRANCH + "# noqa: F401\n"), ["a.py"], 1, "OMN501", id="another tool's noqa"),
    pytest.param(
        lambda: (write("a.py"), write("b.py", "x = (\n")), ["."], 2, "OMN501", id="findings beside a syntax error"
    ),
]


@pytest.mark.parametrize(("prepare", "arguments", "code", "said"), CASES)
def test_no_run_is_green_that_should_not_be(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    prepare: Callable[[], object],
    arguments: list[str],
    code: int,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    prepare()
    for when in ("nothing is kept", "everything is kept"):
        assert run(["check", "--cache-dir", str(tmp_path / ".." / f"{tmp_path.name}-kept"), *arguments]) == code, when
        shown = capsys.readouterr()
        assert said in shown.out + shown.err, when
        assert "Traceback" not in shown.err


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_can_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    unreadable()
    assert run(["check", "a.py"]) == 2


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(BRANCH.encode())))
    assert run(["check", "-"]) == 1
    assert "<stdin>:6:8: OMN501" in capsys.readouterr().out


def test_what_repairs_leave_over_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("a.py", "import jax\njax.tree_map(abs, [1])\n" + BRANCH)
    assert run(["check", "--fix", "a.py"]) == 1
    assert "jax.tree.map" in Path("a.py").read_text()


def test_patterns_are_relative_to_the_settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(str(tmp_path / "tests" / "test_a.py"))
    write(str(tmp_path / "src" / "a.py"))
    write(str(tmp_path / "omnilint.toml"), '[per-file-ignores]\n"tests/**" = ["OMN501"]\n')
    monkeypatch.chdir(tmp_path / "tests")
    assert run(["check", "."]) == 0
    assert run(["check", "../src"]) == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
@pytest.mark.parametrize(
    "command",
    ["check a.py", "check --format json a.py", "check --format rich a.py", "rule", "rule OMN101", "config", "--help"],
)
def test_output_that_can_not_be_written(tmp_path: Path, command: str) -> None:
    (tmp_path / "a.py").write_text(BRANCH)
    with open("/dev/full", "w") as full:
        arguments = [sys.executable, "-m", "omnilint", *command.split()]
        ended = subprocess.run(arguments, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, env=PATHS)
    assert ended.returncode == 2
    assert "the output can't be written (No space left on device)" in ended.stderr
    assert "internal error" not in ended.stderr


def test_repairs_that_can_not_be_written_are_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.py", "b.py"):
        write(name, "import jax\njax.tree_map(abs, [1])\njax.tree_map(len, [1])\n")
    real = rewrite.write

    def full(file: str, raw: bytes) -> None:
        if file.endswith("b.py"):
            raise OSError(28, "No space left on device")
        real(file, raw)

    monkeypatch.setattr(rewrite, "write", full)
    assert run(["check", "--fix", "a.py", "b.py"]) == 2
    shown = capsys.readouterr()
    assert "2 findings fixed\n- a.py" in shown.err
    assert "2 not fixed: 2 because the file can't be written" in shown.err
    assert "b.py:2:1: OMN401" in shown.out
    assert "a.py" not in shown.out
    assert "tree_map" in Path("b.py").read_text()
