"""A parameter that one repair makes static is no array to another: one choice for each function and parameter."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden_fixes import loaded, repair

jax = pytest.importorskip("jax", reason="what is repaired is run under JAX")
jnp = jax.numpy
np = pytest.importorskip("numpy", reason="what is repaired is compared with NumPy")

HEAD = "import functools\nimport jax\nimport jax.numpy as jnp\n\n\n"
LINE = "@functools.partial(jax.jit, static_argnames={!r})\n"


def repaired(text: str, folder: Path) -> tuple[str, set[str]]:
    """The text after all repairs, and how the repairs were described that were made."""
    file = folder / "a.py"
    file.write_text(HEAD + text)
    out = repair(file, unsafe=True)
    return next(iter(out.after.values()), file.read_bytes()).decode(), {f.fix.description for f in out.fixed if f.fix}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("y = x if n > 1 else -x\n    return y[:n]", id="a choice, then a slice"),
        pytest.param("y = x[:n]\n    return y if n > 1 else -y", id="a slice, then a choice"),
        pytest.param("if n > 1:\n        return x\n    return x * jnp.ones(n).sum()", id="a branch"),
        pytest.param("if n > 1 and n < 9:\n        x = x * 2\n    return x + jnp.zeros(n).sum()", id="two conditions"),
        pytest.param("m = n + 1\n    y = x if m > 1 else -x\n    return y[:n]", id="by another name"),
        pytest.param("if not n == 1:\n        x = -x\n    return x[:n]", id="negated"),
        pytest.param("y = max(n * 2, 3) * x\n    return y[:n]", id="a maximum"),
        pytest.param("y = x * float(n)\n    return y[:n]", id="a conversion"),
        pytest.param("print(n > 1)\n    y = x if n > 1 else -x\n    return jnp.arange(n) + y[0]", id="a range"),
    ],
)
def test_what_is_static_is_only_static(body: str, tmp_path: Path) -> None:
    before = f"@jax.jit\ndef f(x, n):\n    {body}\n"
    after, told = repaired(before, tmp_path)
    assert after == HEAD + before.replace("@jax.jit\n", LINE.format("n").replace("'", '"'))
    assert told == {"make `n` static: each new value of it compiles anew"}
    for n in (1, 2):
        given = (jnp.array([1.0, -2.0, 3.0]), n)
        with jax.disable_jit():
            old = loaded(HEAD + before)(*given)
        np.testing.assert_allclose(loaded(after)(*given), old)


def test_what_reads_an_array_too_keeps_its_own_repair(tmp_path: Path) -> None:
    before = "@jax.jit\ndef f(x, n):\n    y = x if x[0] > n else -x\n    return y[:n]\n"
    after, told = repaired(before, tmp_path)
    assert "jnp.where(x[0] > n, x, -x)" in after
    assert LINE.format("n").replace("'", '"') in after
    assert len(told) == 2


def test_where_it_can_not_be_static_all_is_chosen_by(tmp_path: Path) -> None:
    before = (
        "@jax.jit\ndef f(x, n):\n    y = x if jnp.abs(n) > 1 else -x\n    return y + jnp.zeros(n).sum()\n\n\n"
        "def u(xs, ns):\n    return jax.tree_util.tree_map(f, xs, ns)\n"
    )
    after, told = repaired(before, tmp_path)
    assert "static" not in after
    assert told == {"compute both branches and choose"}


def test_another_function_makes_its_own_choice(tmp_path: Path) -> None:
    before = "@jax.jit\ndef f(x, n):\n    return x[:n]\n\n\n@jax.jit\ndef g(x, n):\n    return x if n > 1 else -x\n"
    after, _ = repaired(before, tmp_path)
    assert "return jnp.where(n > 1, x, -x)" in after
    assert after.count("static_argnames") == 1


@pytest.mark.parametrize(
    ("wrapped", "expected"),
    [
        ("jax.jit(_f)", 'jax.jit(_f, static_argnames=("n", "m"))'),
        ("jax.jit(_f, donate_argnums=())", 'jax.jit(_f, donate_argnums=(), static_argnames=("n", "m"))'),
        ("jax.jit(_f, static_argnums=None)", "jax.jit(_f, static_argnums=(1, 2))"),
        ("jax.jit(_f, static_argnames=None)", 'jax.jit(_f, static_argnames=("n", "m"))'),
        ("jax.jit(_f, static_argnames=())", 'jax.jit(_f, static_argnames=("n", "m"))'),
        ("jax.jit(_f, static_argnames=['flag'])", "jax.jit(_f, static_argnames=['flag', 'n', 'm'])"),
        ("jax.jit(_f, static_argnames='flag')", "jax.jit(_f, static_argnames=('flag', 'n', 'm'))"),
        ("jax.jit(_f, static_argnums=(3,))", "jax.jit(_f, static_argnums=(3, 1, 2))"),
    ],
)
def test_parameters_of_one_function_become_static_together(wrapped: str, expected: str, tmp_path: Path) -> None:
    before = "def _f(x, n, m, flag=True):\n    return jnp.zeros(n) + x, jnp.ones(m)\n\n\nf = "
    after, told = repaired(before + wrapped + "\n", tmp_path)
    assert after == HEAD + before + expected + "\n"
    assert told == {"make `n` and `m` static: each new value of them compiles anew"}
    assert loaded(after)(1.0, 2, 3)[1].shape == (3,)
    assert repaired(after.removeprefix(HEAD), tmp_path) == (after, set())


def test_a_decorator_says_both_at_once(tmp_path: Path) -> None:
    before = "@jax.jit\ndef f(x, n, m):\n    if m:\n        return jnp.zeros(n) + x\n    return jnp.ones(n)\n"
    after, _ = repaired(before, tmp_path)
    assert '@functools.partial(jax.jit, static_argnames=("m", "n"))\n' in after
    assert loaded(after)(1.0, 2, True).shape == (2,)
