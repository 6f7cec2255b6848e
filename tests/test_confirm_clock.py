"""Frozen clocks show in results of any dtype, and what is said of them is about the clock."""

from __future__ import annotations

from pathlib import Path

import pytest

from omnilint.model import Status
from tests.confirm_support import confirm, marked, project_of

pytest.importorskip("jax", reason="confirm runs code under JAX")


@pytest.mark.parametrize(
    ("reads", "set_on"),
    [
        pytest.param("x + time.time()", True, id="seconds that float32 can't hold"),
        pytest.param("x.astype(jnp.bfloat16) + time.time()", True, id="nor bfloat16"),
        pytest.param("x * datetime.datetime.now().day", True, id="a day"),
        pytest.param("x * datetime.date.today().year", True, id="a year, by the date"),
        pytest.param("x * datetime.datetime.today().month", True, id="a month"),
        pytest.param("x + time.perf_counter() % 1e-3 * 1e3", False, id="a clock that is fine enough"),
    ],
)
def test_a_frozen_clock_is_proven_and_was_frozen_before_omnistaging_too(
    tmp_path: Path, reads: str, set_on: bool
) -> None:
    file = tmp_path / "clocks.py"
    file.write_text(
        "import datetime\nimport time\n\nimport jax\nimport jax.numpy as jnp\n\n\n"
        f"@jax.jit\ndef stamped(x):\n    return {reads}  # mark\n"
    )
    project = project_of([file])
    (found,) = confirm([file], [marked(project, "clocks.py", "OMN207")], project).findings[0].verdicts
    assert found.status is Status.CONFIRMED, found
    assert found.legacy is False
    assert ("the clock was set on by ten years" in (found.reason or "")) == set_on


def test_a_clock_that_no_result_shows_is_said_to_be_one(tmp_path: Path) -> None:
    file = tmp_path / "clocks.py"
    file.write_text(
        "import time\n\nimport jax\n\n\n@jax.jit\ndef f(x):\n    t = time.time()  # mark\n    return x, t - t\n"
    )
    project = project_of([file])
    (found,) = confirm([file], [marked(project, "clocks.py", "OMN207")], project).findings[0].verdicts
    assert found.status is Status.INCONCLUSIVE
    assert "no result depends on it" in (found.reason or "")
