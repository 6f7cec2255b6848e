"""Repairs of a long file: the work grows with the file, not with its square."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from omnilint import pipeline
from omnilint.config import Settings

HEAD = "import jax\nimport jax.numpy as jnp\n"
THREE = """

@jax.jit
def branch{n}(x):
    if x > 0:
        return x
    return -x


@jax.jit
def shape{n}(x):
    return x.reshape(jnp.prod(jnp.array(x.shape)))


def name{n}(t):
    from jax.core import Shape{n}
    return jax.tree_map(len, t)
"""


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry, which counts the nodes whose children are looked at, by `ast.walk` too."""
    count = [0]
    children = ast.iter_child_nodes

    def counting(node: ast.AST):  # type: ignore[no-untyped-def]
        count[0] += 1
        return children(node)

    monkeypatch.setattr(ast, "iter_child_nodes", counting)
    return count


def test_the_search_for_repairs_is_linear(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: list[int]) -> None:
    monkeypatch.chdir(tmp_path)
    took = []
    for copies in (10, 40):
        Path("a.py").write_text(HEAD + "".join(THREE.format(n=n) for n in range(copies)))
        steps[0] = 0
        report = pipeline.check(["a.py"], Settings(target_jax="0.10"))
        assert sum(f.fix is not None for f in report.findings) >= 3 * copies
        took.append(steps[0])
    assert took[1] < 5 * took[0], took
