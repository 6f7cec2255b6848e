"""Modules that do their worst cost one verdict, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from omnilint.confirm import ConfirmOptions
from omnilint.confirm.observe import Limits
from omnilint.model import Status, Verdict
from tests.confirm_support import DATA, confirm, marked, project_of

pytest.importorskip("jax", reason="confirm runs code under JAX")

SHORT = ConfirmOptions(Limits(seconds=8.0, memory=700 << 20, file_size=4 << 20), cache=None)

T = TypeVar("T")


def together(name: str) -> tuple[Verdict, Verdict]:
    """The verdict on a hostile module, and on a good one that comes after it in the same run."""
    files = [DATA / "hostile" / f"{name}.py", DATA / "hazards" / "branch.py"]
    project = project_of(files)
    report = confirm(files, [marked(project, f.name, "OMN501") for f in files], project, SHORT)
    assert report.problems == []
    first, second = (f.verdicts[0] for f in report.findings)
    return first, second


@pytest.mark.parametrize(
    ("name", "status", "words"),
    [
        pytest.param("sleeps", Status.INCONCLUSIVE, "took longer than 8 s", id="sleeps"),
        pytest.param("sleeps_on_import", Status.INCONCLUSIVE, "importing sleeps_on_import took", id="sleeps on import"),
        pytest.param("exits", Status.CRASHED, "ended with exit code 3", id="os._exit"),
        pytest.param("aborts", Status.CRASHED, "died of SIGABRT", id="aborts"),
        pytest.param("sys_exits", Status.UNREACHED, "SystemExit", id="sys.exit"),
        pytest.param("raises_base_exception", Status.UNREACHED, "Stop", id="a BaseException"),
        pytest.param("eats_memory", Status.CRASHED, "used more than 700 MiB of memory", id="eats memory"),
        pytest.param("fills_the_disk", Status.UNREACHED, "File too large", id="fills the disk"),
        pytest.param("closes_everything", Status.INCONCLUSIVE, "took longer", id="closes all descriptors and hangs"),
        pytest.param("kills_its_parent", Status.CRASHED, "worker process", id="kills the worker"),
    ],
)
def test_it_costs_one_verdict(name: str, status: Status, words: str) -> None:
    bad, good = together(name)
    assert bad.status is status, bad
    assert words in (bad.reason or "")
    assert (good.status, good.exception) == (Status.CONFIRMED, "TracerBoolConversionError")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("prints_megabytes", id="prints megabytes"),
        pytest.param("closes_stdin", id="closes stdin and stdout"),
        pytest.param("replaces_excepthook", id="replaces sys.excepthook"),
        pytest.param("atexit_hangs", id="an exit handler that hangs"),
        pytest.param("writes_files", id="writes a file where it stands"),
    ],
)
def test_it_costs_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bad, good = together(name)
    assert (bad.status, bad.exception) == (Status.CONFIRMED, "TracerBoolConversionError")
    assert good.status is Status.CONFIRMED
    assert list(tmp_path.iterdir()) == []


def test_a_debugger_that_keeps_frames_makes_no_leak() -> None:
    file = DATA / "hostile" / "keeps_frames.py"
    project = project_of([file])
    (found,) = confirm([file], [marked(project, file.name, "OMN204")], project, SHORT).findings[0].verdicts
    assert found.reached
    assert found.status in (Status.REFUTED, Status.INCONCLUSIVE), found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="orphans are adopted by a call that Linux alone has")
def test_forked_children_do_not_outlive_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pids = tmp_path / "pids"
    monkeypatch.setenv("OMNILINT_TEST_PIDS", str(pids))
    bad, _ = together("forks")
    assert bad.status is Status.CONFIRMED
    started = [int(line) for line in pids.read_text().split()]
    assert len(started) >= 3
    assert not [pid for pid in started if _alive(pid)]


def _alive(pid: int) -> bool:
    """Whether a process still runs after a while; one that only waits for being reaped does not."""
    for _ in range(100):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return False
        except OSError:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda s: s.name)
def test_an_interrupted_run_leaves_no_process_and_no_folder(sent: signal.Signals, tmp_path: Path) -> None:
    code = (
        "import signal, sys\n"
        "from tests.confirm_support import *\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background job ignores it
        "file = DATA / 'hostile' / 'sleeps.py'\n"
        "project = project_of([file])\n"
        "options = ConfirmOptions(Limits(seconds=300), cache=None)\n"
        "confirm([file], [marked(project, file.name, 'OMN501')], project, options)\n"
    )
    root = Path(__file__).parent.parent
    environ = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(root)}
    process = subprocess.Popen([sys.executable, "-c", code], env=environ, cwd=root, stderr=subprocess.DEVNULL)
    try:
        folder = _wait_for(lambda: next(tmp_path.glob("omnilint-run-*/run-*"), None))
        assert folder is not None
        # The worker, and the run that sleeps: the folder is there a moment before the run.
        children = _wait_for(lambda: found if len(found := _below(process.pid)) >= 2 else None)
        assert children is not None
        process.send_signal(sent)
        process.wait(timeout=20)
        assert not [pid for pid in children if _alive(pid)]
        assert list(tmp_path.glob("omnilint-run-*")) == []
    finally:
        process.kill()
        process.wait()


def _wait_for(look: Callable[[], T | None]) -> T | None:
    for _ in range(1200):
        found = look()
        if found is not None:
            return found
        time.sleep(0.05)
    return None


def _below(pid: int) -> list[int]:
    """The descendants of a process."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
    found = [child for child, parent in parents.items() if parent == pid]
    return found + [further for child in found for further in _below(child)]
