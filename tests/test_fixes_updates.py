"""`jax.ops.index_update` took lists and NumPy's arrays, which have no `.at`: they are made JAX's arrays first."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from omnilint import cli

HEAD = "import jax\nimport jax.numpy as jnp\nimport numpy as np\n\n\ndef f(a, n=None):\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def updated(*lines: str) -> str:
    """The last line of a function after its repair."""
    Path("a.py").write_text(HEAD + "".join(f"    {line}\n" for line in lines))
    cli.run(["check", "--fix", "--no-config", "--target-jax", "0.10", "a.py"])
    text = Path("a.py").read_text()
    ast.parse(text)
    return text.splitlines()[-1].strip()


@pytest.mark.parametrize(
    ("lines", "wrapped"),
    [
        pytest.param(["a = np.zeros(3)"], True, id="an array of NumPy's"),
        pytest.param(["a = [1, 2]"], True, id="a list"),
        pytest.param([], True, id="a parameter"),
        pytest.param(["a = a * 1.0"], True, id="unknown, computed"),
        pytest.param(["a = jnp.where(a)"], True, id="a tuple of arrays"),
        pytest.param(["if n:", "    a = jnp.ones(3)"], True, id="an array in one way"),
        pytest.param(["a = jnp.ones(3)", "for a in [[1]]: pass"], True, id="bound again by a loop"),
        pytest.param(["a = jnp.ones(3)", "a += n"], True, id="added to, by what isn't known"),
        pytest.param(
            ["def g():", "    nonlocal a", "    a = [1]", "a = jnp.ones(3)", "g()"], True, id="set by another"
        ),
        pytest.param(["a = jnp.ones(3)"], False, id="an array"),
        pytest.param(["a = jnp.ones(3)", "a = -a * 2"], False, id="computed from one"),
        pytest.param(["a = jnp.asarray(a)"], False, id="made one"),
        pytest.param(["a = jnp.asarray(a)", "a = a.at[1].set(2)"], False, id="updated before"),
        pytest.param(["a = jnp.asarray(a)", "if n:"], False, id="made one before the block"),
    ],
)
def test_what_is_no_array_is_made_one(lines: list[str], wrapped: bool) -> None:
    inner = "    " if lines and lines[-1].endswith(":") else ""
    after = updated(*lines, f"{inner}return jax.ops.index_update(a, 0, 1)")
    assert after == f"return {'jnp.asarray(a)' if wrapped else 'a'}.at[0].set(1)"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("np.asarray(a)", "jnp.asarray(np.asarray(a))", id="a call of NumPy's"),
        pytest.param("jnp.zeros(3)", "jnp.zeros(3)", id="a call of JAX's"),
        pytest.param("1 + jnp.zeros(3)", "(1 + jnp.zeros(3))", id="a sum"),
        pytest.param("a if n else n", "jnp.asarray(a if n else n)", id="a choice"),
        pytest.param("jax.random.normal(n, (3,))", "jax.random.normal(n, (3,))", id="drawn"),
    ],
)
def test_an_expression(before: str, after: str) -> None:
    assert updated(f"return jax.ops.index_add({before}, 0, 1)") == f"return {after}.at[0].add(1)"
