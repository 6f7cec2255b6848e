"""The cache: an answer from it is the answer that a run without it gives, whatever changed in between."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from omnilint import pipeline
from omnilint.cache import keys, records
from omnilint.cache.memory import Memory
from omnilint.cache.store import DAYS, Store, clean, default_folder
from omnilint.cli import run
from omnilint.config import Settings, override
from omnilint.model import Applicability, Edit, Finding, Fix, Place, Related, Report, Severity

HELPERS = {
    "plain": "def helper_{n}(x, k=1):\n    return x * k\n",
    "branches": "def helper_{n}(x, k=1):\n    if x > 0:\n        return x\n    return -x\n",
    "shape": "def helper_{n}(x, k=1):\n    return x.reshape(jnp.prod(jnp.array(x.shape)))\n",
    "passes on": "from pkg.m{next} import helper_{next}\ndef helper_{n}(x, k=1):\n    return helper_{next}(x, k)\n",
    "writes": "seen = []\ndef helper_{n}(x, k=1):\n    seen.append(x)\n    return x\n",
    "sizes": "def helper_{n}(x, k=1):\n    return jnp.zeros(k) + x\n",
    "broken": "def helper_{n}(x, k=1:\n    return x\n",
    "old name": "def helper_{n}(x, k=1):\n    return jax.tree_map(abs, x)\n",
}
USERS = {
    "jits": "step_{n} = jax.jit(helper_{n})\n",
    "jits with statics": "step_{n} = jax.jit(helper_{n}, static_argnames=('k',))\n",
    "calls": "def step_{n}(x):\n    return helper_{n}(x, 3)\n",
    "calls a jitted one": "from pkg.m{next} import step_{next}\ndef step_{n}(x):\n    return step_{next}(x)\n",
    "registers": "import pkg.m{next} as other\nother.registry = helper_{n}\nstep_{n} = jax.jit(lambda x: x)\n",
}
TESTS = (
    "import numpy as np\nfrom pkg.m{n} import step_{n}, helper_{n}\n\ndef test_{n}():\n    x = jnp.arange(4.0)\n"
    "    np.testing.assert_allclose(step_{n}(x), helper_{n}(x), rtol={rtol})\n"
)
SIZE = 12


def module(rng: random.Random, n: int) -> str:
    names = {"n": n, "next": (n + rng.randrange(1, SIZE)) % SIZE}
    parts = [HELPERS[rng.choice([*HELPERS, "branches", "plain"])], USERS[rng.choice([*USERS])]]
    if rng.random() < 0.3:
        parts[0] = parts[0].replace("return", "y = 1  # noqa: OMN501\n    return", 1)
    return "import jax\nimport jax.numpy as jnp\n" + "".join(p.format(**names) for p in parts)


def checks(rng: random.Random, n: int) -> str:
    return "import jax\nimport jax.numpy as jnp\n" + TESTS.format(n=n, rtol=rng.choice(["1e-9", "1e-5"]))


def build(folder: Path, rng: random.Random) -> None:
    (folder / "pkg").mkdir()
    (folder / "tests").mkdir()
    (folder / "pkg" / "__init__.py").write_text("")
    for n in range(SIZE):
        (folder / "pkg" / f"m{n}.py").write_text(module(rng, n))
        (folder / "tests" / f"test_{n}.py").write_text(checks(rng, n))
    (folder / "run.sh").write_text("export JAX_OMNISTAGING=0\n")


def edit(folder: Path, rng: random.Random) -> str:
    """One change such as people make."""
    n = rng.randrange(SIZE)
    file, what = folder / "pkg" / f"m{n}.py", rng.randrange(8)
    if what < 4:
        file.write_text(module(rng, n))
    elif what == 4:
        (folder / "tests" / f"test_{n}.py").write_text(checks(rng, n))
    elif what == 5 and file.exists():
        file.write_text("# moved\n\n" + file.read_text())
    elif what == 6:
        file.unlink(missing_ok=True)
    else:
        conftest = folder / "tests" / "conftest.py"
        conftest.write_text(rng.choice(["import jax\njax.config.update('jax_enable_x64', True)\n", "import jax\n"]))
    return f"{what} on {n}"


def told(report: Report) -> dict[str, Any]:
    return {
        "findings": [(f, dict(f.data)) for f in report.findings],
        "suppressed": report.suppressed,
        "problems": report.problems,
        "counts": (report.summary.functions, report.summary.traced, report.summary.cut_short, report.summary.lines),
        "target": (report.target_jax, report.target_origin),
    }


@pytest.mark.parametrize("seed", range(4))
def test_a_warm_run_says_what_a_cold_run_says(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = random.Random(seed)
    project = tmp_path / "project"
    project.mkdir()
    build(project, rng)
    store = Store(tmp_path / "cache")
    pipeline.check(["project"], Settings(), cache=store)
    for _ in range(8):
        what = edit(project, rng)
        warm, cold = pipeline.check(["project"], Settings(), cache=store), pipeline.check(["project"], Settings())
        assert told(warm) == told(cold), what


def test_findings_in_other_files_come_and_go(tmp_path: Path) -> None:
    store = Store(tmp_path / "cache")
    (tmp_path / "lib.py").write_text("def f(x):\n    if x > 0:\n        return x\n    return -x\n")
    user = tmp_path / "user.py"
    user.write_text("import jax\nimport lib\ng = lib.f\n")

    def found() -> list[tuple[str, int]]:
        report = pipeline.check([str(tmp_path)], Settings(), cache=store)
        return [(os.path.basename(f.place.path), f.place.line) for f in report.findings]

    assert found() == []
    user.write_text("import jax\nimport lib\ng = jax.jit(lib.f)\n")
    assert found() == [("lib.py", 2)]
    assert found() == [("lib.py", 2)]
    user.write_text("import jax\nimport lib\ng = lib.f\n")
    assert found() == []


def test_several_processes_say_what_one_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("omnilint.inspection.WORTHWHILE", 0)
    (tmp_path / "project").mkdir()
    build(tmp_path / "project", random.Random(7))
    one = pipeline.check(["project"], Settings())
    two = pipeline.check(["project"], Settings(), jobs=2)
    assert one.findings
    assert told(one) == told(two)


def test_an_unchanged_tree_is_answered_without_a_parse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "cache")
    build(tmp_path, random.Random(1))
    first = pipeline.check([str(tmp_path)], Settings(), cache=store)

    def never(*arguments: object) -> None:
        raise AssertionError("parsed again")

    monkeypatch.setattr("ast.parse", never)
    assert told(pipeline.check([str(tmp_path)], Settings(), cache=store)) == told(first)


def test_neither_a_cold_run_nor_a_warm_one_imports_libcst_or_rich(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import jax\n@jax.jit\ndef f(x):\n    if x > 0:\n        return x\n    return -x\n")
    code = (
        "import sys\nfrom omnilint.cli import run\n"
        "assert run(['check', '--cache-dir', 'kept', 'a.py']) == 1\n"
        "print(sorted({'libcst', 'rich', 'jax', 'yaml', 'omnilint.analysis.engine'} & set(sys.modules)))\n"
    )
    for expected in ("['omnilint.analysis.engine']", "[]"):
        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == expected


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"select": ("OMN5",)}, id="selection"),
        pytest.param({"ignore": ("OMN501",)}, id="ignored rules"),
        pytest.param({"target_jax": "0.4.20"}, id="target"),
        pytest.param({"severity": (("OMN501", Severity.NOTE),)}, id="severity"),
        pytest.param({"traced": ("**",)}, id="traced"),
    ],
)
def test_other_settings_are_another_question(tmp_path: Path, change: dict[str, Any]) -> None:
    build(tmp_path, random.Random(3))
    store = Store(tmp_path / "cache")
    pipeline.check([str(tmp_path)], Settings(), cache=store)
    settings = override(Settings(), change)
    assert told(pipeline.check([str(tmp_path)], settings, cache=store)) == told(
        pipeline.check([str(tmp_path)], settings)
    )


def test_what_the_project_declares_counts(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import jax\nx = jax.tree_map(abs, [1])\n")
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "a"\ndependencies = ["jax==0.4.20"]\n')
    store = Store(tmp_path / "cache")
    assert pipeline.check([str(tmp_path)], Settings(), cache=store).target_jax == "0.4.20"
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "a"\ndependencies = ["jax==0.6.0"]\n')
    assert pipeline.check([str(tmp_path)], Settings(), cache=store).target_jax == "0.6.0"


@pytest.mark.parametrize("damage", ["", "{", "[]", "null", '{"entries": 3}', '{"findings": [{"code": 1}]}', "\0" * 50])
def test_a_damaged_cache_is_no_cache(tmp_path: Path, damage: str) -> None:
    build(tmp_path, random.Random(5))
    store = Store(tmp_path / "kept")
    whole = pipeline.check([str(tmp_path / "pkg")], Settings(), cache=store)
    files = list((tmp_path / "kept" / "check").glob("*.json"))
    assert len(files) == 2
    for file in files:
        file.write_text(damage)
    assert told(pipeline.check([str(tmp_path / "pkg")], Settings(), cache=store)) == told(whole)


def test_damage_inside_an_entry_is_a_miss(tmp_path: Path) -> None:
    build(tmp_path, random.Random(6))
    store = Store(tmp_path / "kept")
    whole = pipeline.check([str(tmp_path / "pkg")], Settings(), cache=store)
    for file in (tmp_path / "kept" / "check").glob("*.json"):
        if file.name.startswith("run"):
            file.unlink()
        else:
            document = json.loads(file.read_text())
            document["entries"] = {k: [d, {"findings": None}] for k, (d, _) in document["entries"].items()}
            file.write_text(json.dumps(document))
    assert told(pipeline.check([str(tmp_path / "pkg")], Settings(), cache=store)) == told(whole)


def test_a_folder_that_can_not_be_written_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import jax\n")
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    assert pipeline.check([str(tmp_path / "a.py")], Settings(), cache=Store(blocked / "cache")).problems == []


def _hammer(folder: str, number: int) -> None:
    store = Store(Path(folder))
    for i in range(60):
        store.put("shared", {"by": number, "text": "x" * 20_000, "i": i})
        found = store.get("shared")
        assert found is not None
        assert len(found["text"]) == 20_000


def test_processes_that_write_at_once_never_see_half_a_document(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_hammer, args=(str(tmp_path), n)) for n in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert sorted(p.name for p in (tmp_path / "check").iterdir()) == ["shared.json"]


def test_git_never_sees_the_cache(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "a.py").write_text("import jax\n")
    pipeline.check([str(tmp_path / "a.py")], Settings(), cache=Store(tmp_path / "kept"))
    done = subprocess.run(["git", "status", "--short"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["??", "a.py"]


def test_clean_removes_what_is_ours_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text("import jax\n")
    kept = tmp_path / "kept"
    assert run(["check", "-q", "--cache-dir", str(kept), str(tmp_path / "a.py")]) == 0
    (kept / "notes.txt").write_text("mine")
    assert run(["clean", "--cache-dir", str(kept)]) == 0
    assert "files removed" in capsys.readouterr().out
    assert [p.name for p in kept.iterdir()] == ["notes.txt"]
    assert run(["clean", "--cache-dir", str(kept)]) == 0
    assert capsys.readouterr().out == "nothing to remove\n"
    assert clean(tmp_path / "nowhere") == 0


def test_a_folder_with_other_things_stays_visible(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "a.py").write_text("import jax\n")
    assert run(["check", "-q", "--cache-dir", str(tmp_path), str(tmp_path / "a.py")]) == 0
    done = subprocess.run(["git", "status", "--short"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["??", "a.py"]
    assert run(["clean", "--cache-dir", str(tmp_path)]) == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == [".git", "a.py"]


def test_clean_leaves_other_folders_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "check").mkdir()
    (tmp_path / "check" / "mine.py").write_text("x = 1\n")
    assert run(["clean", "--cache-dir", str(tmp_path)]) == 2
    assert "not a cache of omnilint" in capsys.readouterr().err
    assert (tmp_path / "check" / "mine.py").exists()


def test_no_cache_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMNILINT_CACHE_DIR", str(tmp_path / "kept"))
    (tmp_path / "a.py").write_text("import jax\n")
    assert default_folder() == tmp_path / "kept"
    assert run(["check", "-q", "--no-cache", str(tmp_path / "a.py")]) == 0
    assert not (tmp_path / "kept").exists()
    assert run(["check", "-q", str(tmp_path / "a.py")]) == 0
    assert (tmp_path / "kept").is_dir()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["--no-cache", "--cache-dir", "x"], "--cache-dir and --no-cache", id="both"),
        pytest.param(["--cache-dir", "a.py"], "a file, not a folder", id="a file"),
        pytest.param(["--jobs", "0"], "from 1 on, or auto", id="no process"),
        pytest.param(["--jobs", "many"], "from 1 on, or auto", id="no number"),
    ],
)
def test_mistakes_are_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("import jax\n")
    assert run(["check", *arguments, "a.py"]) == 2
    assert message in capsys.readouterr().err


def test_a_finding_survives_being_kept() -> None:
    place = Place("a.py", 1, 2, 3, 4, None)
    finding = Finding(
        "OMN101",
        "text",
        place,
        symbol="f",
        related=(Related(place, "why"),),
        fix=Fix(Applicability.SAFE, "do", (Edit(place, "x"),)),
        severity=Severity.NOTE,
        statement="f(x)",
        data={"needs": [{"place": place, "steps": ((place, "a"),), "param": None}], "n": 1.5, "names": ("a", 1)},
    )
    again = records.finding(json.loads(json.dumps(records.of_finding(finding))))
    assert again == finding
    assert again.data == finding.data
    with pytest.raises(TypeError):
        records.pack({"what": object()})


def test_what_nobody_asked_for_in_a_month_is_dropped(tmp_path: Path) -> None:
    store = Store(tmp_path)
    memory = Memory(store)
    memory.put("old", 1)
    memory.put("new", 2)
    memory._entries["old"][0] -= DAYS
    memory.save()
    again = Memory(store)
    assert (again.get("old"), again.get("new")) == (None, 2)


def test_old_files_are_removed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put("old", {})
    store.put("new", {})
    long_ago = time.time() - 40 * 86_400
    os.utime(tmp_path / "check" / "old.json", (long_ago, long_ago))
    store.prune()
    assert store.get("old") is None
    assert store.get("new") == {}


def test_another_omnilint_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    before = keys.salt()
    keys.salt.cache_clear()
    monkeypatch.setattr(keys, "__version__", "another")
    try:
        assert keys.salt() != before
    finally:
        keys.salt.cache_clear()
