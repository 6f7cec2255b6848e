"""`omnilint record` and `--run`: what a run of the user's own shows is noted, kept, and used for proofs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from omnilint.confirm import recording, run_command
from omnilint.confirm.observe import Limits
from omnilint.confirm.recording import Recording
from omnilint.errors import ConfigError

pytest.importorskip("jax", reason="the recorded runs run under JAX")

ROOT = Path(__file__).parent.parent
HAZARD = """\
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Range(NamedTuple):
    low: float
    high: float


@jax.jit
def clip(x, limits):
    if x.sum() > 3.0:
        return x * limits.low
    return x


class Scaled:
    def __init__(self, table):
        self.table = table

    def pick(self, params, count, *, name="a"):
        @jax.jit
        def inner(y):
            return float(y) * count

        return inner(params[name].sum())
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lib.py").write_text(HAZARD)
    return tmp_path


def omnilint(*arguments: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-m", "omnilint", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environ, check=False)


def record(here: Path, *command: str) -> tuple[subprocess.CompletedProcess[str], list[dict[str, Any]]]:
    """The finished run and what it left in the project's file."""
    done = omnilint("record", "--", *command)
    file = here / ".omnilint_cache" / "recorded.json"
    return done, json.loads(file.read_text())["entries"] if file.exists() else []


def of(entries: list[dict[str, Any]], kind: str, function: str) -> list[dict[str, Any]]:
    return [e for e in entries if e["kind"] == kind and e.get("function") == function]


SCRIPT = """\
import sys
import threading
from lib import *

if __name__ == "__main__":
    print("arguments", sys.argv[1:])
    thread = threading.Thread(target=clip, args=(jnp.ones((2, 5)), Range(0.5, 2.0)))
    thread.start()  # its exception ends the thread alone
    thread.join()
    Scaled(None).pick({"a": jnp.ones(3), "b": jnp.ones((1, 1))}, 4, name="b")
"""


def test_a_script_is_run_as_it_would_be_and_its_calls_are_kept(here: Path) -> None:
    (here / "main.py").write_text(SCRIPT)
    done, entries = record(here, sys.executable, "main.py", "one", "two")
    assert done.stdout == "arguments ['one', 'two']\n"
    assert done.returncode == 1, "the exit code is the command's"
    assert "TracerBoolConversionError" in done.stderr
    assert "ConcretizationTypeError" in done.stderr
    (call,) = of(entries, "call", "clip")
    assert call["traced"] == ["x", "limits"]
    assert call["arguments"]["x"] == {"kind": "array", "dtype": "float32", "shape": [2, 5]}
    (call,) = of(entries, "call", "Scaled.pick")
    assert call["arguments"]["count"] == {"kind": "literal", "source": "4"}
    assert call["arguments"]["name"] == {"kind": "literal", "source": "'b'"}
    assert sorted(call["arguments"]["params"]["items"]) == ["a", "b"]
    assert call["traced"] == []
    assert [e["error"]["type"] for e in of(entries, "error", "clip")] == ["TracerBoolConversionError"]
    assert (here / ".omnilint_cache" / ".gitignore").read_text() == "*\n"
    assert list(here.rglob("*.pyc")) == [], "nothing compiled with notes in it is kept"


def test_tests_are_recorded_under_pytest_in_library_and_test_files(here: Path) -> None:
    (here / "test_lib.py").write_text(
        "import jax\nimport jax.numpy as jnp\nfrom lib import *\n\n\n"
        "def test_clip():\n    clip(jnp.ones(7), Range(0.5, 2.0))\n\n\n"
        "@jax.jit\ndef own(x):\n    if x > 0:\n        return x\n    return -x\n\n\n"
        "def test_own():\n    assert own(1.0) == 2.0\n"
    )
    done, entries = record(here, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert "2 failed" in done.stdout, done.stdout + done.stderr
    assert "record: 2 calls of 2 functions, 2 exceptions in" in done.stderr
    assert of(entries, "call", "clip")[0]["arguments"]["x"]["shape"] == [7]
    assert of(entries, "call", "own")[0]["file"] == "test_lib.py"


def test_what_is_recorded_is_what_confirm_calls_with(here: Path) -> None:
    (here / "main.py").write_text(SCRIPT)
    record(here, sys.executable, "main.py")
    done = omnilint("check", "--confirm", "--python", sys.executable, "--format", "json", "lib.py")
    verdicts = {f["symbol"]: f["verdicts"][0] for f in json.loads(done.stdout)["findings"]}
    clip, inner = verdicts["clip"], verdicts["Scaled.pick.inner"]
    assert (clip["status"], clip["source"]) == ("confirmed", "record")
    assert clip["inputs"].startswith("clip(x=f32[2,5], limits=Range(")
    assert (inner["status"], inner["exception"]) == ("confirmed", "ConcretizationTypeError")


def test_what_cannot_be_made_again_is_proven_by_the_run_itself(here: Path) -> None:
    (here / "lib.py").write_text(
        "import jax\n\n\nclass Odd:\n    def __init__(self, stream):\n        self.stream = stream\n\n\n"
        "@jax.jit\ndef inner(y):\n    return float(y)\n\n\n"
        "def run(odd):\n    return inner(odd.stream.fileno() * 1.0)\n"
    )
    (here / "main.py").write_text("from lib import *\nwith open(__file__) as f:\n    run(Odd(f))\n")
    arguments = ("check", "--confirm", "--python", sys.executable, "--format", "json", "lib.py")
    done = omnilint(*arguments, "--run", "python main.py")
    (finding,) = json.loads(done.stdout)["findings"]
    (verdict,) = finding["verdicts"]
    assert (verdict["status"], verdict["source"], verdict["exception"]) == (
        "confirmed",
        "run",
        "ConcretizationTypeError",
    )
    assert verdict["inputs"] == "python main.py"
    assert verdict["line"] == 11
    assert "confirm runs `python main.py`" in done.stderr
    assert not (here / ".omnilint_cache").exists(), "--run keeps nothing"


def test_a_line_that_the_run_passed_with_a_tracer_is_refuted_by_it(here: Path) -> None:
    (here / "lib.py").write_text(
        "import jax\n\n\ndef relu(odd, x):\n    if odd.hook(x):\n        return x\n    return -x\n"
    )
    (here / "main.py").write_text(
        "import jax\nfrom lib import *\n\n\nclass Odd:\n    def hook(self, x):\n        return True\n\n\n"
        "jax.jit(lambda x: relu(Odd(), x))(1.0)\n"
    )
    planned = _plan(here / "lib.py", 5, "relu")
    from omnilint.confirm.run_command import recorded

    code, text = recorded([sys.executable, "main.py"], planned)
    assert code == 0
    seen, command = recording.read_out(text, planned, "main").seen(str((here / "lib.py").resolve()), 5)
    assert (seen.runs, seen.traced, seen.tracer, command) == (1, 1, True, "main")


def test_a_run_that_takes_too_long_is_ended_and_what_it_showed_counts(here: Path) -> None:
    (here / "main.py").write_text(
        "import sys, time\nimport lib\ntry:\n    lib.clip(1.0, lib.Range(0.0, 1.0))\nexcept Exception:\n    pass\n"
        "print('asleep', flush=True)\ntime.sleep(600)\n"
    )
    arguments = ("check", "--confirm", "--python", sys.executable, "--format", "json", "--select", "OMN501", "lib.py")
    done = omnilint(*arguments, "--run", "python main.py", "--run-timeout", "40")
    assert "confirm runs `python main.py` where you are: at most 40 s and 8 GiB" in done.stderr
    assert "`python main.py` took longer than 40 s and was ended; what it showed until then counts" in done.stderr
    (finding,) = json.loads(done.stdout)["findings"]
    (verdict,) = finding["verdicts"]
    assert (verdict["status"], verdict["source"], verdict["exception"]) == (
        "confirmed",
        "run",
        "TracerBoolConversionError",
    )
    assert verdict["legacy"] is False, "the call that was noted fails alone too, also folded"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="memory is looked up in /proc")
def test_a_run_that_eats_memory_is_ended(here: Path) -> None:
    code = "import time; a = bytearray(300 << 20)\nwhile True: time.sleep(0.1)"
    with open(here / "printed", "wb+") as printed:
        done = run_command.recorded_within(
            Limits(60.0, 200 << 20), [sys.executable, "-c", code], {"files": [], "home": []}, printed
        )
    assert done.broken == "used more than 200 MiB of memory"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
def test_a_run_leaves_nothing_behind(here: Path) -> None:
    code = "import os, subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])"
    with open(here / "printed", "wb+") as printed:
        command = [sys.executable, "-c", f"{code}; print(os.getpid(), flush=True)"]
        done = run_command.recorded_within(Limits(60.0), command, {"files": [], "home": []}, printed)
        printed.seek(0)
        session = int(printed.read())
    assert (done.code, done.broken) == (0, None)
    for _ in range(100):  # killed it is at once, gone a moment later
        if not run_command._used(session):
            break
        time.sleep(0.05)
    assert run_command._used(session) == 0


def _plan(file: Path, line: int, symbol: str) -> dict[str, Any]:
    from omnilint.model import Finding, Place
    from tests.confirm_support import project_of

    finding = Finding("OMN501", "", Place(file.name, line, 5, line, 20), symbol=symbol)
    return recording.plan(project_of([file]), [finding])


@pytest.mark.parametrize(
    ("source", "traceback_line"),
    [
        pytest.param('"""Doc."""\nfrom __future__ import annotations\nx = 1\nassert x == 2\n', 4, id="a docstring"),
        pytest.param("import math\n\n\ndef f():\n    '''Doc.'''\n    return 1 / 0\n\n\nf()\n", 6, id="a function"),
        pytest.param("class A:\n    def f(self):\n        global y\n        y = 1 / 0\n\n\nA().f()\n", 4, id="global"),
        pytest.param("def g():\n    yield 1\n    yield 1 / 0\n\n\nlist(g())\n", 3, id="a generator"),
    ],
)
def test_tracebacks_show_the_lines_as_they_are_written(here: Path, source: str, traceback_line: int) -> None:
    from omnilint.confirm.run_command import recorded_within

    (here / "case.py").write_text(source)
    (here / "main.py").write_text("import case\n")
    functions = [
        {"number": i, "name": f"f{i}", "line": n, "parameters": []}
        for i, n in enumerate(range(1, 10), 10)
        if source.splitlines()[n - 1 : n] and "def " in source.splitlines()[n - 1]
    ]
    planned = {
        "files": [
            {"file": str(here / "case.py"), "digest": "", "module": 0, "functions": functions}
            | {"places": [{"number": 1, "first": traceback_line, "names": []}]}
        ],
        "home": [str(here)],
    }
    with open(here / "printed", "wb+") as printed:
        code, text, _ = recorded_within(Limits(), [sys.executable, "main.py"], planned, printed)
        printed.seek(0)
        shown = printed.read().decode()
    assert code == 1
    assert f'case.py", line {traceback_line}, in' in shown
    assert "omnilint" not in shown, "no frame of ours is in the user's traceback"
    noted = recording.read_out(text, planned, "main")
    (failed,) = {e["error"]["frames"][-1][1] for e in noted.entries if e["kind"] == "error"}
    assert failed == traceback_line
    assert any(e["kind"] == "place" and e["runs"] == 1 for e in noted.entries)


def test_the_environments_own_sitecustomize_still_runs(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from omnilint.confirm.run_command import recorded_within

    (here / "site").mkdir()
    (here / "site" / "sitecustomize.py").write_text("import sys\nsys.customized = True\n")
    monkeypatch.setenv("PYTHONPATH", str(here / "site"))
    with open(here / "printed", "wb+") as printed:
        command = [sys.executable, "-c", "import sys; print(sys.customized)"]
        code, _, _ = recorded_within(Limits(), command, {"files": [], "home": []}, printed)
        printed.seek(0)
        assert (code, printed.read()) == (0, b"True\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["record", "--", "no-such-program"], "no-such-program: can't be started (No such file or directory)"),
        (["record"], "Missing argument"),
        (["check", "--confirm", "--run", "no-such-program"], "no-such-program: can't be started"),
        (["check", "--confirm", "--run", "'"], "No closing quotation; write it as for a shell"),
        (["check", "--run", "pytest"], "--run says how to confirm; give --confirm too"),
    ],
)
def test_a_mistake_is_one_line(here: Path, arguments: list[str], words: str) -> None:
    done = omnilint(*arguments)
    assert done.returncode == 2
    assert [words in line for line in done.stderr.splitlines() if line.startswith("error: ")] == [True]
    assert "Traceback" not in done.stderr


def test_nothing_flagged_or_nothing_called_is_said(here: Path) -> None:
    done, entries = record(here, sys.executable, "-c", "print(1)")
    assert (done.returncode, done.stdout, entries) == (0, "1\n", [])
    assert "none of the flagged functions was called" in done.stderr
    (here / "lib.py").write_text("x = 1\n")
    done, _ = record(here, sys.executable, "-c", "print(1)")
    assert "there is nothing to record" in done.stderr


def entry(kind: str = "call", digest: str = "1", **more: Any) -> dict[str, Any]:
    return {"kind": kind, "file": "/p/a.py", "digest": digest, "command": "c", "python": "3", "jax": "0"} | more


def test_a_changed_file_keeps_its_calls_and_loses_its_exceptions() -> None:
    kept = Recording(
        [
            entry(function="f", arguments={}, traced=[]),
            entry("error", function="f", error={"type": "TypeError"}),
            entry("place", line=3, runs=1, traced=1, tracer=True),
        ],
        {"/p/a.py": "2"},
    )
    assert len(kept.calls("/p/a.py", "f")) == 1
    assert kept.errors("/p/a.py") == []
    assert kept.seen("/p/a.py", 3)[0].runs == 0


def test_two_recordings_are_merged_the_latest_calls_kept() -> None:
    def call(n: int) -> dict[str, Any]:
        return entry(function="f", arguments={"n": {"kind": "literal", "source": str(n)}}, traced=[])

    both = recording.merged(Recording([call(n) for n in range(7)]), Recording([call(n) for n in range(5, 10)]))
    numbers = [c["arguments"]["n"]["source"] for c in both.calls("/p/a.py", "f")]
    assert numbers[:3] == ["9", "8", "7"]
    assert len(numbers) == 8


def test_a_recording_is_found_again_where_the_project_is_moved(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    file = recording.default_file(str(tmp_path / "one"))
    recording.save(
        Recording([{**entry(function="f", arguments={}, traced=[]), "file": str(tmp_path / "one/a.py")}]), file
    )
    (tmp_path / "one").rename(tmp_path / "two")
    found = recording.nearest(str(tmp_path / "two"))
    assert found is not None
    assert recording.load(found, {}).calls(str((tmp_path / "two/a.py").resolve()), "f")


def test_a_broken_recording_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "recorded.json"
    file.write_text("{")
    with pytest.raises(ConfigError, match="is no recording of omnilint's; remove it"):
        recording.load(file, {})
