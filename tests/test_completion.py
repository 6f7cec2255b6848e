"""What a shell completes: asked as shells ask, and typed into real ones."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("words", "count", "expected"),
    [
        ("omnilint che", 1, ["check"]),
        ("omnilint check --format sa", 3, ["sarif"]),
        ("omnilint check --diff-", 2, ["--diff-base"]),
        ("omnilint rule OMN10", 2, ["OMN101", "OMN102", "OMN103", "OMN104"]),
        ("omnilint rule traced-br", 2, ["traced-branch"]),
        ("omnilint check --select SHAPE,CON", 3, ["SHAPE,container-mutation", "SHAPE,CONC"]),
    ],
)
def test_what_can_follow(words: str, count: int, expected: list[str]) -> None:
    variables = {"COMP_WORDS": words, "COMP_CWORD": str(count), "_OMNILINT_COMPLETE": "bash_complete"}
    environment = {**os.environ, **variables, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-m", "omnilint"], capture_output=True, text=True, env=environment)
    assert done.stdout.splitlines() == [f"plain,{word}" for word in expected]


TYPED = ("omnilint che", "omnilint check --format sa", "omnilint check src/mo")
COMPLETED = ("omnilint check", "--format sarif", "src/model.py")
# How each shell is set up (as the README says), and what stands before a line of it so that it is shown and not run.
INTERACTIVE = {
    "bash": (["bash", "--norc", "-i"], 'eval "$(_OMNILINT_COMPLETE=bash_source omnilint)"'),
    "zsh": (
        ["zsh", "-f", "-i"],
        'autoload -U compinit; compinit -u -D; eval "$(_OMNILINT_COMPLETE=zsh_source omnilint)"',
    ),
}


def program(folder: Path) -> dict[str, str]:
    """An `omnilint` on the PATH, in a folder with something to complete."""
    (folder / "src").mkdir()
    (folder / "src/model.py").write_text("")
    (folder / "bin").mkdir()
    file = folder / "bin/omnilint"
    file.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m omnilint "$@"\n')
    file.chmod(0o755)
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "HOME": str(folder), "TERM": "dumb", "PS1": ": "}


class Terminal:
    """A shell that believes that a person types."""

    def __init__(self, command: list[str], folder: Path) -> None:
        import pty

        self.end, other = pty.openpty()
        self.process = subprocess.Popen(
            command, cwd=folder, env=program(folder), stdin=other, stdout=other, stderr=other, start_new_session=True
        )
        os.close(other)

    def type(self, text: str, until: str) -> str:
        """What is shown from this text on, up to a word that has to come; fails when it doesn't."""
        import select

        os.write(self.end, text.encode())
        shown = ""
        while until not in shown:
            assert select.select([self.end], [], [], 60)[0], f"{until!r} didn't come: {shown!r}"
            shown += os.read(self.end, 4096).decode(errors="replace")
        return shown


@pytest.mark.skipif(sys.platform == "win32", reason="there are no terminals of this kind")
@pytest.mark.parametrize("shell", INTERACTIVE)
def test_real_shells_complete_what_is_typed(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} isn't installed")
    command, setup = INTERACTIVE[shell]
    terminal = Terminal(command, tmp_path)
    try:
        terminal.type(f'{setup}; echo RE""ADY\n', until="READY")
        for typed, completed in zip(TYPED, COMPLETED, strict=True):
            terminal.type(f"{typed}\t", until=completed)
            terminal.type("\x15echo NE''XT\n", until="NEXT")  # Ctrl-U takes the line away
    finally:
        terminal.process.kill()
        terminal.process.wait()
        os.close(terminal.end)


def test_fish_completes_what_is_typed(tmp_path: Path) -> None:
    if shutil.which("fish") is None:
        pytest.skip("fish isn't installed")
    lines = ["_OMNILINT_COMPLETE=fish_source omnilint | source", *(f"complete -C '{typed}'" for typed in TYPED)]
    done = subprocess.run(
        ["fish", "-c", "\n".join(lines)], cwd=tmp_path, capture_output=True, text=True, env=program(tmp_path)
    )
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["check", "sarif", "src/model.py"], done.stderr
