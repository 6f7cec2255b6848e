"""State in, state out is shown only where a function can take more and return more."""

from __future__ import annotations

from pathlib import Path

import pytest

from omnilint.config import Settings
from omnilint.model import Finding
from omnilint.pipeline import check

HEAD = "import functools\n\nimport jax\nimport jax.numpy as jnp\n\n\n"
CLASS = """class Filter:
    def __init__(self):
        self.state = jnp.zeros(3)

    {method}
        self.state = 0.9 * self.state
        return self.state

f = Filter()
step = jax.jit(lambda x: x + {use})
step(jnp.ones(3))
"""


def found(tmp_path: Path, code: str) -> Finding:
    (tmp_path / "case.py").write_text(HEAD + code)
    (finding,) = (f for f in check([str(tmp_path)], Settings()).findings if f.code == "OMN203")
    return finding


@pytest.mark.parametrize(
    ("method", "use"),
    [
        pytest.param("@property\n    def smooth(self):", "f.smooth", id="a property"),
        pytest.param("@functools.cached_property\n    def smooth(self):", "f.smooth", id="a cached property"),
        pytest.param("def __getitem__(self, i):", "f[0]", id="an index"),
        pytest.param("def __add__(self, other):", "(f + 1)", id="an operator"),
    ],
)
def test_nothing_is_shown_where_python_calls(method: str, use: str, tmp_path: Path) -> None:
    finding = found(tmp_path, CLASS.format(method=method, use=use))
    assert finding.fix is None


@pytest.mark.parametrize(
    ("method", "use"),
    [
        pytest.param("def smooth(self):", "f.smooth()", id="a method"),
        pytest.param("def __call__(self):", "f()", id="a call"),
    ],
)
def test_the_rewrite_is_shown_where_people_call(method: str, use: str, tmp_path: Path) -> None:
    finding = found(tmp_path, CLASS.format(method=method, use=use))
    assert finding.fix is not None
    assert "state in, state out" in finding.fix.description


def test_a_setter_takes_one_value(tmp_path: Path) -> None:
    code = """class Filter:
    def __init__(self):
        self.kept = jnp.zeros(3)

    @property
    def state(self):
        return self.kept

    @state.setter
    def state(self, value):
        self.kept = 0.9 * value

f = Filter()

@jax.jit
def step(x):
    f.state = x
    return x

step(jnp.ones(3))
"""
    assert found(tmp_path, code).fix is None
