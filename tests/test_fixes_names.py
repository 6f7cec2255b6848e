"""Repairs of names: what takes a place takes the same arguments, gives the same, and is there in all releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from omnilint import cli


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def fixed(text: str, target: str = "0.10.2", *more: str) -> str:
    Path("a.py").write_text(text)
    assert cli.run(["check", "--fix", "--no-config", "--target-jax", target, *more, "a.py"]) in (0, 1)
    return Path("a.py").read_text()


KEY = "import jax\n\nkey = jax.random.rbg_key(0)\n"
SOFTMAX = "import jax\n\n\ndef f(x, m):\n    return jax.nn.softmax(x, where=m, initial=0.0)\n"
CLIP = "import jax.numpy as jnp\n\n\ndef f(x):\n    return jnp.percentile(x, 5, interpolation='lower')\n"


@pytest.mark.parametrize(
    ("text", "target"),
    [
        pytest.param(KEY, "0.4.13,0.10.2", id="a keyword that the oldest release lacks"),
        pytest.param(SOFTMAX, "0.4.13,0.10.2", id="an argument that the oldest release needs"),
        pytest.param(CLIP, "0.2.20,0.10.2", id="a name of an argument that the oldest release lacks"),
        pytest.param(
            "from jax.experimental.vectorize import vectorize\n\n\n"
            "@vectorize('(n)->()')\ndef f(x):\n    return x.sum()\n",
            "0.10.2",
            id="a factory of decorators, where the new one is a decorator",
        ),
        pytest.param(
            "from jax.experimental import vectorize\n\nf = vectorize.vectorize('(n)->()')(sum)\n",
            "0.10.2",
            id="a member of a module that shares its name with a function",
        ),
        pytest.param("import jax\n\nf = jax.api.hessian(sum, 0, True)\n", "0.10.2", id="a position that moved"),
        pytest.param(
            "from jax.experimental.pjit import pjit\n\nf = pjit(sum, None, None)\n", "0.10.2", id="no more by position"
        ),
        pytest.param(
            "import jax\n\n\ndef f(x):\n    return jax.xla.abstractify(x)\n",
            "0.10.2",
            id="a member that the module lost where it went",
        ),
        pytest.param(
            "import jax.experimental.array_api as xp\n\ny = xp.ceil(3)\n", "0.10.2", id="another dtype for integers"
        ),
        pytest.param("from jax.interpreters import pxla\n\ny = pxla.device_put(1, [2])\n", "0.4.30", id="a namesake"),
        pytest.param(
            "from jax.interpreters import partial_eval as pe\n\nprint(pe.config.x64_enabled)\n",
            "0.10.2",
            id="a module where the new one is an object",
        ),
        pytest.param(
            "import jax.numpy as jnp\n\nprint(jnp.issubsctype(jnp.ones(2), jnp.floating))\n",
            "0.10.2",
            id="values as well as types",
        ),
        pytest.param(
            "import jax.numpy as jnp\n\n\ndef f(x):\n    return isinstance(x, jnp.DeviceArray)\n",
            "0.10.2",
            id="a type that tracers have too, asked for",
        ),
        pytest.param(
            "from jax.interpreters.xla import DeviceArray\n\n\n"
            "def f(x):\n    return isinstance(x, (int, DeviceArray))\n",
            "0.10.2",
            id="the same, imported",
        ),
        pytest.param(
            "import jax\n\n\ndef f(x):\n    return type(x) is jax.random.KeyArray\n", "0.10.2", id="a type of keys"
        ),
    ],
)
def test_these_stay(text: str, target: str) -> None:
    assert fixed(text, target) == text


@pytest.mark.parametrize(
    ("before", "after", "target"),
    [
        pytest.param(KEY, "import jax\n\nkey = jax.random.PRNGKey(0, impl='rbg')\n", "0.4.20,0.10.2", id="a raw key"),
        pytest.param(SOFTMAX, SOFTMAX.replace(", initial=0.0", ""), "0.4.30,0.10.2", id="an argument without effect"),
        pytest.param(CLIP, CLIP.replace("interpolation", "method"), "0.4.1,0.10.2", id="an argument's new name"),
        pytest.param(
            "import jax\n\nf = jax.api.hessian(sum, 0)\n", "import jax\n\nf = jax.hessian(sum, 0)\n", "0.10.2",
            id="positions that are the same",
        ),
        pytest.param(
            "import jax\nimport jax.numpy as jnp\n\n\n"
            "def f(x: jnp.DeviceArray | None) -> list[jnp.DeviceArray]:\n    pass\n",
            "import jax\nimport jax.numpy as jnp\n\n\n"
            "def f(x: jax.Array | None) -> list[jax.Array]:\n    pass\n",
            "0.10.2",
            id="a type in annotations",
        ),
        pytest.param(
            "from jax.experimental.pjit import pjit\n\nf = pjit(sum, in_shardings=None)\n",
            "from jax import jit as pjit\n\nf = pjit(sum, in_shardings=None)\n",
            "0.10.2",
            id="by name",
        ),
        pytest.param(
            "import jax.experimental.array_api as xp\n\ny = xp.mean(3)\n",
            "import jax.numpy as xp\n\ny = xp.mean(3)\n",
            "0.10.2",
            id="a module whose members are used as before",
        ),
    ],
)  # fmt: skip
def test_these_are_repaired(before: str, after: str, target: str) -> None:
    assert fixed(before, target) == after


def test_a_type_that_is_asked_for_changes_when_told_to() -> None:
    text = "import jax\nimport jax.numpy as jnp\n\n\ndef f(x):\n    return isinstance(x, jnp.DeviceArray)\n"
    assert fixed(text, "0.10.2", "--unsafe-fixes") == text.replace("jnp.DeviceArray", "jax.Array")
