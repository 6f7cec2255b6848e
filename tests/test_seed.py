"""The README's examples: each marked line is found, JAX proves it, and the README shows the real output."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from omnilint.cli import run
from omnilint.model import Hazard

ROOT = Path(__file__).parent.parent
SEED = "fixtures/seed"
MARK = re.compile(r"#\s*expect:\s*([A-Z]+)")
Findings = list[dict[str, Any]]


def marks() -> set[tuple[str, int, str]]:
    """(path, line, hazard) of every marked line."""
    found = set()
    for path in sorted((ROOT / SEED).iterdir()):
        if path.is_file():
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                found |= {(f"{SEED}/{path.name}", number, hazard) for hazard in MARK.findall(line)}
    return found


@pytest.fixture
def in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.usefixtures("in_root")
def test_every_mark_is_found_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--format", "json", SEED]) == 1
    found = {(f["path"], f["line"], f["hazard"]) for f in json.loads(capsys.readouterr().out)["findings"]}
    assert found == marks()


def test_the_examples_show_every_hazard_that_source_text_can_show() -> None:
    assert {hazard for _, _, hazard in marks()} == {h.value for h in Hazard} - {"XLA", "META"}


@pytest.fixture(scope="module")
def confirmed() -> Findings:
    """The findings with JAX's verdicts."""
    pytest.importorskip("jax", reason="the examples are proven by real JAX")
    command = [sys.executable, "-m", "omnilint", "check", "--confirm", "--format", "json", "--python", sys.executable]
    done = subprocess.run([*command, SEED], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    findings: Findings = json.loads(done.stdout)["findings"]
    return findings


def in_python(findings: Findings) -> Findings:
    return [f for f in findings if f["path"].endswith(".py")]


def test_jax_confirms_every_hazard(confirmed: Findings) -> None:
    by_hazard: dict[str, set[str]] = {}
    for f in in_python(confirmed):
        by_hazard.setdefault(f["hazard"], set()).update(v["status"] for v in f["verdicts"])
    assert by_hazard == {name: {"confirmed"} for name in ("SHAPE", "STATE", "TOL", "INTERNAL", "CONC")}


def test_the_shape_maths_worked_before_omnistaging(confirmed: Findings) -> None:
    (finding,) = [f for f in confirmed if f["hazard"] == "SHAPE"]
    (verdict,) = finding["verdicts"]
    assert verdict["legacy"] is True
    assert verdict["exception"] == "TypeError"


def test_the_repeated_random_number_is_shown_as_such(confirmed: Findings) -> None:
    (finding,) = [f for f in confirmed if f["path"].endswith("random_key.py")]
    (verdict,) = finding["verdicts"]
    assert verdict["exception"] is None
    assert re.search(r"same|repeat", f"{verdict['message']} {verdict['reason']}", re.I)


def test_the_readme_shows_the_output_as_it_is(confirmed: Findings) -> None:
    shown = re.search(
        r"<!-- seed output -->\n```text\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S
    )
    assert shown
    lines = re.findall(r"^(\S+):(\d+):\d+: (OMN\d+) ", shown[1], re.M)
    assert lines == [(f["path"], str(f["line"]), f["code"]) for f in confirmed]


@pytest.mark.parametrize(
    ("target", "shape", "today", "before"),
    [
        pytest.param(
            "picture_add.py::scale", "f32[]", r"= add 1:\S+ 1:\S+", r"constant a: int32\[\] = 2", id="addition"
        ),
        pytest.param(
            "picture_mask.py::lower", "f32[3,4]", r"= gt ", r"pred\[3,4\]\S* constant\(", id="triangular mask"
        ),
    ],
)
@pytest.mark.usefixtures("in_root")
def test_the_pictures_show_what_is_staged_and_what_was_folded(
    capsys: pytest.CaptureFixture[str], target: str, shape: str, today: str, before: str
) -> None:
    pytest.importorskip("jax", reason="the pictures are drawn by real JAX")
    assert run(["staging", f"{SEED}/{target}", "--input", shape, "--python", sys.executable]) == 0
    now, _, then = capsys.readouterr().out.partition("== before omnistaging")
    assert re.search(rf"^\*.*{today}", now, re.M), "the operation is staged, and marked as once folded"
    assert re.search(before, then), "its result was a constant"
    assert not re.search(today, then)
    assert not re.search(before, now)
