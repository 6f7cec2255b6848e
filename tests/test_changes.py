"""`--diff-base`: only what has to do with lines that changed, as git sees them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from omnilint import changes, cli
from omnilint.errors import Failure

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="the option asks git")

OLD = """\
import jax


def relu(x):
    if x > 0:
        return x
    return 0 * x


@jax.jit
def step(y):
    if y > 1:
        return y
    return -y
"""


def git(*arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


def commit(files: dict[str, str], message: str = "m") -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    git("add", "-A")
    git("commit", "-q", "--allow-empty", "-m", message)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    git("init", "-q")
    commit({"a.py": OLD, "sub dir/ä b.py": OLD})
    return tmp_path


def reported(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    capsys.readouterr()
    cli.run(["check", *arguments])
    return [":".join(line.split(":")[:2]) for line in capsys.readouterr().out.splitlines()]


def test_unchanged_lines_are_left_out_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["check", "--diff-base", "HEAD"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "2 findings on lines that did not change" in captured.err


def test_changed_lines_committed_or_not(capsys: pytest.CaptureFixture[str]) -> None:
    commit({"a.py": "# one more line\n" + OLD.replace("if y > 1:", "if y > 2:")})
    assert reported(capsys, "--diff-base", "HEAD~1") == ["a.py:13"]
    Path("sub dir/ä b.py").write_text(OLD.replace("if y > 1:", "if y > 3:"), encoding="utf-8")
    assert reported(capsys, "--diff-base", "HEAD") == ["sub dir/ä b.py:12"]
    assert reported(capsys, "--diff-base", "HEAD~1") == ["a.py:13", "sub dir/ä b.py:12"]


def test_a_change_that_makes_old_lines_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    commit({"a.py": OLD.replace("def relu", "@jax.jit\ndef relu")})
    assert reported(capsys, "a.py", "--diff-base", "HEAD~1") == ["a.py:6"]


def test_new_files_count_whole(capsys: pytest.CaptureFixture[str]) -> None:
    Path("new.py").write_text(OLD, encoding="utf-8")
    assert reported(capsys, "--diff-base", "HEAD") == ["new.py:12"]


def test_what_the_other_branch_changed_does_not_count(capsys: pytest.CaptureFixture[str]) -> None:
    git("checkout", "-q", "-b", "mine")
    commit({"b.py": OLD})
    git("checkout", "-q", "-")
    commit({"a.py": OLD.replace("if y > 1:", "if y > 9:")})
    trunk = subprocess.run(
        ["git", "branch", "--show-current"], capture_output=True, text=True, check=True
    ).stdout.strip()
    git("checkout", "-q", "mine")
    assert reported(capsys, "--diff-base", trunk) == ["b.py:12"]


def test_lines_by_file(here: Path) -> None:
    commit({"a.py": "\n".join(f"x{i} = {i}" for i in range(9)) + "\n", "plus.txt": "++ b/other.py\n"})
    text = Path("a.py").read_text(encoding="utf-8")
    Path("a.py").write_text(text.replace("x2 = 2\n", "").replace("x7 = 7", "x7 = 8\nnew = 1"), encoding="utf-8")
    Path("plus.txt").write_text("++ b/other.py\n++ b/a.py\n", encoding="utf-8")
    found = changes.since("HEAD").lines
    assert found == {str(here.resolve() / "a.py"): {2, 7, 8}, str(here.resolve() / "plus.txt"): {2}}


def test_deleted_files_and_configured_helpers_do_no_harm(here: Path) -> None:
    git("config", "diff.external", "false")
    git("config", "diff.noprefix", "true")
    git("config", "color.ui", "always")
    Path("a.py").unlink()
    Path("sub dir/ä b.py").write_text("x = 1\n", encoding="utf-8")
    assert changes.since("HEAD").lines == {str(here.resolve() / "sub dir/ä b.py"): {1}}


@pytest.mark.parametrize("revision", ["nowhere", "--help", "HEAD~99", ""])
def test_an_unknown_revision_is_one_line(revision: str) -> None:
    with pytest.raises(Failure, match="--diff-base: no revision"):
        changes.since(revision)


def test_outside_of_a_repository(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path_factory.mktemp("plain")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder.parent))
    with pytest.raises(Failure, match="--diff-base: not a git repository"):
        changes.since("HEAD")


def test_without_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(Failure, match="git isn't installed"):
        changes.since("HEAD")


SHAPES = """\
import jax
import jax.numpy as jnp


@jax.jit
def first(x):
    return x


def second(x):
    return jax.ops.index_update(x, 0, 1.0)


def third(x):
    return x
"""


def test_repairs_keep_to_changed_lines_round_after_round(capsys: pytest.CaptureFixture[str]) -> None:
    """The import that a repair adds moves every line: what is left is told, what didn't change stays."""
    commit({"a.py": SHAPES, "sub dir/ä b.py": ""})
    before, after = SHAPES.split("def second")
    shape, unknown = "    return x.reshape(jnp.prod(jnp.array(x.shape)))\n", "    return jax.core.unit\n"
    text = before.replace("    return x\n", shape) + "def second" + after.replace("    return x\n", unknown)
    Path("a.py").write_text(text, encoding="utf-8")
    assert reported(capsys, "--diff-base", "HEAD", "--fix") == ["a.py:17"]
    mended = text.replace("jnp.prod(jnp.array(x.shape))", "math.prod(x.shape)")
    assert Path("a.py").read_text(encoding="utf-8") == "import math\n\n" + mended


def test_a_buffer_is_compared_by_its_own_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a.py").write_text(OLD.replace("if y > 1:", "if y > 2:"), encoding="utf-8")
    buffer = "# unsaved\n" + Path("a.py").read_text(encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(buffer.encode())))
    assert reported(capsys, "--diff-base", "HEAD", "--stdin-filename", "a.py", "-") == ["a.py:13"]


def test_a_buffer_of_a_file_that_is_as_it_was_or_not_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    buffer = OLD.replace("if y > 1:", "if y > 2:")
    for name, found in (("a.py", ["a.py:12"]), ("gone/new.py", ["gone/new.py:12"]), ("sub dir/ä b.py", [])):
        text = OLD if not found else buffer
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(text.encode())))
        assert reported(capsys, "--diff-base", "HEAD", "--stdin-filename", name, "-") == found


def test_a_folder_of_another_user(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    assert cli.run(["check", "--diff-base", "HEAD"]) == 2
    told = capsys.readouterr().err
    assert "git: detected dubious ownership" in told
    assert "run `git config --global --add safe.directory" in told


def test_the_repository_is_that_of_the_checked_files(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "a.py").write_text(OLD.replace("return -y", "return 0 * y").replace("y > 1", "y > 2"), encoding="utf-8")
    monkeypatch.chdir("/")
    for path in (here, here / "a.py"):
        (line,) = reported(capsys, "-q", "--diff-base", "HEAD", str(path))
        assert line.endswith("a.py:12")
