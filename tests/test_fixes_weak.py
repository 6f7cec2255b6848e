"""A number that was weakly typed stays so on the host: the dtype of the arrays that it meets wins, as before."""

from __future__ import annotations

from pathlib import Path

import pytest

from omnilint.fixes.twins import twins
from tests.golden_fixes import loaded, repaired

jax = pytest.importorskip("jax", reason="what is repaired is run under JAX")
jnp = jax.numpy

HEAD = "import jax\nimport jax.numpy as jnp\nimport numpy as np\n\n\n@jax.jit\ndef f(x):\n    "


@pytest.mark.parametrize("name", twins()["weak"])
def test_the_table_is_true(name: str) -> None:
    assert getattr(jnp, name)(3).weak_type
    assert name in twins()["rounds"]


@pytest.mark.parametrize(
    ("body", "written"),
    [
        pytest.param(
            "n = jnp.sqrt(x.shape[-1])\n    return x[: int(n)] / n", "n = float(np.sqrt(x.shape[-1]))", id="assigned"
        ),
        pytest.param(
            "n = 1 / jnp.sqrt(x.shape[-1])\n    return x[: int(n)] * n",
            "n = 1 / float(np.sqrt(x.shape[-1]))",
            id="in an expression",
        ),
        pytest.param("return x[: int(jnp.sqrt(x.size))]", "int(np.sqrt(x.size))", id="converted at once"),
        pytest.param("n = jnp.log2(x.size)\n    return x[: int(n)] / n", "n = np.log2(x.size)", id="not weak before"),
        pytest.param(
            "n = jnp.sqrt(jnp.array(x.shape))\n    return x[: int(n[0])] / n[0]",
            "n = np.sqrt(np.array(x.shape))",
            id="an array",
        ),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int32"])
def test_the_dtype_stays(body: str, written: str, dtype: str, tmp_path: Path) -> None:
    text = f"{HEAD}{body}\n"
    after = repaired(text, tmp_path)
    assert written in after
    given = jnp.ones((4, 4), dtype)
    with jax.disable_jit():
        before = loaded(text)(given)
        assert loaded(after)(given).aval == before.aval
    assert loaded(after)(given).aval == before.aval
