"""Every command in docs/ does what the page says: the fenced files are written, the fenced commands run in order.

A fence ` ```python file=NAME ` (or toml, …) writes a file; ` ```sh exit=1 shows=TEXT ` runs a command, in which
`omnilint` is this one, and compares the exit code and what was written.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from omnilint.cli import run

DOCS = Path(__file__).parent.parent / "docs"
_FENCE = re.compile(r"^```(\w+) ?([^\n]*)\n(.*?)^```$", re.M | re.S)
PAGES = [p for p in sorted(DOCS.glob("*.md")) if any("exit=" in told for _, told, _ in _FENCE.findall(p.read_text()))]


def test_pages_with_commands_are_found() -> None:
    assert {"adoption", "ci", "json", "tables", "upgrading"} <= {p.stem for p in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_commands_do_what_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = 0
    for language, told, text in _FENCE.findall(page.read_text(encoding="utf-8")):
        options = dict(word.partition("=")[::2] for word in told.split())
        if "file" in options:
            file = tmp_path / options["file"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        elif "exit" in options:
            assert language == "sh"
            (line,) = text.strip().splitlines()
            program, *arguments = shlex.split(line)
            if program == "flake8":
                pytest.importorskip("flake8", reason="a page runs it")
                done = subprocess.run([sys.executable, "-m", *shlex.split(line)], capture_output=True, text=True)
                code, shown = done.returncode, done.stdout + done.stderr
            else:
                assert program == "omnilint"
                code = run(arguments)
                shown = "".join(capsys.readouterr())
            assert code == int(options["exit"]), f"{line}\n{shown}"
            assert options.get("shows", "").strip('"') in shown, line
            ran += 1
    assert ran


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda p: p.stem)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda p: p.stem)
def test_options_in_prose_exist(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known: set[str] = {"--omnilint"}
    for command in ("check", "staging", "config", "clean", "record", "rule", "api"):
        assert run([command, "--help"]) == 0
        known |= set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    ours = [code for code in re.findall(r"`([^`\n]+)`", prose) if code.startswith(("omnilint ", "--"))]
    shown = {option for code in ours for option in re.findall(r"(?<!\S)--[a-z-]+", code)}
    assert shown <= known
