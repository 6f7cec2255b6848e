"""What CONC's repairs give under jit is what the code before gave eagerly, whichever way a branch goes."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.golden_fixes import loaded, repair, repaired

jax = pytest.importorskip("jax", reason="what is repaired is run under JAX")
jnp = jax.numpy
np = pytest.importorskip("numpy", reason="what is repaired is compared with NumPy")

HEAD = "import jax\nimport jax.numpy as jnp\nimport numpy as np\nfrom jax import lax\n\n\n"
TAIL = "\n\ndef half(x):\n    return x * 0.5\n"
VECTORS = ([1.0, 2.0, 3.0], [-1.0, -2.0, -3.0], [0.5, 0.25, 0.25])
NUMBERS = (1.0, -1.0, 5.0)
ROWS = ([[1.0, 2.0], [-1.0, 2.0]],)


def module(body: str, parameters: str) -> str:
    return f"{HEAD}@jax.jit\ndef f({parameters}):\n{textwrap.indent(body, '    ')}\n{TAIL}"


def assert_same(old: Any, new: Any) -> None:
    """The same structure, shapes, dtypes and numbers; a Python number may have become an array of its kind or above."""
    assert jax.tree.structure(old) == jax.tree.structure(new)
    for a, b in zip(jax.tree.leaves(old), jax.tree.leaves(new), strict=True):
        assert np.shape(a) == np.shape(b)
        if isinstance(a, (bool, int, float)):
            order = (jnp.bool_, jnp.integer, jnp.floating)
            kinds = [next(i for i, k in enumerate(order) if jnp.issubdtype(jnp.asarray(x).dtype, k)) for x in (a, b)]
            assert kinds[0] == kinds[1] or kinds == [1, 2]
        else:
            assert jnp.asarray(a).dtype == jnp.asarray(b).dtype
        np.testing.assert_allclose(a, b, rtol=1e-5)


# Parameters, what the function is given (one tuple or value for each call), its body.
MADE = [
    ("x", VECTORS, "if 0 < x.sum() < 3:\n    return x\nreturn -x"),
    ("x", VECTORS, "return x if 0 < x.sum() <= 6 else -x"),
    ("x", NUMBERS, "if -2 < x < 3 < 4:\n    return x\nreturn -x"),
    ("x", VECTORS, "if x.sum() > 0 and x.min() < 1:\n    return x\nreturn -x"),
    ("x", VECTORS, "if x.sum() > 2 or x.min() < -2:\n    return x\nreturn -x"),
    ("x", VECTORS, "if not (x.sum() > 2 and x.min() < 2):\n    return x\nreturn -x"),
    ("x", NUMBERS, "if x > 0 and 1 < x < 7 or x < -4:\n    return x\nreturn -x"),
    ("x", VECTORS, "if not x.sum() > 0:\n    return x\nreturn -x"),
    ("x", (*VECTORS, [0.0, 0.0, 0.0]), "if not x.any():\n    return x\nreturn -x"),
    ("x", (*VECTORS, [0.0, 0.0, 0.0]), "if x.sum():\n    return x + 1\nreturn -x"),
    ("x", VECTORS, "if bool(jnp.any(x > 0)) and bool(jnp.all(x < 3)):\n    return x\nreturn -x"),
    ("x", VECTORS, "if jnp.any(x > 0) and not jnp.all(x < 3):\n    return x\nreturn -x"),
    ("x", NUMBERS, "if bool(x > 0):\n    return x\nreturn -x"),
    ("x", NUMBERS, "y = x > 0 and x < 3\nreturn jnp.where(y, 1, 2)"),
    ("x", NUMBERS, "return jnp.where(0 < x < 3, x, 0)"),
    ("x", NUMBERS, "y = not x > 0\nreturn jnp.where(y, 1, 2)"),
    ("x", NUMBERS, "return x if x > 0 else 0"),
    ("x", NUMBERS, "return 1.0 if x > 0 else 0.0"),
    ("x", VECTORS, "if x.sum() > 0:\n    return x / x.sum()\nreturn x"),
    ("x", VECTORS, "if x.sum() > 0:\n    return x.sum()\nreturn 0"),
    ("x", VECTORS, "if x[0] > 0:\n    x = x * 2\nreturn x"),
    ("x", VECTORS, "y = 0\nif x[0] > 0:\n    y = 1\nreturn y + x"),
    ("x", VECTORS, "if x.sum() > 0:\n    return x[:2]\nreturn x[1:]"),
    ("x", NUMBERS, "if x > 0:\n    return half(x)\nreturn -x"),
    ("x, y", [(v, w) for v in VECTORS for w in VECTORS[:2]], "if x.sum() > 0:\n    return x\nreturn y"),
    ("x", VECTORS, "return max(x.sum(), 1.0) * x"),
    ("x", NUMBERS, "return min(max(x, 0.0), 1.0)"),
    ("x", NUMBERS, "return max(0, x)"),
    ("x", VECTORS, "return float(x.sum()) * x"),
    ("x", VECTORS, "return float(x.sum() > 0)"),
    ("x", VECTORS, "s = float(x.mean()) / 2\nreturn x - s, s"),
    ("x", VECTORS, "return jnp.maximum(x, float(x.mean()))"),
    ("x", VECTORS, "return jnp.sqrt(float(x[2] * x[2]) + 1) * x"),
    ("x", VECTORS, "return float(x.argmax()) / 2"),
    ("x", VECTORS, "return bool(x.sum() > 1)"),
    ("x", VECTORS, "return x * bool(x.sum())"),
    ("x", VECTORS, "return int(x.max() * 2.7) + x"),
    ("x", VECTORS, "return -int(x[1] * 1.3)"),
    ("x", VECTORS, "return {'loss': x.sum().item()}"),
    ("x", VECTORS, "for i in range(x.argmax()):\n    x = x * 2 + i\nreturn x"),
    ("x", VECTORS, "for i in range(1, x.astype(int).max()):\n    x += i\nreturn x"),
    ("x", VECTORS, "y = 0\nfor i in range(x.argmax()):\n    y = y + i\nreturn y"),
    ("x", VECTORS, "y = 0.0\nfor i in range(x.argmax()):\n    y = y + x[i]\nreturn y"),
    ("x", VECTORS, "for i in range(x.argmax()):\n    x = x.at[i].set(0)\nreturn x"),
    ("x", VECTORS, "return x[x > 0].sum()"),
    ("x", VECTORS[::2], "good = jnp.abs(x) > 0.3\nreturn x[good].mean()"),
    ("x", VECTORS[::2], "return x[x > x.mean()].std()"),
    ("x", ROWS, "return x[x > 0].sum()"),
    ("x", VECTORS, "return x.at[x > 0].set(0)"),
    ("x", VECTORS, "return x.at[(x > 0) & (x < 2)].add(1)"),
    ("x", ROWS, "return x.at[x > 0].multiply(2)"),
    ("x", VECTORS, "return (1, 2, 4)[x.argmax()] * x"),
    ("x", VECTORS, "table = [(1.0, -2.0), (3.0, 4.0), (5.0, 6.0)]\nreturn table[x.argmax()][0] * x"),
    ("x", VECTORS[::2], "return x[jnp.nonzero(x > 0)[0][0]]"),
    ("x", VECTORS, "return np.maximum(x, 0).sum()"),
    ("x", VECTORS, "return np.log([x.max() ** 2, x.min() ** 2])"),
    ("x", VECTORS, "y = np.exp(x)\nreturn y / y.sum()"),
    ("x, n", [(VECTORS[0], 2), (VECTORS[1], 1)], "return x[:n]"),
    ("x, flag", [(VECTORS[0], True), (VECTORS[1], False)], "if flag:\n    return x\nreturn -x"),
    ("x, n: int", [(VECTORS[0], 2), (VECTORS[1], 0)], "return x + max(n, 1)"),
]


@pytest.mark.parametrize(("parameters", "calls", "body"), [pytest.param(*row, id=row[2]) for row in MADE])
def test_the_repair_gives_what_the_code_gave(parameters: str, calls: Sequence[Any], body: str, tmp_path: Path) -> None:
    after = repaired(module(body, parameters), tmp_path)
    before = module(body, parameters)
    assert after != before
    for call in calls:
        given = [
            jnp.array(v) if isinstance(v, (list, float)) else v for v in (call if isinstance(call, tuple) else [call])
        ]
        with jax.disable_jit():
            old = loaded(before)(*given)
        assert_same(old, loaded(after)(*given))


@pytest.mark.parametrize(
    ("parameters", "body"),
    [
        pytest.param("x", "if x in (1.0, 2.0):\n    return x\nreturn -x", id="in compares in Python"),
        pytest.param("x", "if x is None or x > 0:\n    return x\nreturn -x", id="a test for None"),
        pytest.param("x", "if x.ndim > 1 and x[0, 0] > 0:\n    return x\nreturn -x", id="a guard before"),
        pytest.param("x", "if x.sum() > 0 and half(x).sum():\n    return x\nreturn -x", id="not a truth value"),
        pytest.param("x", "if x.sum() > 0 and half(x) > 0:\n    return x\nreturn -x", id="a call that may not run"),
        pytest.param("x", "if 0 < half(x).sum() < 1:\n    return x\nreturn -x", id="a call that would run twice"),
        pytest.param("x", "while 0 < x.sum() < 9:\n    x = x * 2\nreturn x", id="a loop"),
        pytest.param("x", "if x.sum() > 0:\n    return x\nreturn 0.0", id="shapes that differ"),
        pytest.param("x", "if x.sum() > 0:\n    return x\nreturn x.sum()", id="a sum"),
        pytest.param("x", "if x.sum() > 0:\n    return x\nreturn x.astype(int)", id="dtypes that differ"),
        pytest.param("x", "if x.sum() > 0:\n    return 1\nreturn 0.5", id="numbers that differ"),
        pytest.param("x", "y = 0\nif x[0] > 0:\n    y = x\nreturn y", id="a number before, an array after"),
        pytest.param("x, rows", "return x[rows > 0].sum()", id="a mask of unknown shape"),
        pytest.param("x", "return x.at[x[:, 0] > 0].set(0)", id="a mask of rows"),
        pytest.param("x", "(i,) = jnp.nonzero(x > 0)\nreturn x[i].sum()", id="indices that go on"),
        pytest.param("x", "return jnp.unique(x).size", id="how many there are"),
        pytest.param("x", "return (1, 0.5)[x.argmax()] * x", id="a table of several kinds"),
        pytest.param("x", "return (jnp.sin, jnp.cos)[x.argmax()](x)", id="a table of functions"),
        pytest.param("x", "y = np.array(x)\ny[0] = 0\nreturn y", id="an array that is written into"),
        pytest.param("x", "return np.math.sqrt(float(x.sum()))", id="a function of Python's"),
        pytest.param(
            "x", "s = float(x.sum())\nif isinstance(s, float):\n    x = x * s\nreturn x", id="a type asked for"
        ),
        pytest.param("x", "return float(x[0]).hex()", id="a method of Python's numbers"),
        pytest.param("x", "s = float(x[0])\nreturn x * s.is_integer()", id="a method of a number that has a name"),
        pytest.param("x", "return {float(x[0]): 1}", id="a key"),
        pytest.param("x", "s = float(x[0])\nreturn f'{s:.3f}'", id="a format"),
        pytest.param("x", "for i in range(int(x[0])):\n    x = x + 1\n    half(x)\nreturn x", id="a loop that stays"),
        pytest.param("x", "return x.astype(jnp.float16) * float(x[0])", id="a number leaves float16 as it is"),
        pytest.param("x", "return x.astype(jnp.float16) * x[0].item()", id="item leaves float16 as it is"),
        pytest.param("x, y", "return y * float(x.sum())", id="another array's dtype"),
        pytest.param("x, y", "return x * float(y)", id="what may be an array isn't made static instead"),
        pytest.param("x", "return [1, 2] * int(x[0])", id="a list repeated"),
        pytest.param("x: jax.Array", "return jnp.zeros(int(x))", id="an array that can't be static"),
        pytest.param("x", "return (x[0] > 0) and x or -x", id="what is indexed can't be static"),
        pytest.param("x", "return jnp.zeros(int(x[0]))", id="an element of an array is needed"),
        pytest.param("x", "return jnp.zeros(int(jnp.sum(x)))", id="what is summed up can't be static"),
        pytest.param("x", "print('%f' % x.sum())\nreturn x", id="a text made in Python"),
        pytest.param("x", "for i in range(x.argmax()):\n    x = x + 1\nreturn x + i", id="the count used afterwards"),
    ],
)
def test_these_are_refused(parameters: str, body: str, tmp_path: Path) -> None:
    assert repaired(module(body, parameters), tmp_path) == module(body, parameters)


@pytest.mark.parametrize(
    ("branches", "said"),
    [
        pytest.param("x * (k / 2) if k > 1 else x", True, id="integers may become float"),
        pytest.param("k if k > 1 else 0.5", True, id="a number may decide"),
        pytest.param("x * k if k > 1 else x", True, id="that of another array"),
        pytest.param("-x if k > 1 else x", False, id="the same array"),
        pytest.param("k if k > 1 else 0", False, id="an integer follows"),
    ],
)
def test_says_where_both_branches_get_one_dtype(branches: str, said: bool, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(module(f"return {branches}", "x, k"))
    told = [f.fix.description for f in repair(file, unsafe=True).fixed if f.fix is not None]
    assert ["dtype" in t for t in told] == [said]
