"""A fixed size fills the result: it is given only where what fills it goes nowhere, and what it does is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from omnilint.model import Applicability, Fix
from tests.golden_fixes import loaded, repair, repaired

jax = pytest.importorskip("jax", reason="what is repaired is run under JAX")
jnp = jax.numpy
np = pytest.importorskip("numpy", reason="what is repaired is compared with NumPy")

HEAD = "import jax\nimport jax.numpy as jnp\n\n\n@jax.jit\n"
X = ([3.0, -1.0, 7.0, -2.0], [1.0, 1.0, 1.0, 1.0], [-1.0, 5.0, -1.0, -1.0])
EMPTY = [-1.0, -1.0, -1.0, -1.0]
SQUARE = [[1.0, -1.0], [-2.0, 4.0]]


def module(body: str, parameters: str = "x") -> str:
    return f"{HEAD}def f({parameters}):\n    {body}\n"


def offered(body: str, folder: Path, parameters: str = "x") -> tuple[Fix | None, str]:
    """The one repair, and why there is none."""
    file = folder / "a.py"
    file.write_text(module(body, parameters))
    (finding,) = repair(file, unsafe=False).report.findings
    return finding.fix, str(finding.data.get("unfixed", ""))


UPDATES = [
    "return x.at[jnp.nonzero(x > 0)].add(1)",
    "return x.at[jnp.nonzero(x > 0)].set(0.0)",
    "return x.at[jnp.where(x > 0)].multiply(2)",
    "i = jnp.nonzero(x > 0)\n    return x.at[i].set(-3)",
    "i = jnp.nonzero(x > 0)\n    y = x.at[i].add(1)\n    return y, x.at[i].set(2)",
    "i = jnp.argwhere(x > 0)\n    return x.at[tuple(i.T)].min(1)",
    "i = jnp.flatnonzero(x > 0)\n    return x.at[i].divide(2)",
    "(i,) = jnp.nonzero(x > 0)\n    x = x.at[i].add(1)\n    x = x.at[i].add(1)\n    return x",
]


@pytest.mark.parametrize("body", UPDATES)
def test_an_update_at_what_fills_it_is_dropped(body: str, tmp_path: Path) -> None:
    """Where it is repaired, the rest of the indices is out of bounds of what is updated."""
    after = repaired(module(body), tmp_path)
    assert "size=x.size, fill_value=x.size" in after
    given = [*X, EMPTY] if "," in body or "flat" in body else [*X, EMPTY, SQUARE]
    for values in given:
        x = jnp.array(values)
        with jax.disable_jit():
            old = loaded(module(body))(x)
        for a, b in zip(jax.tree.leaves(old), jax.tree.leaves(loaded(after)(x)), strict=True):
            np.testing.assert_array_equal(a, b)
            assert a.dtype == b.dtype


@pytest.mark.parametrize(
    ("parameters", "body"),
    [
        pytest.param("x", "return x[jnp.nonzero(x > 0)]", id="read at once"),
        pytest.param("x", "return x[jnp.nonzero(x > 0)[0]].sum()", id="read and summed"),
        pytest.param("x", "i = jnp.nonzero(x > 0)\n    return x[i].sum()", id="read by name"),
        pytest.param("x", "(i,) = jnp.where(x > 0)\n    return x[i].sum()", id="read after unpacking"),
        pytest.param("x", "return jnp.take(x, jnp.flatnonzero(x > 0))", id="taken"),
        pytest.param("x", "return x.take(indices=jnp.flatnonzero(x > 0))", id="taken by a method"),
        pytest.param("x", "i = jnp.flatnonzero(x > 0)\n    j = i + 1\n    return x[j]", id="read, by a name more"),
        pytest.param("x", "i = jnp.flatnonzero(x > 0)\n    return x[i + 1]", id="read, computed"),
        pytest.param("x", "i = jnp.flatnonzero(x > 0)\n    return x.at[i].set(x[i] * 2)", id="read to be written"),
        pytest.param("x", "return x.at[jnp.nonzero(x > 0)].get()", id="got"),
        pytest.param("x, y", "return y.at[jnp.nonzero(x > 0)].set(x)", id="as many values as there are"),
        pytest.param("x", "return x.at[jnp.nonzero(x > 0)].set(0, mode='clip')", id="clipped"),
        pytest.param("x", "y = jnp.sin(x)\n    return y.at[jnp.nonzero(x > 0)].set(0)", id="an array made here"),
        pytest.param("x", "i = jnp.nonzero(x > 0)\n    x = x[:2]\n    return x.at[i].set(0)", id="cut in between"),
        pytest.param("x", "i = jnp.flatnonzero(x > 0)\n    return x.at[i - 1].set(0)", id="the one before"),
        pytest.param("x", "i = -jnp.flatnonzero(x > 0)\n    return x.at[i].set(0)", id="from the end"),
        pytest.param("x", "i, = jnp.nonzero(x)\n    return x.ravel().at[i].max(9)", id="what is updated is made there"),
        pytest.param("x", "return len(jnp.flatnonzero(x))", id="counted"),
        pytest.param("x", "return jnp.unique(x).size", id="its size"),
        pytest.param("x", "i = jnp.unique(x)\n    return i.shape[0]", id="its shape"),
        pytest.param("x", "for i in jnp.flatnonzero(x):\n        x = x + i\n    return x", id="a loop"),
        pytest.param("x", "return x[jnp.unique(x, return_index=True)[1]]", id="the places of what is unique"),
    ],
)
def test_where_what_fills_it_would_count_nothing_is_offered(parameters: str, body: str, tmp_path: Path) -> None:
    fix, why = offered(body, tmp_path, parameters)
    assert fix is None
    assert why


@pytest.mark.parametrize(
    ("body", "said"),
    [
        pytest.param("return jnp.nonzero(x > 0)", "0", id="indices that are returned"),
        pytest.param("return jnp.argwhere(x > 0)", "0", id="rows"),
        pytest.param("return jnp.unique(x)", "the smallest value again", id="values"),
        pytest.param("return jnp.unique(x, return_counts=True)[1].max()", "the smallest value", id="counts"),
        pytest.param("return jnp.flatnonzero(x > 0)[-1]", "0", id="the last"),
    ],
)
def test_what_goes_on_is_only_shown_and_said(body: str, said: str, tmp_path: Path) -> None:
    fix, _ = offered(body, tmp_path)
    assert fix is not None
    assert fix.applicability is Applicability.DISPLAY
    assert f"becomes {said}" in fix.description


@pytest.mark.parametrize(
    ("parameters", "body", "size"),
    [
        pytest.param("x", "return jnp.nonzero(x > 0)[0][0]", "x.size", id="a mask by a number"),
        pytest.param("x, y", "return jnp.nonzero(x > y)[0][0]", "1", id="a mask that may be larger"),
        pytest.param("x, y", "return jnp.nonzero(y < x)[-1][2]", "3", id="the third"),
        pytest.param("x", "return jnp.unique(x.ravel() * 2)[1]", "2", id="of what is computed"),
    ],
)
def test_one_entry_needs_no_more(parameters: str, body: str, size: str, tmp_path: Path) -> None:
    after = repaired(module(body, parameters), tmp_path)
    assert f", size={size})" in after
    given = (jnp.array([1.0, 2.0, 3.0]), jnp.array([[0.0], [1.0]]))[: 1 + ("y" in parameters)]
    with jax.disable_jit():
        old = loaded(module(body, parameters))(*given)
    assert loaded(after)(*given) == old


def test_a_mask_that_may_be_larger_has_no_size(tmp_path: Path) -> None:
    fix, why = offered("return jnp.nonzero(x > y)", tmp_path, "x, y")
    assert fix is None
    assert "how many" in why
