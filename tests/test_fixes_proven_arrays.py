"""`size`, `shape` and `ndim` are plain numbers of arrays: a SHAPE repair is safe where the code proves them."""

from __future__ import annotations

from pathlib import Path

import pytest

from omnilint.model import Applicability, Fix
from tests.golden_fixes import repair

HEAD = "import functools\nimport jax\nimport jax.numpy as jnp\nfrom jax import lax\n\n\n"
SIZES = (
    "jnp.maximum({}.size, 3)",
    "jnp.prod(jnp.array({}.shape))",
    "jnp.floor_divide({}.shape[0], 2)",
    "jnp.add({}.ndim, 1)",
)


def offered(text: str, folder: Path) -> Fix:
    file = folder / "a.py"
    file.write_text(HEAD + text)
    out = repair(file, unsafe=False)
    (finding,) = [f for f in (*out.report.findings, *out.fixed) if f.code.startswith("OMN1")]
    assert finding.fix is not None, finding.data
    return finding.fix


HELPER = "def h(p, y):\n    {use}\n    return y[: {size}]\n\n\n@jax.jit\ndef f(x, y):\n    return h({given}, y)\n"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("use", "given"),
    [
        pytest.param("pass", "G.p", id="nothing is seen of it"),
        pytest.param("print(p)", "G.p", id="printed"),
        pytest.param("p.sort()", "G.p", id="what lists have too"),
        pytest.param("q = p[0]", "G.p", id="an element"),
        pytest.param("q = p[1:]", "G.p", id="a slice"),
        pytest.param("q = [*p]", "G.p", id="unpacked"),
        pytest.param("q = p + (1,)", "G.p", id="a tuple added"),
        pytest.param("q = p * 2", "G.p", id="twice"),
        pytest.param("unknown(p)", "G.p", id="handed on"),
        pytest.param("q = jnp.zeros(p)", "G.p", id="given as a size"),
    ],
)
def test_without_a_proof_it_is_unsafe(size: str, use: str, given: str, tmp_path: Path) -> None:
    text = HELPER.format(use=use, size=size.format("p"), given=given)
    text = "import somewhere as G\n" + text
    fix = offered(text, tmp_path)
    assert fix.applicability is Applicability.UNSAFE
    assert "whether `p` is an array isn't seen" in fix.description


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("use", "given"),
    [
        pytest.param("q = jnp.sin(p)", "G.p", id="given to jax.numpy"),
        pytest.param("q = lax.add(y, p)", "G.p", id="given to lax"),
        pytest.param("q = jnp.where(y > 0, x=p, y=y)", "G.p", id="given by name"),
        pytest.param("q = p.reshape(-1)", "G.p", id="reshaped"),
        pytest.param("q = p.T", "G.p", id="transposed"),
        pytest.param("q = p.sum()", "G.p", id="summed"),
        pytest.param("q = p[:, 0]", "G.p", id="a column"),
        pytest.param("q = p[..., 0]", "G.p", id="the last axis"),
        pytest.param("q = p[None]", "G.p", id="an axis more"),
        pytest.param("q = p @ y", "G.p", id="multiplied"),
        pytest.param("q = p - 1", "G.p", id="subtracted from"),
        pytest.param("q = y * jnp.exp(-p)", "G.p", id="negated"),
        pytest.param("p = jnp.asarray(p)", "G.p", id="made one"),
        pytest.param("pass", "x", id="it gets the argument of a jitted function"),
        pytest.param("pass", "jnp.sin(x)", id="it gets an array"),
        pytest.param("pass", "p=x", id="by name"),
    ],
)
def test_with_a_proof_it_is_safe(size: str, use: str, given: str, tmp_path: Path) -> None:
    head = "import somewhere as G\n"
    if given == "p=x":
        text = HELPER.format(use=use, size=size.format("p"), given="{}").replace("h({}, y)", "h(y=y, p=x)")
    else:
        text = HELPER.format(use=use, size=size.format("p"), given=given)
    assert offered(head + text, tmp_path).applicability is Applicability.SAFE


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("@jax.jit\ndef f(p, y):\n    return y[: {}]\n", id="jitted"),
        pytest.param("@functools.partial(jax.jit, static_argnums=1)\ndef f(p, y):\n    return p[: {}]\n", id="in part"),
        pytest.param("def g(p, y):\n    return y[: {}]\n\n\nf = jax.jit(g)\n", id="given to jit"),
        pytest.param("f = jax.jit(lambda p, y: y[: {}])\n", id="a lambda"),
        pytest.param("@jax.jit\ndef f(xs, y):\n    return lax.map(lambda p: y[: {}], xs)\n", id="mapped over"),
        pytest.param("@jax.jit\ndef f(z, y):\n    p = jnp.sin(z)\n    return y[: {}]\n", id="computed"),
        pytest.param("@jax.jit\ndef f(p, y):\n    n = {}\n    return y[: n]\n", id="a name in between"),
        pytest.param("@jax.jit\ndef f(p, y):\n    p = p / 2\n    return y[: {}]\n", id="computed anew"),
        pytest.param("@jax.jit\ndef f(p, y):\n    return [y[: {}] for _ in range(2)]\n", id="in a comprehension"),
        pytest.param("def g(p: jax.Array, y):\n    return y[: {}]\n\n\nf = jax.jit(lambda y: g(Z, y))\n", id="said"),
    ],
)
def test_what_is_traced_or_said_to_be_an_array(size: str, text: str, tmp_path: Path) -> None:
    assert offered(text.format(size.format("p")), tmp_path).applicability is Applicability.SAFE


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "@functools.partial(jax.jit, static_argnums=0)\ndef f(p, y):\n    return y[: jnp.add(p.ndim, 1)]\n",
            id="static",
        ),
        pytest.param(
            "@functools.partial(jax.jit, static_argnames=('p',))\ndef f(y, p):\n    return y[: jnp.add(p.ndim, 1)]\n",
            id="static by name",
        ),
        pytest.param(
            "def make(p):\n    @jax.jit\n    def f(y):\n        return y[: jnp.add(p.ndim, 1)]\n\n    return f\n",
            id="of a factory",
        ),
        pytest.param(
            "def make(p):\n    n = p.size\n\n    @jax.jit\n    def f(y):\n        return y[: jnp.add(n, 1)]\n\n"
            "    return f\n",
            id="a name of a factory",
        ),
    ],
)
def test_what_is_not_traced_is_unknown(text: str, tmp_path: Path) -> None:
    fix = offered(text, tmp_path)
    assert fix.applicability is Applicability.UNSAFE


@pytest.mark.parametrize("use", ["pass", "print(xs)"])
def test_a_length_is_a_whole_number_of_whatever_it_is(use: str, tmp_path: Path) -> None:
    inner = "    @jax.jit\n    def f(y):\n        return y[: jnp.add(len(xs), 1)]\n\n    return f\n"
    assert offered(f"def make(xs):\n    {use}\n\n{inner}", tmp_path).applicability is Applicability.SAFE


@pytest.mark.parametrize("parameters", ["x: jax.Array, k=jnp.array([2, 3])", "x: jax.Array, *, k=jnp.arange(2, 4)"])
@pytest.mark.parametrize("size", ["jnp.prod(k)", "jnp.max(k) * 2", "int(jnp.sum(k) + 1)"])
def test_an_array_by_default_is_no_host_value(parameters: str, size: str, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(f"{HEAD}@jax.jit\ndef f({parameters}):\n    return x.reshape({size})\n")
    out = repair(file, unsafe=True)
    assert not out.fixed
    (finding,) = [f for f in out.report.findings if f.code.startswith("OMN1")]
    assert finding.data["unfixed"] == "`k` is an array by default, which NumPy hands back to JAX"
