"""Repairs of notebooks: lines that go or come at the ends of cells, beside IPython's own syntax."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from omnilint import cli


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def repaired(*cells: list[str] | str) -> list[list[str] | str]:
    """The sources of a notebook's code cells after `--fix`."""
    document = {
        "cells": [
            {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": c} for c in cells
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    Path("a.ipynb").write_text(json.dumps(document, indent=1))
    assert cli.run(["check", "--no-config", "--fix", "a.ipynb"]) in (0, 1)
    return [cell["source"] for cell in json.loads(Path("a.ipynb").read_text())["cells"]]


SWITCH = "jax.config.enable_omnistaging()"


@pytest.mark.parametrize(
    ("cells", "after"),
    [
        pytest.param([["import jax\n", SWITCH]], [["import jax"]], id="the last line of the only cell"),
        pytest.param([["import jax\n", SWITCH], ["x = 1"]], [["import jax"], ["x = 1"]], id="the last line of a cell"),
        pytest.param([f"import jax\n{SWITCH}", "x = 1"], ["import jax", "x = 1"], id="a cell of one string"),
        pytest.param([["import jax"], [SWITCH], ["x = 1"]], [["import jax"], [], ["x = 1"]], id="all of a cell"),
        pytest.param(
            [["import jax\n", SWITCH + "\n", SWITCH]], [["import jax"]], id="the last two lines, of two findings"
        ),
        pytest.param([["import jax\n", SWITCH + "\n"]], [["import jax\n"]], id="a line that ends, as the last one"),
        pytest.param(
            [["import jax"], ["%matplotlib inline\n", SWITCH]],
            [["import jax"], ["%matplotlib inline"]],
            id="below IPython's own syntax",
        ),
        pytest.param(
            [["import jax"], [SWITCH + "\n", "%matplotlib inline"]],
            [["import jax"], ["%matplotlib inline"]],
            id="above IPython's own syntax",
        ),
        pytest.param(
            [["import jax"], ["%matplotlib inline\n", "x = 1\n", SWITCH]],
            [["import jax"], ["%matplotlib inline\n", "x = 1"]],
            id="two lines below it",
        ),
        pytest.param(
            [["import jax"], [SWITCH], [SWITCH]], [["import jax"], [], []], id="all of two cells, one behind the other"
        ),
        pytest.param(
            [["import jax"], [SWITCH], [SWITCH], ["x = 1"]],
            [["import jax"], [], [], ["x = 1"]],
            id="all of two cells before another",
        ),
        pytest.param(
            [["import jax\n", SWITCH], [SWITCH]], [["import jax"], []], id="the end of a cell and all of the next"
        ),
        pytest.param(
            [f"import jax\n{SWITCH}", f"{SWITCH}\nx = 1"],
            ["import jax", "x = 1"],
            id="the end of a cell and the beginning of the next",
        ),
        pytest.param(
            [["import jax\n", SWITCH + "\n", SWITCH], [SWITCH + "\n", SWITCH], [SWITCH + "\n", "x = 1"]],
            [["import jax"], [], ["x = 1"]],
            id="several lines of each of three cells",
        ),
    ],
)
def test_a_line_goes(cells: list[list[str] | str], after: list[list[str] | str]) -> None:
    assert repaired(*cells) == after


def test_a_line_comes_below_ipythons_own_syntax() -> None:
    cells = ["import jax\nimport jax.numpy as jnp\n%matplotlib inline"]
    cells.append("@jax.jit\ndef f(x):\n    return x.reshape(jnp.prod(jnp.array(x.shape)))")
    first, second = repaired(*cells)
    assert "math.prod(x.shape)" in second
    assert "import math" in first
