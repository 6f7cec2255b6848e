"""Functions that are traced though nobody in sight calls what the transforms made of them.

Each module under `data/traced` says in `# ! OMNxxx` where something must be found, and nowhere else, and in
`# call:` what to run under real JAX, which has to raise at the mark, or after it where a side effect is marked: in a
comment, since a call in sight would show the analysis what it has to know without one.
"""

from __future__ import annotations

import re
import sys
import traceback
import types
from pathlib import Path

import pytest

from omnilint.config import Settings
from omnilint.pipeline import check

DATA = Path(__file__).parent / "data" / "traced"
MARK = re.compile(r"# !\s*(OMN\d+)")
CALL = re.compile(r"^# call: (.*)$", re.MULTILINE)


def modules(kind: str) -> list[object]:
    return [pytest.param(p, id=p.stem) for p in sorted((DATA / kind).glob("*.py"))]


def marks(file: Path) -> list[tuple[int, str]]:
    return [(i, m) for i, line in enumerate(file.read_text().splitlines(), 1) for m in MARK.findall(line)]


@pytest.mark.parametrize("file", modules("found") + modules("silent"))
def test_what_is_found(tmp_path: Path, file: Path) -> None:
    case = tmp_path / "case.py"
    case.write_text(file.read_text())
    report = check([str(case)], Settings())
    assert not report.problems
    assert sorted((f.place.line, f.code) for f in report.findings) == marks(file)


def results(file: Path) -> list[Exception | None]:
    """What each of the calls raises under real JAX."""
    pytest.importorskip("jax", reason="the calls run under real JAX")
    text = file.read_text()
    for library in ("equinox", "flax", "haiku", "numpyro", "blackjax", "chex"):
        if re.search(rf"^(import|from) {library}\b", text, re.MULTILINE):
            pytest.importorskip(library)
    module = types.ModuleType(f"traced_{file.stem}")
    sys.modules[module.__name__] = module
    names = vars(module)
    exec(compile(text, str(file), "exec"), names)
    out: list[Exception | None] = []
    for call in CALL.findall(text):
        try:
            exec(call, names)
            out.append(None)
        except Exception as e:
            out.append(e)
    assert out
    return out


@pytest.mark.parametrize("file", modules("found"))
def test_real_jax_raises_at_the_marks(file: Path) -> None:
    places = set()
    for e in results(file):
        assert e is not None
        places |= {t.lineno for t in traceback.extract_tb(e.__traceback__) if t.filename == str(file)}
    assert {line for line, code in marks(file) if not code.startswith("OMN2")} <= places


@pytest.mark.parametrize("file", modules("silent"))
def test_real_jax_runs_what_is_clean(file: Path) -> None:
    assert not [e for e in results(file) if e is not None]
