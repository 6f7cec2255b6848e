"""Functions that are traced though nobody in sight calls what the transforms made of them.

Each module under `data/traced` says in `# ! OMNxxx` where something must be found, and nowhere else, and in
`# call:` what to run under real JAX, which has to raise at the mark, or after it where a side effect is marked: in a
comment, since a call in sight would show the analysis what it has to know without one.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from omnilint.config import Settings
from omnilint.pipeline import check

DATA = Path(__file__).parent / "data" / "traced"
FOUND, SILENT = sorted((DATA / "found").glob("*.py")), sorted((DATA / "silent").glob("*.py"))
MARK = re.compile(r"# !\s*(OMN\d+)")


def marks(file: Path) -> list[tuple[int, str]]:
    return [(i, m) for i, line in enumerate(file.read_text().splitlines(), 1) for m in MARK.findall(line)]


@pytest.mark.parametrize("file", FOUND + SILENT, ids=lambda file: file.stem)
def test_what_is_found(tmp_path: Path, file: Path) -> None:
    case = tmp_path / "case.py"
    case.write_text(file.read_text())
    report = check([str(case)], Settings())
    assert not report.problems
    assert sorted((f.place.line, f.code) for f in report.findings) == marks(file)


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    """What JAX said of every call, from one process."""
    pytest.importorskip("jax", reason="the calls run under real JAX")
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("run_traced_calls.py"))],
        input=json.dumps([str(file) for file in FOUND + SILENT]),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said


def calls(answers: dict[str, Any], file: Path) -> list[dict[str, Any]]:
    said = answers[str(file)]
    if isinstance(said, str):
        pytest.skip(f"needs {said} (pip install {said})")
    assert said
    return list(said)


@pytest.mark.parametrize("file", FOUND, ids=lambda file: file.stem)
def test_real_jax_raises_at_the_marks(answers: dict[str, Any], file: Path) -> None:
    said = calls(answers, file)
    assert all(answer["exception"] for answer in said)
    wanted = {line for line, code in marks(file) if not code.startswith("OMN2")}
    assert wanted <= {line for answer in said for line in answer["lines"]}, said


@pytest.mark.parametrize("file", SILENT, ids=lambda file: file.stem)
def test_real_jax_runs_what_is_clean(answers: dict[str, Any], file: Path) -> None:
    assert not [answer for answer in calls(answers, file) if answer["exception"]]
