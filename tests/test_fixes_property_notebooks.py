"""What holds of all repairs, on notebooks put together at random."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from omnilint import pipeline
from omnilint.config import Settings
from omnilint.fixes.repair import Outcome, Repairs
from omnilint.model import Report
from tests.test_fixes_properties import BODIES, CLEAN, DECORATORS, IMPORTS

FILE = "a.ipynb"
MARKDOWN = {"cell_type": "markdown", "metadata": {}, "source": ["# größe\n", "`jax.tree_map`"]}
MAGICS = ("%matplotlib inline", "!pip install jax  # kept", "%%time\nx = 1", "x = 1;")


def cell(text: str, listed: bool) -> dict[str, Any]:
    source: Any = text.splitlines(keepends=True) if listed else text
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}


@st.composite
def notebooks(draw: st.DrawFn) -> tuple[bytes, bool]:
    """(the notebook's bytes, whether unsafe repairs are made)."""
    imports = draw(st.lists(st.sampled_from(IMPORTS), unique=True, max_size=3))
    listed = draw(st.booleans())
    cells = [cell("\n".join(["import functools", "import jax", "import jax.numpy as jnp", *imports]), listed)]
    for i in range(draw(st.integers(1, 4))):
        body = draw(st.sampled_from(BODIES)).replace("{i}", str(i))
        code = f"{draw(st.sampled_from(DECORATORS))}\ndef f{i}(x, n=1):\n    {body}"
        cells.append(cell(code + draw(st.sampled_from(["", "\n"])), listed))
        if draw(st.booleans()):
            extra = draw(st.sampled_from([*MAGICS, draw(st.sampled_from(CLEAN)).format(i=i)]))
            cells.append(draw(st.sampled_from([cell(extra, listed), MARKDOWN])))
    told = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    text = json.dumps(told, indent=draw(st.sampled_from([None, 1, 2])), ensure_ascii=draw(st.booleans()))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return (text + draw(st.sampled_from(["", "\n"]))).replace("\n", end).encode(), draw(st.booleans())


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def repaired(raw: bytes, unsafe: bool) -> Outcome:
    Path(FILE).write_bytes(raw)

    def check(edited: Mapping[str, bytes]) -> Report:
        return pipeline.check([FILE], Settings(), edited=edited)

    return Repairs(check, lambda source: raw, unsafe).run()


def counted(report: Report) -> Counter[tuple[str, str]]:
    return Counter((f.code, f.symbol) for f in report.findings)


def parts(raw: bytes) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    """The cells as (kind, text), and the notebook without their texts."""
    told = json.loads(raw)
    cells = [(c["cell_type"], "".join(c["source"])) for c in told["cells"]]
    for c in told["cells"]:
        c["source"] = type(c["source"]).__name__
    return cells, told


@given(notebooks())
@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
def test_of_notebooks_the_same_holds(case: tuple[bytes, bool]) -> None:
    """Once is enough, nothing new is found, and what nothing is wrong with stays as it is."""
    raw, unsafe = case
    Path(FILE).write_bytes(raw)
    before = pipeline.check([FILE], Settings())
    out = repaired(raw, unsafe)
    after = out.after.get(FILE, raw)
    again = repaired(after, unsafe)
    assert again.after.get(FILE, after) == after
    assert not again.fixed
    assert not out.report.problems
    assert counted(out.report) <= counted(before)
    (old, frame), (new, new_frame) = parts(raw), parts(after)
    assert frame == new_frame
    for (kind, text), (new_kind, new_text) in zip(old, new, strict=True):
        assert kind == new_kind
        if kind == "code" and not text.startswith(("%", "!")):
            ast.parse(new_text)
        if not text.startswith(("import", "@")):
            assert new_text == text
    lines = {line.strip() for line in raw.splitlines()}
    assert [x for x in after.splitlines() if x.strip() in lines] or raw.count(b"\n") < 3
    assert (b"\r\n" in after) is (b"\r\n" in raw)
