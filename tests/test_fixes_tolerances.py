"""A tolerance that a repair writes lets the comparison pass: repaired comparisons are run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.golden_fixes import repair

pytest.importorskip("jax")

CASES = Path(__file__).parent.parent / "fixtures"
HEAD = (
    "import jax\nimport jax.numpy as jnp\nimport numpy as np\n\n"
    "X = np.random.default_rng(0).normal(size=(32, 24)).astype(np.float32)\n\n\n"
)


def run(text: str, name: str) -> None:
    names: dict[str, Any] = {"__name__": "made", "__file__": "made.py"}
    exec(compile(text, "made.py", "exec"), names)
    names[name]()


@pytest.mark.parametrize("case", [p.parent.name for p in sorted(CASES.glob("cases/hazards/tol-*/case.py"))] or ["none"])
def test_a_repaired_case_passes(case: str, tmp_path: Path) -> None:
    files = [p for p in (CASES / "cases" / "hazards" / case).glob("*.py") if "def trigger" in p.read_text()]
    for file in files:
        out = repair(file, unsafe=True)
        if out.changed():
            run(next(iter(out.after.values())).decode(), "trigger")


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
    run(after, "test_it")


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
