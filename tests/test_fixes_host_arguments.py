"""What goes into a parameter of JAX from the host has a form that it takes: Python's tuple or number, if need be."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from omnilint import knowledge
from omnilint.fixes.twins import twins
from tests.golden_fixes import loaded, repair, repaired

jax = pytest.importorskip("jax", reason="what is repaired is run under JAX, and the table is compared with it")
jnp = jax.numpy
np = pytest.importorskip("numpy", reason="the table is compared with NumPy")
sys.path.insert(0, str(Path(__file__).parent.parent / "rules"))
import measure_host_arguments as measured  # noqa: E402

HEAD = "import jax\nimport jax.numpy as jnp\nfrom jax import lax\n\n\n@jax.jit\ndef f(x):\n    "
SHAPE = "jnp.array(x.shape)"


def test_the_table_is_what_jax_does() -> None:
    """In the release that it was measured in, to the letter; any release may take more."""
    known = {name: str(forms).split() for name, forms in knowledge.table("host_arguments").items()}
    now = measured.measure()
    assert len(known) > 100
    assert not [name for name, forms in {**known, **now}.items() if "nothing" in forms]
    for name, forms in now.items():
        assert set(forms) <= set(known.get(name, [])), name
    assert jax.__version__ != "0.10.2" or now == known


@pytest.mark.parametrize("name", [*twins()["reduces"], *twins()["elements"], *twins()["keeps"]])
def test_functions_of_numpy_give_what_the_table_says(name: str) -> None:
    function = getattr(np, name)
    if name in twins()["reduces"]:
        assert isinstance(function(np.array([3, 1, 2])), (np.generic, int))
    elif name in twins()["elements"]:
        for value in (3, np.int64(3), np.array(3)):
            given = (value,) * function.nin
            assert isinstance(function(*given), np.generic)
            assert np.ndim(function(*(np.array([v, 1]) for v in given))) == 1
    else:
        more = (1,) if name == "roll" else ()
        assert np.ndim(function(np.array([3, 1, 2]), *more)) == 1


@pytest.mark.parametrize(
    ("code", "written"),
    [
        pytest.param(
            f"return lax.broadcast_in_dim(x[0, 0], jnp.flip({SHAPE}), ())",
            "lax.broadcast_in_dim(x[0, 0], tuple(np.flip(np.array(x.shape))), ())",
            id="a tuple, of an array",
        ),
        pytest.param(
            f"n = jnp.flip({SHAPE})\n    return lax.broadcast_in_dim(x[0, 0], n, ())",
            "lax.broadcast_in_dim(x[0, 0], tuple(n), ())",
            id="by a name",
        ),
        pytest.param(
            f"return jnp.median(x, axis=jnp.minimum(jnp.array([0, 1]), {SHAPE}))",
            "axis=tuple(np.minimum(np.array([0, 1]), np.array(x.shape))))",
            id="by keyword",
        ),
        pytest.param(
            f"n = jnp.sum({SHAPE} // 2)\n    return lax.full(n, 0.0)", "lax.full(int(n), 0.0)", id="a number, of a sum"
        ),
        pytest.param(
            f"return jax.random.normal(jax.random.key(0), {SHAPE}[0])",
            "jax.random.normal(jax.random.key(0), int(np.array(x.shape)[0]))",
            id="an element",
        ),
        pytest.param(
            "m = jnp.array(x.ndim - 1)\n    return jnp.sort(x, axis=m)", "jnp.sort(x, axis=int(m))", id="an axis"
        ),
        pytest.param(
            "m = jnp.array(x.ndim - 1)\n    return x.cumsum(m)", "x.cumsum(int(m))", id="the axis of a method"
        ),
        pytest.param(
            f"h, w = {SHAPE} // 2\n    return jax.random.normal(jax.random.key(0), h)",
            "jax.random.normal(jax.random.key(0), int(h))",
            id="taken apart",
        ),
        pytest.param(
            "return lax.broadcast(1.0, (jnp.array(x.ndim), 2))",
            "lax.broadcast(1.0, (int(np.array(x.ndim)), 2))",
            id="within a tuple",
        ),
        pytest.param(
            f"n = jnp.prod({SHAPE})\n    return lax.full(n, 0.0)", "lax.full(n, 0.0)", id="a number of Python already"
        ),
        pytest.param(
            f"return jnp.zeros(jnp.flip({SHAPE}))", "jnp.zeros(np.flip(np.array(x.shape)))", id="what takes it"
        ),
    ],
)
def test_what_would_be_refused_becomes_python(code: str, written: str, tmp_path: Path) -> None:
    after = repaired(HEAD + code + "\n", tmp_path)
    assert written in after
    x = jnp.arange(6.0).reshape(2, 3)
    assert loaded(after)(x).shape == jax.eval_shape(loaded(after), x).shape
    with jax.disable_jit():
        try:
            before = loaded(HEAD + code + "\n")(x)
        except TypeError:
            return  # JAX's own arrays are refused as well
    np.testing.assert_allclose(loaded(after)(x), before)


def test_what_may_be_refused_is_for_people_to_look_at(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(HEAD + f"n = jnp.squeeze({SHAPE}[:1] * 2)\n    return lax.full(n, 0.0)\n")
    (found,) = repair(file, unsafe=True).fixed
    assert found.fix is not None
    assert "`lax.full` takes no scalar of NumPy as `shape`" in found.fix.description


def test_nothing_is_written_where_the_builtin_means_something_else(tmp_path: Path) -> None:
    text = "tuple = list\n" + HEAD + f"return lax.broadcast_in_dim(x[0, 0], jnp.flip({SHAPE}), ())\n"
    assert repaired(text, tmp_path) == text
