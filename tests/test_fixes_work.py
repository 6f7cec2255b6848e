"""Repairs of a long file: the work grows with the file, not with its square."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from omnilint import cli, pipeline
from omnilint.config import Settings
from omnilint.fixes import rewrite
from omnilint.fixes.text import Span, clash, fit
from omnilint.model import Edit, Source

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


def test_the_search_in_one_function_is_linear(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: list[int]
) -> None:
    monkeypatch.chdir(tmp_path)
    took = []
    for copies in (10, 40):
        writes = "".join(f"    LIST.append(x + {n})\n    TABLE[{n}] = x\n    self.a{n} = x\n" for n in range(copies))
        head = "import jax\n\nLIST = []\nTABLE = {}\n\n\nclass Model:\n  @jax.jit\n  def f(self, x):\n"
        Path("a.py").write_text(head + writes + "    return x\n")
        steps[0] = 0
        report = pipeline.check(["a.py"], Settings(target_jax="0.10"))
        assert len(report.findings) >= 2 * copies
        took.append(steps[0])
    assert took[1] < 5 * took[0], took


def test_making_the_repairs_is_linear(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is written and parsed once a pass, not once a repair."""
    monkeypatch.chdir(tmp_path)
    times = []
    real = rewrite.edited
    monkeypatch.setattr("omnilint.fixes.repair.edited", lambda *a: times.append(1) or real(*a))
    Path("a.py").write_text(HEAD + "".join(THREE.format(n=n) for n in range(20)))
    assert cli.run(["check", "--fix", "--target-jax", "0.10", "a.py"]) == 1
    assert Path("a.py").read_text().count("jax.tree.map") == 20
    assert len(times) <= 4


def test_one_repair_that_can_not_be_made_costs_no_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    real = rewrite.edited

    def edited(raw: bytes, source: Source, edits: Sequence[Edit]) -> bytes:
        if any(e.place.line == 19 for e in edits):
            raise rewrite.Unfixable("not this one")
        return real(raw, source, edits)

    monkeypatch.setattr("omnilint.fixes.repair.edited", edited)
    lines = ["import jax"] + [f"def f{n}(t):\n    return jax.tree_map(len, t)\n\n" for n in range(9)]
    Path("a.py").write_text("\n".join(lines))
    cli.run(["check", "--fix", "--target-jax", "0.10", "a.py"])
    assert [i for i, line in enumerate(Path("a.py").read_text().split("\n"), 1) if "tree_map" in line] == [19]


SPANS = st.builds(lambda a, n, c: Span(a, a + n, c), st.integers(0, 9), st.integers(0, 4), st.sampled_from("xy"))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(SPANS, max_size=6))
def test_spans_fit_where_no_two_clash(spans: list[Span]) -> None:
    pairwise = not any(clash(a, b) for i, a in enumerate(spans) for b in spans[i + 1 :])
    assert fit(spans) == pairwise


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("    n{n} = jnp.add(x.shape[0], 1)\n    y{n} = x.reshape(n{n})\n", id="many findings"),
        pytest.param("    m{n} = m{b} * m{b}\n    y{n} = x.reshape(m{n})\n", id="a chain that doubles"),
    ],
)
def test_the_search_for_shapes_in_one_function_is_linear(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: list[int]
) -> None:
    monkeypatch.chdir(tmp_path)
    took = []
    for copies in (10, 40):
        body = "    m0 = jnp.prod(jnp.array(x.shape))\n" + "".join(line.format(n=n + 1, b=n) for n in range(copies))
        Path("a.py").write_text(f"import jax\nimport jax.numpy as jnp\n\n\n@jax.jit\ndef f(x):\n{body}    return x\n")
        steps[0] = 0
        assert pipeline.check(["a.py"], Settings(target_jax="0.10")).findings
        took.append(steps[0])
    assert took[1] < 5 * took[0], took
