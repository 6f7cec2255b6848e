"""Every other command that README and docs/ name runs: in prose, in workflows, and in fences that show no output."""

from __future__ import annotations

import io
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from omnilint.cli import run

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MODEL = (
    "import jax\n\n\n@jax.jit\ndef relu(x):\n    return jax.numpy.maximum(x, 0)\n\n\ndef use():\n    return relu(1.0)\n"
)
# What stands for a word that the reader replaces.
INSTEAD = {
    "PATH…": "src",
    "[PATH]": "src",
    "[CODE]": "OMN101",
    "NAME": "jax.tree_map",
    "FILE::FUNCTION": "src/model.py::relu",
    "COMMAND": f"{sys.executable} src/model.py",
    "pytest -q": f"{sys.executable} -m pytest -q -p no:cacheprovider tests",
    '"$GITHUB_STEP_SUMMARY"': "summary.md",
}
# They end when the reader ends them, or have tests of their own (test_watch.py, test_seed.py, test_staging.py).
ELSEWHERE = ("--watch", "fixtures/")
_FENCE = re.compile(r"^```(\w+) ?([^\n]*)\n(.*?)^```$", re.M | re.S)


def commands(page: Path) -> Iterator[str]:
    text = page.read_text(encoding="utf-8")
    for language, told, body in _FENCE.findall(text):
        if language == "yaml":
            yield from re.findall(r"run: (omnilint .*)", body)
        elif language == "sh" and "exit=" not in told:
            yield from re.findall(r"^omnilint .*", body, re.M)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    yield from (code.replace("\n", " ") for code in re.findall(r"`(omnilint [a-z][^`]*)`", prose))


ALL = sorted({(page.stem, command) for page in PAGES for command in commands(page)})


def test_commands_are_found() -> None:
    assert len(ALL) >= 25
    assert ("ci", "omnilint check --diff-base origin/main src") in ALL


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with what the pages speak of."""
    if shutil.which("git") is None:
        pytest.skip("some commands ask git")
    monkeypatch.chdir(tmp_path)
    for name in ("src/model.py", "lib/old.py", "file.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(MODEL)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_model.py").write_text("def test_nothing():\n    assert True\n")
    person = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "m"], ["branch", "origin/main"]):
        subprocess.run(["git", *person, *words], check=True, capture_output=True)
    return tmp_path


@pytest.mark.parametrize(("page", "command"), ALL)
def test_a_command_that_a_page_names_runs(
    page: str, command: str, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if any(word in command for word in ELSEWHERE):
        pytest.skip("tested elsewhere, or without an end")
    if any(word in command for word in ("--confirm", "staging", "record", "--run")):
        pytest.importorskip("jax", reason="runs code")
    for word, instead in INSTEAD.items():
        command = command.replace(word, instead)
    words = command.partition(" < ")[0]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((project / "file.py").read_bytes())))
    code = run(shlex.split(words)[1:])
    shown = capsys.readouterr()
    assert code in (0, 1), shown.out + shown.err
