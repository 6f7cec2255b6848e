"""Where a finding stands, what it says, and what it gives to those who confirm and fix."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from omnilint.model import Confidence
from tests.tolerance_support import HEAD, findings, of_body, statements

HELPER = """
def assert_close(a, b, rtol=1e-9):
    np.testing.assert_allclose(a, b, rtol=rtol)
"""


def test_the_call_that_supplies_the_values(tmp_path: Path) -> None:
    found = of_body(HELPER + "\ndef test():\n    assert_close(smooth(X), WANT)\n", tmp_path)
    assert statements(found) == [("OMN301", "assert_close(smooth(X), WANT)")]
    assert found[0].symbol == "test"
    assert [r.message for r in found[0].related][-1] == "compared here"
    assert found[0].related[-1].place.line < found[0].place.line


def test_only_the_bad_call(tmp_path: Path) -> None:
    body = HELPER + "\ndef test():\n    assert_close(smooth(X), WANT, rtol=1e-3)\n    assert_close(smooth(X), WANT)\n"
    assert statements(of_body(body, tmp_path)) == [("OMN301", "assert_close(smooth(X), WANT)")]


def test_many_calls_make_one_finding_at_the_comparison(tmp_path: Path) -> None:
    tests = "".join(f"\ndef test_{i}():\n    assert_close(smooth(X + {i}.0), WANT)\n" for i in range(5))
    found = of_body(HELPER + tests, tmp_path)
    assert statements(found) == [("OMN301", "np.testing.assert_allclose(a, b, rtol=rtol)")]
    assert found[0].target == "test_0"


def test_helper_of_another_module(tmp_path: Path) -> None:
    texts = {
        "pkg/__init__.py": "",
        "pkg/close.py": "import numpy as np\n" + HELPER,
        "pkg/test_a.py": HEAD
        + "from pkg.close import assert_close\n\ndef test():\n    assert_close(smooth(X), WANT)\n",
        "pkg/test_b.py": HEAD + "from . import close\n\ndef test():\n    close.assert_close(smooth(X), WANT)\n",
    }
    found = findings(texts, tmp_path)
    assert [(f.place.path, f.code) for f in found] == [("pkg/test_a.py", "OMN301"), ("pkg/test_b.py", "OMN301")]
    assert found[0].related[-1].place.path == "pkg/close.py"


def test_span_counts_characters(tmp_path: Path) -> None:
    body = "\ndef test():\n    'µµ'; np.testing.assert_allclose(smooth(X), WANT, rtol=1e-9)\n"
    place = of_body(body, tmp_path)[0].place
    assert (place.column, place.end_column) == (11, 11 + len("np.testing.assert_allclose(smooth(X), WANT, rtol=1e-9)"))


def test_message_and_data(tmp_path: Path) -> None:
    (found,) = of_body("\ndef test():\n    np.testing.assert_allclose(smooth(X), WANT, rtol=1e-9)\n", tmp_path)
    assert "the tolerance is 1e-09 relative: 0.008 ulps of float32 (eps 1.19e-07)" in found.message
    assert "use rtol=" in found.message
    assert found.confidence is Confidence.CERTAIN
    assert found.data["dtype"] == "float32"
    assert found.data["tolerance"] == pytest.approx(1e-9)
    assert found.data["ulps"] == pytest.approx(1e-9 / 2**-23)
    # The advice must itself be no finding.
    better = f"\ndef test():\n    np.testing.assert_allclose(smooth(X), WANT, rtol={found.data['suggested_rtol']})\n"
    assert of_body(better, tmp_path) == []


def test_message_of_a_default(tmp_path: Path) -> None:
    (found,) = of_body("\ndef test():\n    np.testing.assert_allclose(jnp.tanh(smooth(X)), np.tanh(WANT))\n", tmp_path)
    assert found.code == "OMN302"
    assert "the default tolerance of `assert_allclose` is 1e-07 relative" in found.message
    assert found.confidence is Confidence.LIKELY


def test_message_of_exactness(tmp_path: Path) -> None:
    (found,) = of_body("\ndef test():\n    np.testing.assert_array_equal(jax.jit(layer)(S), layer(S))\n", tmp_path)
    assert found.code == "OMN303"
    assert "with and without jit" in found.message


def test_message_of_a_step(tmp_path: Path) -> None:
    body = """
    def f(t):
        return jnp.sin(t) * 2.0

    def test(h=1e-6):
        t = jnp.float32(0.3)
        np.testing.assert_allclose(jax.grad(f)(t), (f(t + h) - f(t - h)) / (2 * h), rtol=1e-3)
    """
    (found,) = of_body(body, tmp_path)
    assert found.code == "OMN304"
    assert "step 1e-06 in float32" in found.message
    assert f"{(2**-23) ** (1 / 3):.1g}" in found.message
    assert math.isclose(found.data["spread_ulps"], 1 / 2e-6)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        pytest.param(
            "assert float(jnp.mean(jnp.exp(X))) == pytest.approx(np.exp(X).mean(), rel=1e-9)", "OMN301", id="approx"
        ),
        pytest.param(
            "assert pytest.approx(np.exp(X).mean(), 1e-9) == float(jnp.mean(jnp.exp(X)))", "OMN301", id="reversed"
        ),
        pytest.param(
            "chex.assert_trees_all_close({'a': smooth(X)}, {'a': WANT}, rtol=1e-9)", "OMN301", id="chex-trees"
        ),
        pytest.param("chex.assert_trees_all_equal(jax.jit(layer)(S), layer(S))", "OMN303", id="chex-equal"),
        pytest.param("np.testing.assert_array_max_ulp(jax.jit(layer)(S), layer(S), maxulp=0)", "OMN301", id="max-ulp"),
        pytest.param(
            "np.testing.assert_approx_equal(jnp.mean(jnp.exp(X)), np.exp(X).mean(), 12)", "OMN301", id="digits"
        ),
        pytest.param("assert np.all(np.isclose(smooth(X), WANT, 1e-9, 0))", "OMN301", id="all-isclose"),
        pytest.param("assert jnp.isclose(smooth(X), WANT, rtol=1e-9, atol=0).all()", "OMN301", id="method-all"),
        pytest.param("assert X.shape == (16, 8) and np.allclose(smooth(X), WANT, 1e-9, 0)", "OMN301", id="and"),
        pytest.param("assert 1e-9 > abs(float(jnp.mean(jnp.exp(X))) - np.exp(X).mean())", "OMN301", id="bound-first"),
    ],
)
def test_ways_to_compare(line: str, code: str, tmp_path: Path) -> None:
    found = of_body(f"\nimport chex\nimport pytest\n\ndef test():\n    {line}\n", tmp_path)
    assert statements(found) == [(code, line)]


@pytest.mark.parametrize(
    "line",
    [
        "self.assertAlmostEqual(float(jnp.mean(jnp.exp(X))), np.exp(X).mean(), places=12)",
        "self.assertAlmostEqual(float(jnp.mean(jnp.exp(X))), np.exp(X).mean(), delta=1e-12)",
        "self.assertAllClose(smooth(X), WANT, rtol=1e-10, atol=1e-10)",
        "self.assertTrue(np.allclose(smooth(X), WANT, rtol=1e-10, atol=1e-10))",
        "self.assertLess(abs(float(jnp.mean(jnp.exp(X))) - np.exp(X).mean()), 1e-12)",
        "np.testing.assert_allclose(self.variant(smooth)(X), WANT, rtol=1e-10)",
    ],
)
def test_methods_of_a_test_case(line: str, tmp_path: Path) -> None:
    body = f"\nimport unittest\n\nclass Cases(unittest.TestCase):\n    def test(self):\n        {line}\n"
    assert statements(of_body(body, tmp_path)) == [("OMN301", line)]


@pytest.mark.parametrize(
    "decorator",
    [
        pytest.param('pytest.mark.parametrize("dtype", ["float32", "bfloat16"])', id="parametrize"),
        pytest.param('pytest.mark.parametrize(("dtype",), [("float32",), ("bfloat16",)])', id="parametrize-tuples"),
        pytest.param("parameterized.parameters('float32', 'bfloat16')", id="absl"),
        pytest.param("parameterized.parameters(dict(dtype='float32'), dict(dtype='bfloat16'))", id="absl-dicts"),
        pytest.param("parameterized.named_parameters(('single', 'float32'), ('brain', 'bfloat16'))", id="absl-named"),
        pytest.param("parameterized.product(dtype=['float32', 'bfloat16'])", id="absl-product"),
    ],
)
def test_one_bad_case_of_a_parametrised_test(decorator: str, tmp_path: Path) -> None:
    body = f"""
    import pytest
    from absl.testing import parameterized

    @{decorator}
    def test(dtype):
        x = jnp.asarray(X, dtype)
        np.testing.assert_allclose(smooth(x), WANT, rtol=1e-4)
    """
    (found,) = of_body(body, tmp_path)
    assert found.data["dtype"] == "bfloat16"
