"""Functions that a factory makes are called, in whatever it hands them out."""

from __future__ import annotations

from pathlib import Path

import pytest

from omnilint.model import Status
from tests.confirm_support import confirm, marked, project_of

pytest.importorskip("jax", reason="confirm runs code under JAX")

MADE = "    @jax.jit\n    def step(x):\n        if x.sum() > 0:  # mark\n            return x\n        return -x\n"
PLAIN = "    def step(x):\n        if x.sum() > 0:  # mark\n            return x\n        return -x\n"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"{MADE}    return step\n", id="as it is"),
        pytest.param(f"{MADE}    return (lambda key: key), step\n", id="in a tuple"),
        pytest.param(f'{MADE}    return {{"init": len, "step": step}}\n', id="in a dict"),
        pytest.param(f"{MADE}    return dict(init=len, step=step)\n", id="in dict()"),
        pytest.param(f'{MADE}    return len, {{"all": [len, step]}}\n', id="in a list in a dict in a tuple"),
        pytest.param(f"{MADE}    return Pair(len, step)\n", id="in a named tuple"),
        pytest.param(f"{MADE}    return Holder(step)\n", id="on an object"),
        pytest.param(f"{PLAIN}    return len, jax.jit(step)\n", id="jitted in the tuple"),
        pytest.param(f"{PLAIN}    return {{'step': functools.partial(jax.jit(step))}}\n", id="in a partial"),
        pytest.param(f"{MADE}    yield step\n", id="of a generator"),
        pytest.param(
            "    return (lambda n: n), jax.jit(lambda x: x if x.sum() > 0 else -x)  # mark\n", id="of two lambdas"
        ),
        pytest.param("    return [jax.jit(lambda x: x if x.sum() > 0 else -x)]  # mark\n", id="a lambda in a list"),
    ],
)
@pytest.mark.parametrize("parameters", ["", "scale"], ids=["without arguments", "with an argument"])
def test_it_is_found_in_what_the_factory_returns(tmp_path: Path, body: str, parameters: str) -> None:
    file = tmp_path / "made.py"
    file.write_text(
        "import functools\nfrom typing import NamedTuple\n\nimport jax\n\n\n"
        "class Pair(NamedTuple):\n    init: object\n    step: object\n\n\n"
        "class Holder:\n    def __init__(self, step):\n        self.step = step\n\n\n"
        f"def make({parameters}):\n{body}"
    )
    project = project_of([file])
    symbol = "make" if "lambda x" in body else "make.step"
    finding = marked(project, "made.py", "OMN501", symbol=symbol)
    (found,) = confirm([file], [finding], project).findings[0].verdicts
    assert (found.status, found.exception) == (Status.CONFIRMED, "TracerBoolConversionError"), found
