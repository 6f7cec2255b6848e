"""Repairs write names only where they mean what they should: builtins, `math`, `np` and `jax` may be hidden."""

from __future__ import annotations

from pathlib import Path

import pytest

from omnilint import cli

HEAD = "import jax, jax.numpy as jnp\n"
LEAST = "jnp.zeros(jnp.min(jnp.array(x.shape)))"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def fixed(text: str) -> str:
    Path("a.py").write_text(text)
    cli.run(["check", "--fix", "--no-config", "--target-jax", "0.10", "a.py"])
    return Path("a.py").read_text()


def function(*lines: str) -> str:
    return HEAD + "@jax.jit\ndef f(x):\n" + "".join(f"    {line}\n" for line in lines)


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(function("min = x * 3", f"return {LEAST} + min"), id="assigned"),
        pytest.param(function(f"n = {LEAST}", "min = 3", "return n + min"), id="assigned later"),
        pytest.param(function("for min in range(3):", "    x = x + min", f"return {LEAST}"), id="a loop's"),
        pytest.param(function('with jax.named_scope("a") as min:', f"    return {LEAST}"), id="of with"),
        pytest.param(function("try: pass", "except ValueError as min: pass", f"return {LEAST}"), id="of except"),
        pytest.param(function(f"return [{LEAST} for min in range(2)]"), id="a comprehension's"),
        pytest.param(function("if (min := 3): pass", f"return {LEAST}"), id="a walrus"),
        pytest.param(function("import os as min", f"return {LEAST}"), id="imported"),
        pytest.param(function("from os import sep as min", f"return {LEAST}"), id="imported from"),
        pytest.param(function("global min", f"return {LEAST}"), id="global"),
        pytest.param(function("min = 3", "def g():", f"    return {LEAST}", "return g() + min"), id="an outer one's"),
        pytest.param(function("def min(): pass", f"return {LEAST}"), id="a function"),
        pytest.param(function("class min: pass", f"return {LEAST}"), id="a class"),
        pytest.param(function("match 1:", "    case min: pass", f"return {LEAST}"), id="a pattern's"),
        pytest.param(function("match {}:", "    case {**min}: pass", f"return {LEAST}"), id="the rest of a pattern"),
        pytest.param(function(f"return (lambda min: {LEAST})(1)"), id="a lambda's parameter"),
        pytest.param(function(f"return {LEAST}") + "def g():\n    global min\n    min = 3\n", id="set from elsewhere"),
        pytest.param(function(f"return {LEAST}") + "min = jnp.min\n", id="the module's"),
        pytest.param(function(f"return {LEAST}") + "from os import sep as min\n", id="the module's import"),
    ],
)
def test_a_hidden_builtin_is_not_called(before: str) -> None:
    after = fixed(before)
    assert "np.min(np.array(x.shape))" in after.replace("jnp.min", "")


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(function(f"return {LEAST}") + "def g(min):\n    return min\n", id="another function's parameter"),
        pytest.param(function(f"return {LEAST}") + "def g():\n    min = 3\n    return min\n", id="another's variable"),
        pytest.param(function(f"return {LEAST}") + "class A:\n    min = 3\n", id="an attribute"),
    ],
)
def test_what_others_call_so_hides_nothing(before: str) -> None:
    assert "jnp.zeros(min(x.shape))" in fixed(before)


FLAT = "return x.reshape(jnp.prod(jnp.array(x.shape)))"


def test_a_parameter_elsewhere_leaves_the_name_free_for_an_import() -> None:
    after = fixed(function(FLAT) + "def g(math):\n    return math\n")
    assert "import math\n" in after
    assert "math.prod(x.shape)" in after


@pytest.mark.parametrize(
    "before",
    [
        pytest.param("import math\n" + function("import os as math", FLAT), id="imported over it"),
        pytest.param("import math\n" + function("try: pass", "except OSError as math: pass", FLAT), id="of except"),
        pytest.param("import math\n" + function(FLAT, "import math"), id="imported later in the function"),
        pytest.param("import math\nimport os as math\n" + function(FLAT), id="imported twice"),
        pytest.param(
            "import math\n" + function(FLAT) + "def g():\n    global math\n    math = 3\n", id="set elsewhere"
        ),
        pytest.param(function(FLAT) + "def g():\n    return math\n", id="read, and never bound"),
    ],
)
def test_a_hidden_module_is_not_used(before: str) -> None:
    after = fixed(before)
    assert "math.prod" not in after


@pytest.mark.parametrize(
    "before",
    [
        pytest.param("import math\n" + function("import math", FLAT), id="imported again before"),
        pytest.param("import math\n" + function(FLAT) + "def g(math):\n    return math\n", id="a parameter elsewhere"),
    ],
)
def test_a_module_that_is_what_it_was_is_used(before: str) -> None:
    after = fixed(before)
    assert "math.prod(x.shape)" in after


def test_jax_hidden_in_a_function_is_not_written_there() -> None:
    text = "import jax\nfrom jax import numpy as jnp\ndef f(x, jax):\n    from jax import tree_leaves\n"
    text += "    return tree_leaves(x)\n"
    assert "jax.tree.leaves" not in fixed(text)


@pytest.mark.parametrize(
    "before",
    [
        pytest.param("from numpy import *\n" + function(f"return {LEAST}"), id="NumPy's"),
        pytest.param("from util import *\n" + function(f"return {LEAST}"), id="unknown"),
        pytest.param("from jax.numpy import *\n" + function(f"return {LEAST}"), id="JAX's"),
    ],
)
def test_a_builtin_is_not_called_beside_a_star_import(before: str) -> None:
    assert "np.min(np.array(x.shape))" in fixed(before).replace("jnp.min", "")


def test_an_import_goes_below_a_star_import_that_may_bind_it() -> None:
    after = fixed("import os\nfrom util import *\n" + function(FLAT))
    assert after.index("import math") > after.index("import *")
    assert "math.prod(x.shape)" in after


def test_an_import_above_a_star_import_is_not_relied_on() -> None:
    after = fixed("import math\nfrom util import *\n" + function(FLAT))
    assert "math.prod" not in after


def test_a_star_import_further_down_leaves_the_code_alone() -> None:
    before = (
        function(FLAT)
        + "\n\nprint(f)\n\n\ndef g(): pass\n\n\ndef h(): pass\n\n\nprint(g)\nprint(h)\nfrom util import *\n"
    )
    assert fixed(before) == before


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import math\n" + function(FLAT),
            id="for types only",
        ),
        pytest.param(
            function("import math", FLAT.replace("return", "y ="), "import math", "return y"), id="a local one"
        ),
        pytest.param("math = 3\n" + function(FLAT), id="a number"),
    ],
)
def test_numpy_is_taken_where_math_is_taken(before: str) -> None:
    after = fixed(before)
    assert "x.reshape(np.prod(np.array(x.shape)))" in after
