"""`--watch`: a check after each change, until somebody interrupts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from omnilint.cli import run
from omnilint.commands import watching

BRANCH = "import jax\n\n\n@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return 0 * x\n"


def test_each_change_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text("import jax\n")
    edits = iter([BRANCH, BRANCH.replace("x > 0", "True"), None])

    def edit(seconds: float) -> None:
        text = next(edits)
        if text is None:
            raise KeyboardInterrupt
        Path("a.py").write_text(text)

    monkeypatch.setattr(watching.time, "sleep", edit)
    assert run(["check", "--watch", "."]) == 130
    shown = capsys.readouterr()
    assert shown.out.count("OMN501") == 1
    assert shown.err.count("watching for changes") == 3
    assert shown.err.count("a.py changed") == 2


def test_changed_settings_start_it_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(BRANCH)
    Path("omnilint.toml").write_text("select = ['SHAPE']\n")
    begun: list[list[str]] = []

    def begin(program: str, arguments: list[str]) -> None:
        begun.append([program, *arguments])
        raise KeyboardInterrupt

    monkeypatch.setattr(watching.os, "execv", begin)
    monkeypatch.setattr(
        watching.time, "sleep", lambda seconds: Path("omnilint.toml").write_text("select = ['CONC']\n\n")
    )
    assert run(["check", "--watch", "."]) == 130
    assert begun == [[sys.executable, sys.executable, *sys.orig_argv[1:]]]


@pytest.mark.parametrize("other", ["--fix", "--diff", "--write-baseline"])
def test_it_only_looks(other: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(["check", "--watch", other, str(tmp_path)]) == 2
    assert "--watch only looks" in capsys.readouterr().err
