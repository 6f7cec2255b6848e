"""What runs showed is kept: a second run asks nothing, a change asks again."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from omnilint.confirm import ConfirmOptions, confirm_findings
from omnilint.confirm.cache import Cache, default_folder, digest, stamp
from omnilint.confirm.host import Worker
from omnilint.model import Report, Verdict
from tests.confirm_support import DATA, QUICK, marked, project_of


def ask(folder: Path, file: Path, code: str = "OMN501") -> Verdict:
    project = project_of([file])
    report = Report(findings=[marked(project, file.name, code)])
    confirm_findings(report, project, [sys.executable], options=replace(QUICK, cache=folder))
    assert report.problems == []
    (found,) = report.findings[0].verdicts
    return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return Path(shutil.copy(DATA / "hazards" / "branch.py", tmp_path / "branch.py"))


def test_a_second_run_starts_no_worker_and_says_the_same(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("jax", reason="confirm runs code under JAX")
    if stamp(sys.executable) is None:
        pytest.skip("the packages of this interpreter can't be told from its folder")
    first = ask(tmp_path / "cache", file)

    def refuse(worker: Worker) -> None:
        raise AssertionError("a worker was started")

    monkeypatch.setattr(Worker, "start", refuse)
    assert ask(tmp_path / "cache", file) == first
    assert first.status == "confirmed"


def test_a_change_of_the_code_asks_again(file: Path, tmp_path: Path) -> None:
    pytest.importorskip("jax", reason="confirm runs code under JAX")
    assert ask(tmp_path / "cache", file).status == "confirmed"
    file.write_text(file.read_text().replace("@jax.jit\n", ""))
    assert ask(tmp_path / "cache", file).status == "inconclusive"


def test_what_died_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jax", reason="confirm runs code under JAX")
    kept: list[str] = []
    monkeypatch.setattr(Cache, "put", lambda self, key, value: kept.append("died" if "died" in value else "other"))
    assert ask(tmp_path / "cache", DATA / "hostile" / "exits.py").status == "crashed"
    assert "died" not in kept


def test_a_folder_that_cannot_be_written_is_no_trouble(file: Path, tmp_path: Path) -> None:
    pytest.importorskip("jax", reason="confirm runs code under JAX")
    (tmp_path / "taken").write_text("a file stands where the folder should be")
    assert ask(tmp_path / "taken", file).status == "confirmed"


def test_what_is_broken_is_not_there(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    key = digest("a")
    assert cache.get(key) is None
    cache.put(key, {"x": 1})
    assert cache.get(key) == {"x": 1}
    next(tmp_path.glob("confirm/*/*.json")).write_text('{"x":')
    assert cache.get(key) is None


def test_old_entries_are_removed(tmp_path: Path) -> None:
    import os

    cache = Cache(tmp_path)
    cache.put("aa11", {"x": 1})
    cache.put("bb22", {"x": 2})
    old = tmp_path / "confirm" / "aa" / "aa11.json"
    os.utime(old, (1, 1))
    cache.prune()
    assert cache.get("aa11") is None
    assert cache.get("bb22") == {"x": 2}


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("OMNILINT_NO_CACHE", raising=False)
    monkeypatch.delenv("OMNILINT_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "omnilint"
    monkeypatch.setenv("OMNILINT_CACHE_DIR", str(tmp_path / "own"))
    assert default_folder() == tmp_path / "own"
    monkeypatch.setenv("OMNILINT_NO_CACHE", "1")
    assert default_folder() is None
    assert ConfirmOptions().cache is None
