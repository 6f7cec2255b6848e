"""An argument becomes static only where no use of the function, seen anywhere in the run, gives it an array."""

from __future__ import annotations

from pathlib import Path

import pytest

from omnilint import cli

HEAD = "import functools\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\n\n\n"
SIZED = "@jax.jit\ndef f(x, n):\n    return jnp.arange(n) * x\n\n\n"
TREE = "@jax.jit\ndef f(x, n):\n    if n:\n        return {'a': x}\n    return {}\n\n\n"
METHOD = (
    "class K:\n    @functools.partial(jax.jit, static_argnums=0)\n    def f(self, x, n):\n"
    "        return jnp.arange(n) * x\n\n"
)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMNILINT_NO_CACHE", "1")


def repaired(**texts: str) -> str:
    """The module `a` after all repairs, of the modules by name."""
    for name, text in texts.items():
        Path(f"{name}.py").write_text(text)
    cli.run(["check", "--fix", "--unsafe-fixes", "--no-config", *(f"{name}.py" for name in texts)])
    return Path("a.py").read_text()


def is_static(text: str) -> bool:
    return "static_argn" in text.replace("static_argnums=0)", "")


BREAKING = [
    pytest.param("def u(x):\n    return f(x, [1, 2])\n", id="a list"),
    pytest.param("def u(x):\n    n = [1, 2]\n    return f(x, n)\n", id="a named list"),
    pytest.param("def u(x):\n    return f(x, {1: 2})\n", id="a dict"),
    pytest.param("def u(x):\n    return f(x, n=np.arange(3))\n", id="an array of NumPy's"),
    pytest.param("def u(x):\n    return f(x, jnp.argmax(x))\n", id="an array"),
    pytest.param("def u(x):\n    return f(x, x.argmax() + 1)\n", id="what a method gives"),
    pytest.param("def u(x):\n    for n in jnp.arange(3):\n        f(x, n)\n", id="an element of an array, by a loop"),
    pytest.param("def u(x):\n    return [f(x, n) for n in jnp.arange(3)]\n", id="an element, by a comprehension"),
    pytest.param("def u(x):\n    for y, n in zip(x, jnp.arange(3)):\n        f(y, n)\n", id="an element, by zip"),
    pytest.param("def u(x):\n    m, n = jnp.arange(2)\n    return f(x, n)\n", id="an element, unpacked"),
    pytest.param("def u(x, i):\n    ns = jnp.arange(2)\n    return f(x, ns[i])\n", id="an element, by index"),
    pytest.param("def u(xs, ns):\n    return jax.vmap(f, in_axes=(0, 0))(xs, ns)\n", id="mapped over"),
    pytest.param("def u(xs, ns):\n    return jax.vmap(f)(xs, ns)\n", id="mapped over by default"),
    pytest.param("u = jax.vmap(f, in_axes=(0, 0))\n", id="mapped over, kept by name"),
    pytest.param("u = jax.jit(jax.vmap(f, (None, 0)))\n", id="mapped over, and traced"),
    pytest.param("def u(x, ns):\n    return jax.lax.scan(f, x, ns)\n", id="scanned"),
    pytest.param("def u(x, n):\n    return jax.grad(f, argnums=1)(x, n)\n", id="a gradient with respect to it"),
    pytest.param("def u(x, n):\n    return jax.grad(f, argnums=(0, 1))(x, n)\n", id="a gradient, of both"),
    pytest.param("def u(x, n):\n    return jax.jit(f)(x, n)\n", id="traced again"),
    pytest.param("def u(xs, ns):\n    return jax.tree_util.tree_map(f, xs, ns)\n", id="over a tree"),
    pytest.param("def u(xs, ns):\n    return [*map(f, xs, ns)]\n", id="handed on"),
    pytest.param("def u(x):\n    g = functools.partial(f, n=jnp.max(x))\n    return g(x)\n", id="bound to an array"),
    pytest.param("g = f\n\n\ndef u(x):\n    return g(x, jnp.max(x))\n", id="by another name"),
    pytest.param("ALL = {'f': f}\n", id="kept in a dict"),
    pytest.param("def u(x):\n    return (f if x is not None else u)(x, jnp.max(x))\n", id="one of two"),
]


@pytest.mark.parametrize("use", BREAKING)
@pytest.mark.parametrize("body", [SIZED, TREE], ids=["size", "flag"])
def test_a_use_that_it_would_break_forbids_it(body: str, use: str) -> None:
    assert not is_static(repaired(a=HEAD + body + use))


@pytest.mark.parametrize("body", [SIZED, TREE], ids=["size", "flag"])
@pytest.mark.parametrize(
    "use",
    [
        pytest.param("from a import f\n\n\ndef u(xs, ns):\n    return jax.vmap(f)(xs, ns)\n", id="by its name"),
        pytest.param("import a\n\n\ndef u(xs, ns):\n    return jax.vmap(a.f)(xs, ns)\n", id="by its module"),
        pytest.param("import a as m\n\n\ndef u(x):\n    return m.f(x, jnp.max(x))\n", id="by an alias, called"),
        pytest.param("from a import f as g\n\n\ndef u(x, ns):\n    return jax.lax.scan(g, x, ns)\n", id="renamed"),
    ],
)
def test_so_does_one_in_another_module(body: str, use: str) -> None:
    assert not is_static(repaired(a=HEAD + body, b=HEAD + use))


@pytest.mark.parametrize(
    "use",
    [
        pytest.param("    def u(self, xs, ns):\n        return jax.vmap(self.f)(xs, ns)\n", id="of self"),
        pytest.param("    def u(self, x):\n        return self.f(x, jnp.max(x))\n", id="called of self"),
        pytest.param("\ndef u(xs, ns):\n    return jax.vmap(K().f)(xs, ns)\n", id="of an object"),
        pytest.param("\ndef u(k, x):\n    return k.f(x, n=[1])\n", id="called of an object"),
    ],
)
def test_so_does_one_of_a_method(use: str) -> None:
    assert not is_static(repaired(a=HEAD + METHOD + use))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("def g(x, n):\n    return jnp.arange(n) * x\n\n\nf = jax.jit(g)\n{}", id="by name"),
        pytest.param(
            "class M:\n    def __init__(self):\n        self.f = jax.jit(self.g)\n\n    def g(self, x, n):\n"
            "        return jnp.arange(n) * x\n\n    def u(self, xs, ns):\n        return jax.vmap(self.f)(xs, ns)\n",
            id="as an attribute",
        ),
    ],
)
def test_so_does_one_of_what_a_call_of_jit_gave(text: str) -> None:
    assert not is_static(repaired(a=HEAD + text.format("\n\ndef u(xs, ns):\n    return jax.vmap(f)(xs, ns)\n")))


@pytest.mark.parametrize(
    "use",
    [
        pytest.param("def u(x):\n    return f(x, 3)\n", id="a number"),
        pytest.param("def u(x, m):\n    return f(x, m)\n", id="a parameter that nobody knows"),
        pytest.param("def u(x):\n    return f(x, n=int(jnp.max(x)))\n", id="a number that was fetched"),
        pytest.param("def u(x):\n    return f(x, x.shape[0])\n", id="a size"),
        pytest.param("def u(x):\n    return f(x, x.sum().item())\n", id="an item"),
        pytest.param("def u(x):\n    return jax.vmap(f, in_axes=(0, None))(x, 3)\n", id="not mapped over"),
        pytest.param("def u(x):\n    return jax.grad(f)(x, 3)\n", id="a gradient with respect to another"),
        pytest.param("def u(x):\n    return jax.value_and_grad(f, argnums=0)(x, 3)\n", id="a gradient that says so"),
        pytest.param("def u(x):\n    return functools.partial(f, n=3)(x)\n", id="bound to a number"),
        pytest.param("def make():\n    return f\n", id="given away"),
        pytest.param("def u(f, x):\n    return f(x, jnp.max(x))\n", id="another of its name"),
        pytest.param("def u(x):\n    def f(a, b):\n        return a\n\n    return f(x, jnp.max(x))\n", id="one inside"),
    ],
)
def test_other_uses_do_not(use: str) -> None:
    assert is_static(repaired(a=HEAD + SIZED + use))


def test_a_flag_that_is_mapped_over_is_chosen_by() -> None:
    body = "@jax.jit\ndef f(x, on):\n    if on:\n        return jnp.sin(x)\n    return jnp.cos(x)\n\n\n"
    use = "def u(xs, ons):\n    return jax.tree_util.tree_map(f, xs, ons)\n"
    assert "jnp.where(on, jnp.sin(x), jnp.cos(x))" in repaired(a=HEAD + body + use)
