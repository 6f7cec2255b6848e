"""The tolerance fixtures: exactly the marked lines are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from omnilint.rounding import machine
from tests.tolerance_support import findings

FIXTURES = Path(__file__).parent.parent / "fixtures" / "tol"
FILES = sorted(p.relative_to(FIXTURES).as_posix() for p in FIXTURES.rglob("*.py"))
CODES = {"compiled.py": {"OMN301", "OMN303"}, "derivatives.py": {"OMN304"}}


def marked(text: str) -> set[int]:
    return {i for i, line in enumerate(text.splitlines(), 1) if "# expect: TOL" in line}


@pytest.fixture(scope="module")
def found() -> dict[str, list[tuple[int, str]]]:
    return found_now()


def found_now() -> dict[str, list[tuple[int, str]]]:
    out: dict[str, list[tuple[int, str]]] = {name: [] for name in FILES}
    for f in findings({name: (FIXTURES / name).read_text(encoding="utf-8") for name in FILES}, FIXTURES):
        out[f.place.path].append((f.place.line, f.code))
    return out


@pytest.mark.parametrize("name", FILES)
def test_marked_lines_and_no_others(name: str, found: dict[str, list[tuple[int, str]]]) -> None:
    assert {line for line, _ in found[name]} == marked((FIXTURES / name).read_text(encoding="utf-8"))
    assert len(found[name]) == len({line for line, _ in found[name]}), "one comparison, one finding"


@pytest.mark.parametrize("name", sorted(CODES))
def test_codes(name: str, found: dict[str, list[tuple[int, str]]]) -> None:
    assert {code for _, code in found[name]} == CODES[name]


def test_half_the_patience_is_enough(found: dict[str, list[tuple[int, str]]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "PATIENCE", machine.PATIENCE // 2)
    assert found_now() == found


def test_there_are_hazards_and_look_alikes() -> None:
    texts = {name: (FIXTURES / name).read_text(encoding="utf-8") for name in FILES}
    assert sum(len(marked(text)) for text in texts.values()) >= 50
    assert not marked(texts["loose.py"])
