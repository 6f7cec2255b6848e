"""Golden repairs: what stands there, the patch, and what comes of it; JAX runs what comes of it."""

from __future__ import annotations

import codecs
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.golden_fixes import DISPLAY, UNSAFE, Golden, goldens, repair, result

ROOT = Path(__file__).parent.parent
HAS_JAX = importlib.util.find_spec("jax") is not None
ALL = [pytest.param(g, id=g.id) for g in goldens()]
MADE = [pytest.param(g, id=g.id) for g in goldens() if g.kind != DISPLAY]
RUN = [
    pytest.param(g, id=g.id)
    for g in goldens()
    if g.before.suffix == ".py" and "def trigger():" in g.before.read_text(encoding="latin-1")
]

# Runs the triggers of both versions in one process: the repaired one as it is, the old one eagerly.
RUNNER = """
import importlib.util, json, sys, warnings
import jax, numpy as np
warnings.simplefilter("ignore")
def load(file):
    spec = importlib.util.spec_from_file_location("case", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
def told(file, eager):
    try:
        with jax.disable_jit(eager):
            leaves = jax.tree.leaves(load(file).trigger())
            return [[str(np.asarray(x).dtype) + str(np.shape(x)), np.asarray(x).ravel().tolist()] for x in leaves]
    except Exception as e:
        return f"{type(e).__name__}: {e}"[:300]
for folder in json.load(sys.stdin):
    print("@@" + json.dumps([folder, told(folder + "/after.py", False), told(folder + "/before.py", True)]), flush=True)
"""


@cache
def runs() -> dict[str, tuple[Any, Any]]:
    """What the repaired and the old version of each golden gave under the installed JAX."""
    folders = [str(p.values[0].folder) for p in RUN]
    done = subprocess.run(
        [sys.executable, "-c", RUNNER], input=json.dumps(folders), capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told = [json.loads(line[2:]) for line in done.stdout.splitlines() if line.startswith("@@")]
    return {folder: (after, before) for folder, after, before in told}


def test_there_are_enough_of_each_kind() -> None:
    ids = [g.id for g in goldens()]
    assert len(ids) >= 80
    for word in (
        "tabs",
        "crlf",
        "decorator-over-lines",
        "comment-inside",
        "star-import",
        "alias",
        "method",
        "notebook",
    ):
        assert any(word in i for i in ids), word


@pytest.mark.parametrize("golden", ALL)
def test_gives_the_patch_and_the_result(golden: Golden) -> None:
    after, diff = result(golden)
    assert diff, "nothing comes of it"
    assert after.decode("latin-1") == golden.after.read_bytes().decode("latin-1")
    assert diff.decode("latin-1") == golden.patch.read_bytes().decode("latin-1")


@pytest.mark.parametrize("golden", MADE)
def test_the_result_passes_and_stays(golden: Golden) -> None:
    """Nothing is left that the repair was for, and repairing once more changes nothing."""
    again = repair(golden.after, golden.kind == UNSAFE)
    assert not again.changed()
    assert not again.report.findings
    assert not again.report.problems


DRESSED = {
    "crlf": lambda text: text.replace("\r\n", "\n").replace("\n", "\r\n").encode(),
    "bom": lambda text: codecs.BOM_UTF8 + text.encode(),
    "tabs": lambda text: re.sub(r"(?m)^( {4})+", lambda m: "\t" * (len(m[0]) // 4), text).encode(),
    "latin-1": lambda text: f"# coding: latin-1\n# Größe\n{text}".encode("latin-1"),
}


@pytest.mark.parametrize("golden", [p for p in MADE if p.values[0].before.suffix == ".py"])
def test_clothes_make_no_difference(golden: Golden, tmp_path: Path) -> None:
    """With other line ends, indentation or encoding the same comes of it, in these clothes."""
    raw, after = golden.before.read_bytes(), golden.after.read_bytes()
    if not raw.isascii():
        pytest.skip("its text is not ASCII, which not every encoding here can hold")
    for settings in golden.folder.glob("*.toml"):
        shutil.copy(settings, tmp_path)
    file = tmp_path / golden.before.name
    for name, dress in DRESSED.items():
        file.write_bytes(dress(raw.decode()))
        out = repair(file, golden.kind == UNSAFE)
        assert next(iter(out.after.values()), b"") == dress(after.decode()), name


@pytest.mark.parametrize("golden", [pytest.param(g, id=g.id) for g in goldens() if g.kind == DISPLAY])
def test_what_is_only_shown_would_mend_it(golden: Golden) -> None:
    """It is never made, whatever is asked for; the function would have no such finding any more."""
    before, after = repair(golden.before, unsafe=True), repair(golden.after, unsafe=True)
    assert not before.changed()
    assert before.report.findings
    codes = {f.code for f in before.report.findings if f.fix is not None}
    assert not codes & {f.code for f in after.report.findings}
    assert not after.report.problems


SHOWN = """
import json, sys
import jax, jax.numpy as jnp
x, told = jnp.ones(3), {}
for name, call in json.load(sys.stdin).items():
    m = {}
    exec(compile(open(name).read(), name, "exec"), m)
    with jax.checking_leaks():
        told[name] = [str(jax.tree.map(lambda x: x.shape, eval(call, {**m, "x": x}))) for _ in range(2)]
print(json.dumps(told))
"""
CALLS = {
    "state-global-key": "noise(x, key)",
    "state-counter": "tick(0)",
    "state-container": "loss(x)",
    "state-attribute-and-value": "Sampler(0).draw(x, Sampler(0)._key)",
    "state-by-keyword": "noise(x, 2.0, key=key)",
    "state-entry": "normalize(x, stats['seen'])",
    "state-in-a-branch": "jitter(x, key)",
    "state-unnamed-value": "step(x, x)",
}


@pytest.mark.skipif(not HAS_JAX, reason="JAX isn't installed")
def test_what_is_only_shown_leaks_nothing() -> None:
    """JAX calls the functions with their state in, and finds no tracer left behind."""
    calls = {str(ROOT / "fixtures" / "fixes" / DISPLAY / n / "after.py"): call for n, call in CALLS.items()}
    done = subprocess.run([sys.executable, "-c", SHOWN], input=json.dumps(calls), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    for first, second in json.loads(done.stdout).values():
        assert first == second


@pytest.mark.parametrize("golden", ALL)
def test_git_applies_the_patch(golden: Golden, tmp_path: Path) -> None:
    (tmp_path / golden.before.name).write_bytes(golden.before.read_bytes())
    command = ["git", "apply", "--whitespace=nowarn", str(golden.patch)]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert (tmp_path / golden.before.name).read_bytes() == golden.after.read_bytes()


@pytest.mark.skipif(not HAS_JAX, reason="JAX isn't installed")
@pytest.mark.parametrize("golden", RUN)
def test_jax_runs_the_result(golden: Golden) -> None:
    """The repaired code runs and, where the old code runs eagerly in this JAX, gives the same."""
    after, before = runs()[str(golden.folder)]
    assert not isinstance(after, str), after
    if isinstance(before, str):
        assert re.match(r"ImportError|ModuleNotFoundError|AttributeError|TypeError", before), before
        assert not golden.folder.name.startswith("shape"), before
        return
    assert [dtype for dtype, _ in after] == [dtype for dtype, _ in before]
    for (_, a), (_, b) in zip(after, before, strict=True):
        assert a == pytest.approx(b, rel=1e-5)
