"""What a repair of shape maths asks a person to look at is true of the numbers that it moves."""

from __future__ import annotations

from pathlib import Path

import pytest

from omnilint.fixes.limits import FLOATS, MAYBE_FLOATS, NARROW
from tests.golden_fixes import repair

HEAD = "import jax\nimport jax.numpy as jnp\n\n\n@jax.jit\ndef f(x):\n    "


@pytest.mark.parametrize(
    ("body", "told"),
    [
        pytest.param("return jnp.zeros(jnp.int8(x.shape[0]))", {NARROW}, id="a narrow constructor"),
        pytest.param("return jnp.zeros(jnp.uint8(x.shape[0] // 2))", {NARROW}, id="an unsigned one"),
        pytest.param(
            "n = jnp.asarray(x.shape[0] // 2, dtype=jnp.int16)\n    return jnp.zeros(int(n))",
            {NARROW},
            id="a narrow dtype",
        ),
        pytest.param(
            "n = jnp.array(x.shape[0]).astype(jnp.int8) // 2\n    return jnp.zeros(int(n))", {NARROW}, id="arithmetic"
        ),
        pytest.param("n = jnp.array(x.shape[0]) // 2\n    return jnp.zeros(int(n))", set(), id="whole numbers"),
        pytest.param(
            "n = jnp.maximum(x.shape[0] // 2, 1)\n    return jnp.zeros(int(n)) + x[0] * n",
            {MAYBE_FLOATS},
            id="met by what may be a float",
        ),
        pytest.param("n = jnp.array(x.shape[0]) / 2\n    return jnp.zeros(int(n * 3))", {FLOATS}, id="a ratio"),
    ],
)
def test_says_what_numbers_do_otherwise(body: str, told: set[str], tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(f"{HEAD}{body}\n")
    fixes = [f.fix.description for f in repair(file, unsafe=True).fixed if f.fix is not None]
    assert fixes
    assert {t for t in (NARROW, FLOATS, MAYBE_FLOATS) if any(t in d for d in fixes)} == told
