"""Whole numbers that shape maths is taken apart to: the arithmetic moves to the host, and its parts are sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden_fixes import loaded, repaired

jax = pytest.importorskip("jax", reason="what is repaired is run under JAX")
jnp = jax.numpy
np = pytest.importorskip("numpy", reason="what is repaired is compared with NumPy")

HEAD = "import jax\nimport jax.numpy as jnp\n\n\n@jax.jit\ndef f(x):\n    "


@pytest.mark.parametrize(
    ("taken", "used", "written"),
    [
        ("h, w = jnp.array(x.shape[1:3]) // 2", "x[:, :h, :w]", "h, w = np.array(x.shape[1:3]) // 2"),
        ("h, w = jnp.floor_divide(jnp.array(x.shape[1:]), 2)", "x[:, :h]", "np.floor_divide(np.array(x.shape[1:]), 2)"),
        ("h, w = (jnp.array(x.shape[1:]) * 0.5).astype(int)", "x[:, :h]", "(np.array(x.shape[1:]) * 0.5).astype(int)"),
        ("(h, w), c = jnp.array(x.shape[1:]) // 2, 3", "jnp.zeros((h, w, c))", "np.array(x.shape[1:]) // 2, 3"),
        ("h, *rest = jnp.array(x.shape) // 2", "jnp.zeros((h, rest[0]))", "h, *rest = np.array(x.shape) // 2"),
        ("[h, w, c] = jnp.array(x.shape) // 2", "jnp.ones(h * w)", "[h, w, c] = np.array(x.shape) // 2"),
    ],
)
def test_parts_of_shape_maths_are_sizes(taken: str, used: str, written: str, tmp_path: Path) -> None:
    before = f"{HEAD}{taken}\n    return {used}\n"
    after = repaired(before, tmp_path)
    assert written in after
    x = jnp.arange(48.0).reshape(2, 4, 6)
    with jax.disable_jit():
        old = loaded(before)(x)
    np.testing.assert_allclose(loaded(after)(x), old)


def test_what_is_traced_is_taken_apart_as_it_was(tmp_path: Path) -> None:
    before = f"{HEAD}h, w = x[0, 0, :2] // 2\n    return x * h + w\n"
    assert repaired(before, tmp_path) == before
