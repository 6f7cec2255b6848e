"""A tolerance that a repair writes lets the comparison pass: repaired comparisons are run."""

from __future__ import annotations

import ast
import unittest
from pathlib import Path
from typing import Any

import pytest

from tests.golden_fixes import loaded, repair

pytest.importorskip("jax", reason="what is repaired is run under JAX")

CASES = Path(__file__).parent.parent / "fixtures"
HEAD = (
    "import jax\nimport jax.numpy as jnp\nimport numpy as np\n\n"
    "X = np.random.default_rng(0).normal(size=(32, 24)).astype(np.float32)\n\n\n"
)


@pytest.mark.parametrize("case", [p.parent.name for p in sorted(CASES.glob("cases/hazards/tol-*/case.py"))] or ["none"])
def test_a_repaired_case_passes(case: str, tmp_path: Path) -> None:
    files = [p for p in (CASES / "cases" / "hazards" / case).glob("*.py") if "def trigger" in p.read_text()]
    for file in files:
        out = repair(file, unsafe=True)
        if out.changed():
            loaded(next(iter(out.after.values())).decode(), "trigger")()


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            "a = X[:24] + 9 * np.eye(24, dtype=np.float32)\n"
            "    np.testing.assert_allclose(jnp.linalg.inv(jnp.asarray(a)), np.linalg.inv(a))",
            id="an inverse, by default",
        ),
        pytest.param(
            "f = lambda x: jnp.tanh(x @ x.T) / 9 - 0.01\n    np.testing.assert_array_equal(jax.jit(f)(X), f(X))",
            id="exactly",
        ),
        pytest.param(
            "want = X.astype(np.float64) @ X.T\n"
            "    np.testing.assert_allclose(jnp.asarray(X) @ X.T, want, rtol=1e-10, atol=1e-12)",
            id="with both tolerances",
        ),
        pytest.param(
            "want = X.astype(np.float64) @ X.T\n    assert jnp.allclose(jnp.asarray(X) @ X.T, want, 1e-10, 1e-12)",
            id="by position",
        ),
    ],
)
def test_elements_near_zero_pass_too(body: str, tmp_path: Path) -> None:
    file = tmp_path / "test_a.py"
    file.write_text(f"{HEAD}def test_it():\n    {body}\n")
    out = repair(file, unsafe=True)
    assert out.changed(), out.reasons
    after = next(iter(out.after.values())).decode()
    assert after.count("e-0") >= 2
    loaded(after, "test_it")()


@pytest.mark.parametrize(
    "compared",
    [
        pytest.param("jnp.max(jnp.abs(got - want)) < 1e-9", id="the largest"),
        pytest.param("np.linalg.norm(got - want) <= 1e-8", id="a norm"),
        pytest.param("jnp.sum((got - want) ** 2) < 1e-18", id="a sum of squares"),
    ],
)
def test_a_distance_over_all_elements_has_no_repair(compared: str, tmp_path: Path) -> None:
    file = tmp_path / "test_a.py"
    got = "got = jnp.asarray(X) @ X.T\n    want = X.astype(np.float64) @ X.T"
    file.write_text(f"{HEAD}def test_it():\n    {got}\n    assert {compared}\n")
    assert not repair(file, unsafe=True).changed()


def test_every_comparison_that_is_repaired_passes(tmp_path: Path) -> None:
    file = tmp_path / "test_tight.py"
    file.write_text((CASES / "tol" / "tight.py").read_text())
    before, out = file.read_text(), repair(file, unsafe=True)
    after = next(iter(out.after.values())).decode()
    names: dict[str, Any] = {"__name__": "made"}
    exec(compile(after, "made.py", "exec"), names)
    unchanged = {ast.dump(n) for n in ast.walk(ast.parse(before)) if isinstance(n, ast.FunctionDef)}
    changed = {
        n.name for n in ast.walk(ast.parse(after)) if isinstance(n, ast.FunctionDef) and ast.dump(n) not in unchanged
    }
    assert len(changed) > 12
    for name in changed & set(names):
        names[name]()
    suite = unittest.TestSuite([names["SolverTest"](n) for n in changed - set(names)])
    result = unittest.TestResult()
    suite.run(result)
    assert suite.countTestCases() == result.testsRun == 2
    assert result.wasSuccessful(), result.failures


LOOPS = {
    "a scan": "got = jax.lax.scan(lambda h, r: (3.9 * h * (1 - h) + 0 * r, h), x, jnp.ones(60))[0]",
    "a loop of JAX": "got = jax.lax.fori_loop(0, 60, lambda i, h: 3.9 * h * (1 - h), x)",
    "a loop of Python": "got = x\n    for _ in range(60):\n        got = 3.9 * got * (1 - got)",
    "a while loop": "got, n = x, 0\n    while n < 60:\n        got, n = 3.9 * got * (1 - got), n + 1",
}
WANT = "want = np.linspace(0.1, 0.9, 9)\n    for _ in range(60):\n        want = 3.9 * want * (1 - want)"


@pytest.mark.parametrize("loop", [pytest.param(v, id=k) for k, v in LOOPS.items()])
def test_what_grows_along_a_loop_has_no_repair(loop: str, tmp_path: Path) -> None:
    file = tmp_path / "test_a.py"
    compared = "np.testing.assert_allclose(got, want, rtol=1e-12)"
    file.write_text(
        f"{HEAD}def test_it():\n    x = jnp.linspace(0.1, 0.9, 9)\n    {loop}\n    {WANT}\n    {compared}\n"
    )
    out = repair(file, unsafe=True)
    assert not out.changed()
    assert [f.code for f in out.report.findings] == ["OMN301"]


LARGE = "got = jnp.exp(jnp.asarray(X[0])) * 1000.0\n    want = np.exp(X[0].astype(np.float64)) * 1000.0"


@pytest.mark.parametrize(
    ("compared", "after"),
    [
        pytest.param(
            "np.testing.assert_array_almost_equal(got, want, decimal=12)",
            "np.testing.assert_allclose(got, want, rtol=2e-06, atol=2e-06)",
            id="decimal places",
        ),
        pytest.param(
            "np.testing.assert_almost_equal(got, want, 12)",
            "np.testing.assert_allclose(got, want, rtol=2e-06, atol=2e-06)",
            id="by position",
        ),
        pytest.param(
            "assert np.all(abs((got) - (want)) < 1e-11)",
            "assert np.all(np.isclose((got), (want), rtol=2e-06, atol=2e-06))",
            id="a distance",
        ),
        pytest.param(
            "assert jnp.all(jnp.abs(got - want) <= 1e-11)",
            "assert jnp.all(jnp.isclose(got, want, rtol=2e-06, atol=2e-06))",
            id="a distance by JAX",
        ),
        pytest.param(
            "assert (1e-11 > abs(got - want)).all()", "assert (1e-11 > abs(got - want)).all()", id="the other way round"
        ),
        pytest.param(
            "np.testing.assert_almost_equal(got, want, 12, 'far')",
            "np.testing.assert_almost_equal(got, want, 12, 'far')",
            id="with a message by position",
        ),
    ],
)
def test_values_of_unknown_size_are_compared_relatively(compared: str, after: str, tmp_path: Path) -> None:
    file = tmp_path / "test_a.py"
    file.write_text(f"{HEAD}def test_it():\n    {LARGE}\n    {compared}\n")
    out = repair(file, unsafe=True)
    text = next(iter(out.after.values())).decode() if out.changed() else file.read_text()
    assert text.splitlines()[-1].strip() == after
    if out.changed():
        loaded(text, "test_it")()


def test_values_of_known_size_keep_their_kind_of_comparison(tmp_path: Path) -> None:
    file = tmp_path / "test_a.py"
    got = "got = jnp.mean(jnp.exp(jnp.log(jnp.asarray(X) * 0 + 1234.5)))"
    file.write_text(f"{HEAD}def test_it():\n    {got}\n    assert abs(got - 1234.5) < 1e-9\n")
    out = repair(file, unsafe=True)
    text = next(iter(out.after.values())).decode()
    assert "abs(got - 1234.5) < 0.00" in text
    loaded(text, "test_it")()
