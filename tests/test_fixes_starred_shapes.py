"""Sizes that are computed by names of `from jax.numpy import *`, or imported one by one, are found and repaired."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden_fixes import repair, repaired

JNP = "from jax.numpy import *\n"
BODY = "@jit\ndef f(x):\n    return x.reshape({})\n"
SIZE = "prod(array(x.shape))"


@pytest.mark.parametrize(
    "head",
    [
        pytest.param(f"{JNP}from jax import jit\n", id="a star"),
        pytest.param(f"from jax import *\n{JNP}", id="two stars, and the transform by one"),
        pytest.param("from jax.numpy import prod, array\nfrom jax import jit\n", id="one by one"),
        pytest.param(f"from numpy import *\n{JNP}from jax import jit\n", id="after NumPy's"),
        pytest.param(f"try:\n    {JNP}except ImportError:\n    raise\nfrom jax import jit\n", id="tried"),
        pytest.param(f"import jax.numpy as jnp\n{JNP}from jax import jit\n", id="beside an alias"),
    ],
)
def test_what_the_star_gives_is_found(head: str, tmp_path: Path) -> None:
    after = repaired(f"{head}\n\n{BODY.format(SIZE)}", tmp_path, unsafe=False)
    assert after.endswith(BODY.format("math.prod(x.shape)"))
    assert "import math\n" in after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("return zeros(prod(array(x.shape)))", "return zeros(math.prod(x.shape))", id="a function's shape"),
        pytest.param("n = prod(asarray(x.shape))\n    return x.ravel()[:n]", "n = math.prod(x.shape)", id="by name"),
        pytest.param(
            "if any(array(x.shape) == 0):\n        return x\n    return -x", "if np.any(", id="a builtin's name"
        ),
        pytest.param("return x[: floor_divide(x.shape[0], 2)]", "return x[: x.shape[0] // 2]", id="an operator"),
    ],
)
def test_in_many_places(before: str, after: str, tmp_path: Path) -> None:
    text = repaired(f"import jax\n{JNP}\n\n@jax.jit\ndef f(x):\n    {before}\n", tmp_path, unsafe=False)
    assert after in text


@pytest.mark.parametrize(
    "head",
    [
        pytest.param(f"{JNP}from numpy import *\nfrom jax import jit\n", id="NumPy's come last"),
        pytest.param(f"{JNP}from math import *\nfrom jax import jit\n", id="others come last"),
        pytest.param(
            f"{JNP}from math import prod\nfrom jax import jit\nfrom numpy import array\n", id="imported after"
        ),
        pytest.param(f"{JNP}from jax import jit\n\n\ndef prod(x):\n    return 1\n", id="defined after"),
        pytest.param("from numpy import *\nfrom jax import jit\nimport jax.numpy as jnp\n", id="NumPy's alone"),
    ],
)
def test_what_others_bind_anew_is_left_alone(head: str, tmp_path: Path) -> None:
    text = f"{head}\n\n{BODY.format(SIZE)}"
    assert repaired(text, tmp_path, unsafe=False) == text


@pytest.mark.parametrize(
    "helpers",
    [
        pytest.param({"helpers": JNP}, id="through a module"),
        pytest.param({"helpers": "from deeper import *\n", "deeper": f"from numpy import *\n{JNP}"}, id="through two"),
    ],
)
def test_what_a_module_of_the_project_passes_on_is_found(helpers: dict[str, str], tmp_path: Path) -> None:
    for name, text in helpers.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "a.py").write_text(f"from helpers import *\nfrom jax import jit\n\n\n{BODY.format(SIZE)}")
    after = next(iter(repair(tmp_path, unsafe=False).after.values())).decode()
    assert after.endswith(BODY.format("math.prod(x.shape)"))


@pytest.mark.parametrize(
    "helpers",
    [
        pytest.param(f"{JNP}from numpy import *\n", id="NumPy's come last"),
        pytest.param(f"{JNP}from math import prod\n", id="imported after"),
        pytest.param(f"{JNP}__all__ = ['array']\n", id="passed on by name"),
    ],
)
def test_what_a_module_of_the_project_does_not_pass_on_is_left_alone(helpers: str, tmp_path: Path) -> None:
    (tmp_path / "helpers.py").write_text(helpers)
    (tmp_path / "a.py").write_text(f"from helpers import *\nfrom jax import jit\n\n\n{BODY.format(SIZE)}")
    assert not repair(tmp_path, unsafe=False).changed()
