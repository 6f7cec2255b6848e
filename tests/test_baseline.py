"""The baseline: what is known stays quiet though lines move; what is new or gone is told."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from omnilint import baseline, cli
from omnilint.errors import ConfigError

BRANCH = "import jax\n\n\n@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return 0 * x\n"
SECOND = "\n\n@jax.jit\ndef step(y):\n    if y > 1:\n        return y\n    return -y\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")


def check(*arguments: str) -> int:
    return cli.run(["check", *arguments])


def test_adopting_and_living_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.py", BRANCH)
    assert check("--write-baseline") == 0
    assert "omnilint-baseline.json: 1 finding known from now on" in capsys.readouterr().out
    assert check("--baseline", baseline.DEFAULT_FILE) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "1 finding known to the baseline" in captured.err

    write("a.py", "# moved\n\n" + BRANCH.replace("if x > 0:", "if x > 0:  # why") + SECOND)
    assert check("-q", "--baseline", baseline.DEFAULT_FILE) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("a.py:15:")

    write("a.py", SECOND.replace("@jax", "import jax\n\n@jax"))
    assert check("--baseline", baseline.DEFAULT_FILE, "--prune-baseline") == 1
    assert "1 of it no more (taken out of it): OMN501 in a.py (relu)" in capsys.readouterr().err
    assert json.loads(Path(baseline.DEFAULT_FILE).read_text(encoding="utf-8"))["findings"] == []


def test_the_same_statement_twice_counts_twice() -> None:
    write("a.py", BRANCH.replace("    return 0 * x\n", "    if x > 0:\n        return x\n    return 0 * x\n"))
    assert check("-q", "--write-baseline") == 0
    entries = json.loads(Path(baseline.DEFAULT_FILE).read_text(encoding="utf-8"))["findings"]
    total = sum(entry["count"] for entry in entries)
    write("a.py", BRANCH.replace("    return 0 * x\n", "    if x > 0:\n        return x\n" * 2 + "    return 0 * x\n"))
    assert check("-q", "--baseline", baseline.DEFAULT_FILE) == (1 if total < 3 else 0)
    assert total == 2


def test_the_baseline_is_relative_to_its_own_folder(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("ci/x", "")
    write("pkg/a.py", BRANCH)
    assert check("--write-baseline", "--baseline", "ci/known.json", "pkg") == 0
    entries = json.loads(Path("ci/known.json").read_text(encoding="utf-8"))["findings"]
    assert [entry["path"] for entry in entries] == ["../pkg/a.py"]
    os.chdir("pkg")
    assert check("--baseline", "../ci/known.json", "a.py") == 0


def test_the_settings_name_the_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    write("pyproject.toml", '[tool.omnilint]\nbaseline = "known.json"\n')
    write("a.py", BRANCH)
    assert check() == 2
    assert "there is no baseline yet; make it with --write-baseline" in capsys.readouterr().err
    assert check("--write-baseline") == 0
    assert check() == 0
    assert Path("known.json").exists()


def test_files_that_were_not_checked_are_not_gone(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.py", BRANCH)
    write("b.py", BRANCH)
    assert check("--write-baseline") == 0
    capsys.readouterr()
    assert check("a.py", "--baseline", baseline.DEFAULT_FILE) == 0
    assert "no more" not in capsys.readouterr().err
    Path("b.py").unlink()
    assert check("a.py", "--baseline", baseline.DEFAULT_FILE) == 0
    assert "1 of it no more" in capsys.readouterr().err


def test_what_nobody_looked_for_is_not_gone(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.py", BRANCH)
    write("b.py", BRANCH)
    write("c.py", BRANCH)
    assert check("--write-baseline") == 0
    before = Path(baseline.DEFAULT_FILE).read_text(encoding="utf-8")
    write("b.py", "if\n")
    write("c.py", "import jax\n")
    known = ("--baseline", baseline.DEFAULT_FILE, "--prune-baseline")
    assert check("--select", "SHAPE", "--ignore", "OMN902", *known) == 0
    write("omnilint.toml", "per-file-ignores = {'a.py' = ['OMN501'], 'c.py' = ['CONC']}\n")
    capsys.readouterr()
    assert check(*known) == 2
    assert "no more" not in capsys.readouterr().err
    assert Path(baseline.DEFAULT_FILE).read_text(encoding="utf-8") == before
    Path("omnilint.toml").unlink()
    assert check("--format", "json", *known) == 2
    document = json.loads(capsys.readouterr().out)["summary"]
    assert (document["gone"], document["gone_entries"]) == (1, [{"path": "c.py", "code": "OMN501", "symbol": "relu"}])


def entries() -> list[tuple[str, str]]:
    known = json.loads(Path(baseline.DEFAULT_FILE).read_text(encoding="utf-8"))["findings"]
    return [(entry["path"], entry["code"]) for entry in known]


OLD = "import jax\n\n\n@jax.jit\ndef f(x):\n    return jax.tree_map(len, x) if x > 0 else x\n"


def test_writing_anew_keeps_what_this_run_did_not_look_for(capsys: pytest.CaptureFixture[str]) -> None:
    """Other files, other rules, files that can't be parsed any more; not what is mended, nor files that are gone."""
    for name in ("a.py", "b.py", "c.py", "d.py"):
        write(name, OLD)
    assert check("--write-baseline") == 0
    everything = entries()
    capsys.readouterr()
    assert check("--write-baseline", "a.py") == 0
    assert "2 findings known from now on (6 more, which this run did not look for, stay)" in capsys.readouterr().out
    assert entries() == everything
    assert check("--write-baseline", "--select", "CONC") == 0
    assert entries() == everything
    write("a.py", OLD.replace("jax.tree_map", "jax.tree.map"))
    write("b.py", "if\n")
    Path("d.py").unlink()
    assert check("--write-baseline", "a.py", "b.py") == 2
    assert entries() == [("a.py", "OMN501"), *(e for e in everything if e[0] in ("b.py", "c.py"))]


def test_a_broken_baseline_is_not_written_over(capsys: pytest.CaptureFixture[str]) -> None:
    """Marks of a merge conflict: what stands between them would be lost."""
    write("a.py", BRANCH)
    write(baseline.DEFAULT_FILE, "<<<<<<< HEAD\n")
    assert check("--write-baseline") == 2
    assert "not a baseline; remove it" in capsys.readouterr().err
    assert Path(baseline.DEFAULT_FILE).read_text() == "<<<<<<< HEAD\n"


def test_a_name_that_is_no_text_is_known_again(here: Path) -> None:
    name = os.fsdecode(b"\xff.py")
    try:
        Path(name).write_text(BRANCH)
    except OSError:
        pytest.skip("this file system takes text alone")
    for _ in range(2):
        assert check("--write-baseline") == 0
        assert check("--baseline", baseline.DEFAULT_FILE) == 0


def test_a_write_that_fails_leaves_the_old_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.py", BRANCH)
    assert check("--write-baseline") == 0
    before = Path(baseline.DEFAULT_FILE).read_text()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    write("a.py", BRANCH + SECOND)
    assert check("--write-baseline") == 2
    assert Path(baseline.DEFAULT_FILE).read_text() == before
    assert sorted(os.listdir()) == ["a.py", baseline.DEFAULT_FILE]


def test_a_problem_is_told_though_the_baseline_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.py", BRANCH)
    write("b.py", "if\n")
    assert check("--write-baseline") == 2
    assert "b.py:1:3: syntax error" in capsys.readouterr().err
    assert Path(baseline.DEFAULT_FILE).exists()


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"version": 1, "findings": [{}]}', '{"version": 1, "findings": 3}', '{"version": 1}', "\x00"],
)
def test_something_else_than_a_baseline(text: str) -> None:
    write("known.json", text)
    with pytest.raises(ConfigError, match=r"known.json: not a baseline"):
        baseline.read("known.json")


def test_another_version_and_an_unwritable_file(here: Path) -> None:
    write("known.json", '{"version": 2, "findings": []}')
    with pytest.raises(ConfigError, match="version 2; remove it"):
        baseline.read("known.json")
    with pytest.raises(ConfigError, match="can't be written"):
        baseline.Baseline(str(here)).save()
    with pytest.raises(ConfigError, match="can't be read"):
        baseline.read(str(here))


def test_one_entry_a_line_and_sorted() -> None:
    write("b.py", BRANCH)
    write("a.py", BRANCH)
    assert check("-q", "--write-baseline") == 0
    lines = Path(baseline.DEFAULT_FILE).read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line.strip().rstrip(",")) for line in lines if '"path"' in line]
    assert [entry["path"] for entry in entries] == ["a.py", "b.py"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--prune-baseline"], "needs a baseline"),
        (["--write-baseline", "--diff-base", "HEAD"], "leave --diff-base out"),
    ],
)
def test_options_that_make_no_sense_together(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(*arguments) == 2
    assert words in capsys.readouterr().err


GROUPED = "import jax\n\n\n@jax.jit\ndef f(x, n):\n    x = x.reshape(n)\n    for _ in range(n):\n        x = x * 2\n"


def test_a_new_place_of_an_old_cause_is_new(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.py", GROUPED + "    return x\n")
    assert check("--write-baseline") == 0
    assert "1 finding known" in capsys.readouterr().out
    assert check("--baseline", baseline.DEFAULT_FILE) == 0
    write("a.py", GROUPED + "    return jax.numpy.zeros(n) + x\n")
    assert check("--baseline", baseline.DEFAULT_FILE) == 1
