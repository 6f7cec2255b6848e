"""JAX refuses a list as an index: it becomes an array, or an index of several dimensions; what is unknown is unsafe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from omnilint import cli
from tests.golden_fixes import loaded

np = pytest.importorskip("numpy", reason="what is repaired is compared with NumPy")

HEAD = "import jax\nimport jax.numpy as jnp\nimport numpy as np\n\n\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMNILINT_NO_CACHE", "1")


def repaired(text: str, *options: str) -> str:
    Path("a.py").write_text(text)
    cli.run(["check", "--fix", "--no-config", "--target-jax", "0.10", *options, "a.py"])
    return Path("a.py").read_text()


def function(index: str, name: str = "index_update", before: str = "") -> str:
    return f"{HEAD}{before}def f(x, i=None):\n    x = jnp.asarray(x)\n    return jax.ops.{name}(x, {index}, 7)\n"


SAFE = [
    ("[0, 1]", "jnp.array([0, 1])", ([0, 1],)),
    ("[-1, 0]", "jnp.array([-1, 0])", ([-1, 0],)),
    ("[True, False, True]", "jnp.array([True, False, True])", ([True, False, True],)),
    ("[x.ndim - 1, 0]", "jnp.array([x.ndim - 1, 0])", ([1, 0],)),
    ("[[0, 1], [1, 2]]", "[0, 1], [1, 2]", ([0, 1], [1, 2])),
    ("[[0, 2]]", "[0, 2],", ([0, 2],)),
    ("[slice(1), 0]", "slice(1), 0", (slice(1), 0)),
    ("[..., 0]", "..., 0", (..., 0)),
    ("([0, 1], [1, 2])", "[0, 1], [1, 2]", ([0, 1], [1, 2])),
    ("([0, 1],)", "([0, 1],)", ([0, 1],)),
    ("(slice(None), [0, 2])", "slice(None), [0, 2]", (slice(None), [0, 2])),
    ("range(2)", "jnp.array(range(2), int)", ([0, 1],)),
    ("range(0)", "jnp.array(range(0), int)", (np.array([], int),)),
    ("list(range(2))", "jnp.array(list(range(2)), int)", ([0, 1],)),
    ("[j for j in range(x.ndim)]", "jnp.array([j for j in range(x.ndim)], int)", ([0, 1],)),
    ("jax.ops.index[[0, 1]]", "jnp.array([0, 1])", ([0, 1],)),
    ("jax.ops.index[[0, 1], 2]", "[0, 1], 2", ([0, 1], 2)),
    ("jax.ops.index[:, [0, 2]]", ":, [0, 2]", (slice(None), [0, 2])),
    ("jax.ops.index[1:]", "1:", (slice(1, None),)),
    ("jax.ops.index[1:, ::2]", "1:, ::2", (slice(1, None), slice(None, None, 2))),
    ("jnp.index_exp[[0, 1]]", "jnp.array([0, 1])", ([0, 1],)),
    ("np.s_[[0, 1]]", "jnp.array([0, 1])", ([0, 1],)),
    ("np.array([0, 1])", "np.array([0, 1])", ([0, 1],)),
    ("x.argmax() - 10", "x.argmax() - 10", (1,)),
    ("jnp.where(jnp.asarray(x) > 5)", "jnp.where(jnp.asarray(x) > 5)", "mask"),
    ("jnp.asarray(x) > 5", "jnp.asarray(x) > 5", "mask"),
]


@pytest.mark.parametrize(("index", "written", "meant"), [pytest.param(*row, id=row[0]) for row in SAFE])
@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("index_update", "set"),
        ("index_add", "add"),
        ("index_mul", "multiply"),
        ("index_min", "min"),
        ("index_max", "max"),
    ],
)
def test_an_index_that_is_known(index: str, written: str, meant: Any, name: str, method: str) -> None:
    pytest.importorskip("jax", reason="what is repaired is run under JAX")
    after = repaired(function(index, name))
    assert f"x.at[{written}].{method}(7)" in after
    made = loaded(after)
    x = np.arange(12).reshape(3, 4)
    wanted = x.copy()
    where = x > 5 if isinstance(meant, str) else meant
    change = {"set": lambda v: 7, "add": lambda v: v + 7, "multiply": lambda v: v * 7}
    change |= {"min": lambda v: np.minimum(v, 7), "max": lambda v: np.maximum(v, 7)}
    wanted[where] = change[method](wanted[where])
    np.testing.assert_array_equal(made(x), wanted)


@pytest.mark.parametrize(
    ("before", "written"),
    [
        pytest.param("I = [0, 1]\n\n\n", "jnp.array(I)", id="a list"),
        pytest.param("I = [[0, 1], [1, 2]]\n\n\n", "tuple(I)", id="a list of lists"),
        pytest.param("I = ([0, 1], [1, 2])\n\n\n", "I", id="a tuple"),
        pytest.param("I = range(3)\n\n\n", "jnp.array(I, int)", id="a range"),
        pytest.param("I = jax.ops.index[[0, 1]]\n\n\n", "jnp.array(I)", id="a list between brackets"),
        pytest.param("I = np.index_exp[[0, 1]]\n\n\n", "I", id="a tuple of a list"),
        pytest.param("I = 3\n\n\n", "I", id="a number"),
        pytest.param("I = jax.ops.index[1:]\n\n\n", "I", id="a slice"),
    ],
)
def test_an_index_by_name(before: str, written: str) -> None:
    assert f"x.at[{written}].set(7)" in repaired(function("I", before=before))


@pytest.mark.parametrize(
    "index",
    [
        pytest.param("[]", id="an empty list"),
        pytest.param("[i, 0]", id="of what may be an array"),
        pytest.param("[*i]", id="unpacked"),
        pytest.param("[0.5, 1]", id="of floats"),
        pytest.param("list(i)", id="made of what is unknown"),
        pytest.param("[j for j in i]", id="made of its elements"),
        pytest.param("(range(2), 0)", id="a range in a tuple"),
        pytest.param("jax.ops.index[[i]]", id="between brackets"),
    ],
)
def test_a_list_of_what_is_unknown_stays(index: str) -> None:
    text = function(index)
    assert repaired(text, "--unsafe-fixes") == text


@pytest.mark.parametrize(
    ("head", "index"),
    [
        pytest.param("def f(x, i):\n", "i", id="a parameter"),
        pytest.param("def f(x, i):\n", "i[0]", id="an element"),
        pytest.param("def f(x, i):\n", "i * 2", id="twice what may be a list"),
        pytest.param("def f(x, i):\n", "sorted(i)", id="sorted"),
        pytest.param("def f(x, i):\n", "x.tolist()", id="a list of a method"),
        pytest.param("def f(x, i):\n", "jax.ops.index[i]", id="between brackets"),
        pytest.param("def u(x):\n    return f(x, [1])\n\n\ndef f(x, i):\n", "i", id="one that gets a list"),
        pytest.param("def u(x):\n    return jax.jit(f)(x, x)\n\n\ndef f(x, i):\n", "i", id="one of a function in use"),
        pytest.param("from somewhere import i\n\n\ndef f(x):\n", "i", id="imported"),
    ],
)
def test_what_may_be_a_list_is_unsafe(head: str, index: str) -> None:
    text = f"{HEAD}{head}    return jax.ops.index_update(jnp.asarray(x), {index}, 7)\n"
    assert repaired(text) == text
    within = index.removeprefix("jax.ops.index[").removesuffix("]") if "ops" in index else index
    assert f".at[{within}].set(7)" in repaired(text, "--unsafe-fixes")


@pytest.mark.parametrize(
    ("head", "index"),
    [
        pytest.param("def f(x, i: int):\n", "i", id="annotated"),
        pytest.param("def f(x, i: jnp.ndarray):\n", "i", id="annotated as an array"),
        pytest.param("def f(x, i):\n    y = i - 1\n", "i", id="subtracted from"),
        pytest.param("def f(x, i):\n    y = i + 1\n", "i", id="added to"),
        pytest.param("def f(x, i):\n    y = i < 1\n", "i", id="compared"),
        pytest.param("def f(x, i):\n", "i + 1", id="one more"),
        pytest.param("def f(x, i):\n", "i[:, 0]", id="a column"),
        pytest.param("def f(x, i):\n", "(i, 0)", id="in a tuple"),
        pytest.param("def f(x, n):\n    for i in range(n):\n        pass\n", "i", id="counted"),
        pytest.param("def u(x):\n    return f(x, 1) + f(x, i=2)\n\n\ndef f(x, i):\n", "i", id="given numbers"),
        pytest.param("def u(x):\n    return jax.lax.fori_loop(0, 3, f, x)\n\n\ndef f(i, x):\n", "i", id="of a loop"),
    ],
)
def test_what_is_no_list_is_safe(head: str, index: str) -> None:
    text = f"{HEAD}{head}    return jax.ops.index_update(jnp.asarray(x), {index}, 7)\n"
    within = index[1:-1] if index.startswith("(") else index
    assert f".at[{within}].set(7)" in repaired(text)
