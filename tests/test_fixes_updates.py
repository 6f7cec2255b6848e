"""`jax.ops.index_update` took lists and NumPy's arrays, which have no `.at`: they are made JAX's arrays first."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from omnilint import cli

HEAD = "import jax\nimport jax.numpy as jnp\nimport numpy as np\n\n\ndef f(a, n=None):\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def updated(*lines: str, options: tuple[str, ...] = ()) -> str:
    """The last line of a function after its repair."""
    Path("a.py").write_text(HEAD + "".join(f"    {line}\n" for line in lines))
    cli.run(["check", "--fix", "--no-config", "--target-jax", "0.10", *options, "a.py"])
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
        pytest.param("(yield)", "jnp.asarray((yield))", id="a yield"),
        pytest.param("(b := n)", "jnp.asarray((b := n))", id="an assignment"),
        pytest.param("jax.random.normal(n, (3,))", "jax.random.normal(n, (3,))", id="drawn"),
    ],
)
def test_an_expression(before: str, after: str) -> None:
    assert updated(f"return jax.ops.index_add({before}, 0, 1)") == f"return {after}.at[0].add(1)"


@pytest.mark.parametrize("name", ["jax.ops.index_update", "index_update"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("u(u(a, 0, 1), 1, 2)", "jnp.asarray(a).at[0].set(1).at[1].set(2)", id="in the first argument"),
        pytest.param("u(a, 0, u(n, 1, 2))", "jnp.asarray(a).at[0].set(jnp.asarray(n).at[1].set(2))", id="in the last"),
        pytest.param(
            "u(u(a, 0, 1), 1, u(a, 0, 1))",
            "jnp.asarray(a).at[0].set(1).at[1].set(jnp.asarray(a).at[0].set(1))",
            id="twice the same",
        ),
        pytest.param("u(jnp.product(a), 0, 1)", "jnp.asarray(jnp.prod(a)).at[0].set(1)", id="beside another name"),
    ],
)
def test_calls_in_calls_are_repaired_at_once(name: str, before: str, after: str) -> None:
    head = "" if "." in name else "    from jax.ops import index_update\n"
    expression = re.sub(r"\bu(?=\()", name, before)
    Path("a.py").write_text(f"{HEAD}{head}    return {expression}\n")
    cli.run(["check", "--fix", "--no-config", "--target-jax", "0.10", "a.py"])
    assert Path("a.py").read_text().splitlines()[-1].strip() == f"return {after}"


def test_however_deep_once_is_enough() -> None:
    text = "a"
    for i in range(30):
        text = f"jax.ops.index_update({text}, {i}, 1)"
    after = updated(f"return {text}")
    assert "index_update" not in after
    assert after.count(".set(1)") == 30


@pytest.mark.parametrize(
    ("given", "after"),
    [
        pytest.param("(), 1", "[()].set(1)", id="no index"),
        pytest.param("(n,), 1", "[(n,)].set(1)", id="a tuple of one"),
        pytest.param("(n, 0), 1", "[n, 0].set(1)", id="a tuple of two"),
        pytest.param("(n, *n), 1", "[(n, *n)].set(1)", id="a tuple unpacked, which old Pythons want in parentheses"),
        pytest.param("0, (yield)", "[0].set((yield))", id="a yield as the value"),
        pytest.param("0, (yield from n)", "[0].set((yield from n))", id="a generator's yield"),
        pytest.param("0, (i for i in n)", "[0].set((i for i in n))", id="a generator"),
        pytest.param("0, lambda: 1", "[0].set(lambda: 1)", id="a function"),
        pytest.param(
            "0, 1, unique_indices=(b := True)", "[0].set(1, unique_indices=(b := True))", id="an assignment by name"
        ),
    ],
)
def test_what_is_given(given: str, after: str) -> None:
    assert updated("a = jnp.asarray(a)", f"return jax.ops.index_update(a, {given})") == f"return a.at{after}"


def test_a_yield_as_the_index_may_be_a_list() -> None:
    line = "return jax.ops.index_update(a, (yield), 1)"
    assert updated("a = jnp.asarray(a)", line) == line
    assert updated("a = jnp.asarray(a)", line, options=("--unsafe-fixes",)) == "return a.at[(yield)].set(1)"
