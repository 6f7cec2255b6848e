"""Which functions are interpreted: those whose text holds a comparison that may be too tight."""

from __future__ import annotations

from pathlib import Path

import pytest

from omnilint.rounding import relevance, table
from tests.tolerance_support import HEAD, project_of


def chosen(texts: dict[str, str], root: Path) -> set[str]:
    """The functions of test_it.py that are worth a look."""
    project = project_of({**texts, "test_it.py": HEAD + texts["test_it.py"]}, root)
    module = project.by_file[str(root / "test_it.py")]
    found = relevance.comparing(module, project, table.load())
    return set(found.functions) if found is not None else set()


@pytest.mark.parametrize(
    ("statement", "looked_at"),
    [
        pytest.param("np.testing.assert_allclose(smooth(X), WANT, rtol=1e-9)", True, id="tight"),
        pytest.param("np.testing.assert_allclose(smooth(X), WANT)", True, id="tight-default"),
        pytest.param("np.testing.assert_allclose(smooth(X), WANT, rtol=1e-5)", False, id="loose"),
        pytest.param("np.testing.assert_allclose(smooth(X), WANT, rtol=10 * 1e-6)", False, id="loose-product"),
        pytest.param("np.testing.assert_allclose(smooth(X), WANT, rtol=LOOSE)", False, id="loose-constant"),
        pytest.param("np.testing.assert_allclose(smooth(X), WANT, rtol=EITHER)", True, id="constant-bound-twice"),
        pytest.param("np.testing.assert_allclose(smooth(X), 0.0, atol=1e-12)", False, id="against-zero"),
        pytest.param("assert np.max(np.abs(smooth(X) - WANT)) < 1e-9", True, id="tight-distance"),
        pytest.param("assert np.max(np.abs(smooth(X) - WANT)) < 1e-5", False, id="loose-distance"),
        pytest.param("assert np.max(np.abs(smooth(X))) < 3", False, id="no-distance"),
        pytest.param("np.testing.assert_array_equal(smooth(X), WANT)", False, id="equality-where-nothing-is-compiled"),
        pytest.param("np.testing.assert_array_equal(jax.jit(smooth)(X), smooth(X))", True, id="equality-of-compiled"),
        pytest.param("np.testing.assert_array_equal(jax.jit(smooth)(X), np.zeros(3))", False, id="equality-with-zeros"),
        pytest.param("np.allclose(smooth(X), WANT, rtol=1e-9)", False, id="an-answer-that-nobody-asserts"),
        pytest.param("check(smooth(X), WANT, rtol=1e-9)", True, id="helper-tight"),
        pytest.param("check(smooth(X), WANT, rtol=1e-4)", False, id="helper-loose"),
        pytest.param("check(smooth(X).astype(jnp.bfloat16), WANT, rtol=1e-4)", True, id="helper-loose-for-halves"),
    ],
)
def test_one_statement(statement: str, looked_at: bool, tmp_path: Path) -> None:
    text = f"""
LOOSE = 1e-4
EITHER = 1e-4
EITHER = 1e-9

def check(a, b, rtol):
    np.testing.assert_allclose(a, b, rtol=rtol)

def other():
    assert True

def test():
    {statement}
"""
    assert ("test" in chosen({"test_it.py": text}, tmp_path)) == looked_at


def test_inherited_helper_of_another_module(tmp_path: Path) -> None:
    base = """
import numpy as np

class Base:
    def agree(self, a, b, **k):
        np.testing.assert_allclose(a, b, **k)
"""
    text = """
from base import Base

class Case(Base):
    def test_tight(self):
        self.agree(smooth(X), WANT, rtol=1e-10)

    def test_loose(self):
        self.agree(smooth(X), WANT, rtol=1e-3)

    def test_nothing(self):
        smooth(X)
"""
    assert chosen({"base.py": base, "test_it.py": text}, tmp_path) == {"Case.test_tight"}


def test_halves_of_one_function_are_no_matter_of_another(tmp_path: Path) -> None:
    text = """
def test_half():
    np.testing.assert_allclose(smooth(X.astype(np.float16)), WANT, rtol=1e-4)

def test_single():
    np.testing.assert_allclose(smooth(X), WANT, rtol=1e-4)
"""
    assert chosen({"test_it.py": text}, tmp_path) == {"test_half"}
