"""What is deprecated, and used under a condition that stops where it is gone, is taken care of already."""

from __future__ import annotations

import pytest

from omnilint.api.target import Target
from omnilint.hazards.internal import find
from omnilint.index.module import index_module
from omnilint.model import Source

PUT = "jax.device_put_replicated"
JIT = "jax.jit(f, backend='cpu')"


def codes(code: str, target: str) -> list[str]:
    module = index_module(Source("case.py", "import jax\n" + code), "case")
    return [f.code for f in find(module, Target.parse(target)) if f.code != "OMN404"]


@pytest.mark.parametrize(
    ("code", "target"),
    [
        pytest.param(f"put = {PUT} if hasattr(jax, 'device_put_replicated') else None", "0.4.30,0.9", id="hasattr"),
        pytest.param("m = jax.tree_map if hasattr(jax, 'tree_map') else jax.tree.map", "0.4.30", id="before it went"),
        pytest.param("if 'tree_map' in dir(jax):\n  jax.tree_map(f, t)", "0.4.30", id="dir"),
        pytest.param("if 'tree_map' in jax.__dict__:\n  jax.tree_map(f, t)", "0.4.30", id="__dict__"),
        pytest.param("if 'tree_map' in vars(jax):\n  jax.tree_map(f, t)", "0.4.30", id="vars"),
        pytest.param("OLD = hasattr(jax, 'tree_map')\nif OLD:\n  jax.tree_map(f, t)", "0.4.30", id="flag"),
        pytest.param("if jax.__version_info__ < (0, 6):\n  jax.tree_map(f, t)", "0.4.30,0.9", id="version"),
        pytest.param("if jax.__version_info__ < (0, 6):\n  jax.tree_map(f, t)", "0.4.30", id="version, before"),
        pytest.param("V = jax.__version__.split('.')\nif int(V[1]) < 6:\n  jax.tree_map(f, t)", "0.4.30", id="parts"),
        pytest.param(
            "try:\n  from jax import tree_map\n  OLD = True\nexcept ImportError:\n  OLD = False\n"
            "if OLD:\n  jax.tree_map(f, t)",
            "0.4.30",
            id="flag of a tried import",
        ),
        pytest.param(
            "def old():\n  return hasattr(jax, 'tree_map')\nif old():\n  jax.tree_map(f, t)", "0.4.30", id="asked"
        ),
        pytest.param("if jax.__version_info__ < (0, 8):\n  " + JIT, "0.4.30,0.9", id="argument"),
        pytest.param("if jax.__version_info__ < (99, 0):\n  " + JIT, "0.12", id="argument that nobody refuses yet"),
        pytest.param(
            "import inspect\nif 'backend' in inspect.signature(jax.jit).parameters:\n  " + JIT, "0.12", id="signature"
        ),
        pytest.param("if jax.__version_info__ < (0, 4, 40):\n  from jax import tree_map", "0.4.30", id="import"),
    ],
)
def test_what_somebody_has_taken_care_of_is_quiet(code: str, target: str) -> None:
    assert codes(code, target) == []


@pytest.mark.parametrize(
    ("code", "target", "told"),
    [
        pytest.param("jax.tree_map(f, t)", "0.4.30", "OMN402", id="no guard"),
        pytest.param("if hasattr(jax, 'xmap'):\n  pass\nelse:\n  jax.tree_map(f, t)", "0.4.30", "OMN402", id="another"),
        pytest.param("if hasattr(jax, 'device_put_replicated'):\n  jax.tree_map(f, t)", "0.4.30", "OMN402", id="other"),
        pytest.param("if jax.__version_info__ >= (0, 4):\n  jax.tree_map(f, t)", "0.4.30", "OMN402", id="from"),
        pytest.param("if jax.__version_info__ < (0, 99):\n  jax.tree_map(f, t)", "0.4.30", "OMN402", id="later"),
        pytest.param("if hasattr(t, 'shape'):\n  jax.tree_map(f, t)", "0.4.30", "OMN402", id="of a value"),
        pytest.param("if hasattr(jax, 'jit'):\n  " + JIT, "0.12", "OMN408", id="argument, another name"),
        pytest.param("if jax.__version_info__ >= (0, 4):\n  " + JIT, "0.12", "OMN408", id="argument, from a release"),
    ],
)
def test_what_nobody_has_taken_care_of_is_told(code: str, target: str, told: str) -> None:
    assert codes(code, target) == [told]
