"""What must not be said: exact values, the unknown, declared failures, the same operations twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tolerance_support import of_body, statements


def check_silent(body: str, root: Path) -> None:
    assert statements(of_body(body, root)) == []


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("np.testing.assert_allclose(smooth(X), WANT, rtol=1e-5)", id="room"),
        pytest.param("np.testing.assert_allclose(smooth(X), WANT, rtol=1e-9, atol=1e-4)", id="absolute-room"),
        pytest.param("np.testing.assert_allclose(smooth(X), smooth(X), rtol=0)", id="same-call"),
        pytest.param("np.testing.assert_allclose(smooth(X).T.T, smooth(X), rtol=1e-12)", id="moved-values"),
        pytest.param("np.testing.assert_allclose(np.exp(X) * 2, np.exp(X) + np.exp(X), rtol=1e-15)", id="numpy-only"),
        pytest.param("np.testing.assert_allclose(library.solve(X), WANT, rtol=1e-12)", id="unknown-function"),
        pytest.param("np.testing.assert_allclose(smooth(X), library.solve(X), rtol=1e-12)", id="unknown-reference"),
        pytest.param("np.testing.assert_allclose(smooth(X), WANT, rtol=library.RTOL)", id="unknown-tolerance"),
        pytest.param("np.testing.assert_allclose(smooth(X), WANT, **library.KWARGS)", id="unknown-keywords"),
        pytest.param("np.testing.assert_allclose(jnp.argmax(smooth(X)), np.argmax(WANT), rtol=1e-12)", id="integers"),
        pytest.param("np.testing.assert_allclose(jnp.round(smooth(X)), np.round(WANT), rtol=1e-12)", id="rounded"),
        pytest.param("np.testing.assert_allclose(jnp.zeros(3) * 2.0, 0.0, atol=1e-12)", id="zeros"),
        pytest.param("np.testing.assert_allclose(jnp.sin(0.3), 0.0, atol=1e-12)", id="against-zero"),
        pytest.param("np.testing.assert_allclose(jnp.mean(jnp.ones(7)), 1.0)", id="mean-of-ones"),
        pytest.param("np.testing.assert_allclose(jnp.exp(0.3), 1.3498588)", id="one-operation-default"),
        pytest.param("np.testing.assert_array_equal(jax.jit(jnp.exp)(X), jnp.exp(X))", id="one-operation-exact"),
        pytest.param("assert not np.allclose(smooth(X), WANT, rtol=1e-14, atol=0)", id="denied"),
        pytest.param("assert np.allclose(smooth(X), WANT, rtol=1e-14) or True", id="either-way"),
        pytest.param("close = np.allclose(smooth(X), WANT, rtol=1e-14, atol=0)", id="not-asserted"),
        pytest.param("assert jnp.max(smooth(X)) - jnp.max(X) < 1e-9", id="difference-without-size"),
        pytest.param("assert jnp.abs(smooth(X) - X[:, :1]).max() < 2.5", id="large-bound"),
    ],
)
def test_statement(body: str, tmp_path: Path) -> None:
    check_silent(f"\nimport library\n\ndef test():\n    {body}\n", tmp_path)


def test_expected_failure(tmp_path: Path) -> None:
    check_silent(
        """
        import pytest

        def test_raises():
            with pytest.raises(AssertionError):
                np.testing.assert_allclose(smooth(X), WANT, rtol=1e-12)

        class Cases:
            def test_raises(self):
                with self.assertRaises(AssertionError):
                    np.testing.assert_allclose(smooth(X), WANT, rtol=1e-12)

        def test_caught():
            try:
                np.testing.assert_allclose(smooth(X), WANT, rtol=1e-12)
            except AssertionError:
                return
        """,
        tmp_path,
    )


def test_helper_without_its_callers(tmp_path: Path) -> None:
    check_silent(
        """
        def assert_close(a, b, rtol=1e-12):
            np.testing.assert_allclose(a, b, rtol=rtol)
        """,
        tmp_path,
    )


def test_branch_that_is_not_taken(tmp_path: Path) -> None:
    check_silent(
        """
        def compare(dtype):
            rtol = 1e-14 if dtype == "float64" else 1e-4
            np.testing.assert_allclose(smooth(jnp.asarray(X, dtype)), WANT, rtol=rtol)

        def test():
            compare("float32")
        """,
        tmp_path,
    )


def test_value_that_may_be_either(tmp_path: Path) -> None:
    check_silent(
        """
        def test(flag):
            rtol = 1e-12 if flag else 1e-3
            np.testing.assert_allclose(smooth(X), WANT, rtol=rtol)
        """,
        tmp_path,
    )


def test_shadowed_names(tmp_path: Path) -> None:
    check_silent(
        """
        def test():
            jnp = np
            np.testing.assert_allclose(jnp.exp(X) * 3.3, np.exp(X) * 1.1 * 3, rtol=1e-14)
        """,
        tmp_path,
    )


def test_other_frameworks(tmp_path: Path) -> None:
    text = """
    import numpy as np
    import torch

    def test():
        np.testing.assert_allclose(torch.exp(torch.ones(3) * 0.3), np.exp(0.3), rtol=1e-12)
    """
    assert of_body(text, tmp_path, head="") == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x = " + "(" * 90 + "1" + ")" * 90, id="parentheses"),
        pytest.param("import numpy as np\nassert abs(" + "+".join(["np.ones(3)"] * 200) + ") < 1e-9", id="long-sum"),
        pytest.param(
            "import jax\ndef f(x):\n    return f(x)\n\ndef test():\n    assert abs(f(1)) < 1e-9", id="recursion"
        ),
        pytest.param(f"import numpy as np\nassert np.allclose({10**400}, {10**400}, rtol={10**400})", id="huge-number"),
        pytest.param(
            f"import jax\nassert abs(jax.lax.scan(lambda c, x: (c + x, c), 0.5, None, {10**400})[0]) < 1e-9",
            id="huge-number-of-steps",
        ),
        pytest.param(
            f"import jax\nassert abs(jax.lax.fori_loop(0, {10**400}, lambda i, c: c + i, 0.5)) < 1e-9",
            id="huge-number-of-turns",
        ),
        pytest.param(
            f"import jax\nfrom jax.test_util import check_grads\ncheck_grads(abs, (1.0,), 1, eps={10**400})",
            id="huge-step",
        ),
        pytest.param(f"import numpy as np\nassert np.allclose({list(range(5000))}, 1, rtol=0)", id="huge-literal"),
        pytest.param("import numpy as np\nassert np.allclose(*[], **{})", id="no-arguments"),
        pytest.param("import numpy as np\nnp.testing.assert_allclose()", id="called-empty"),
        pytest.param("import jax\nassert jax.tree.map(None, None) < 1e-9 + abs(0)", id="none-trees"),
        pytest.param("import jax\nassert abs(jax.lax.scan()) < 1e-9", id="scan-of-nothing"),
    ],
)
def test_odd_code_is_survived(text: str, tmp_path: Path) -> None:
    assert of_body(text, tmp_path, head="") == []
