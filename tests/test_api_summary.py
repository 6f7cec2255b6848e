"""Findings on names of JAX in the summary: one finding a use, counted by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from omnilint.config import Settings
from omnilint.pipeline import check
from omnilint.report import json_format, summary

CODE = """
import jax
import jax.numpy as jnp
jax.tree_map(f, t)
jax.tree_map(g, t)
jnp.clip(x, a_min=0)
jnp.trapz(y)
jax.tree_map(h, t)
jnp.clip(y, a_min=1)
"""


def lines_of(code: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], dict[str, int]]:
    """The summary's lines on names, and the counts in the JSON document."""
    monkeypatch.chdir(folder)
    (folder / "a.py").write_text(code)
    report = check(["."], Settings(target_jax="0.10.2"))
    told = [line for line in summary.lines(report) if line.startswith("JAX names: ")]
    return told, json_format.document(report)["summary"]["names"]


def test_uses_are_counted_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told, counts = lines_of(CODE, tmp_path, monkeypatch)
    assert told == ["JAX names: jax.tree_map 3, jax.numpy.clip(a_min) 2, jax.numpy.trapz 1"]
    assert list(counts.items()) == [("jax.tree_map", 3), ("jax.numpy.clip(a_min)", 2), ("jax.numpy.trapz", 1)]


def test_names_that_are_used_once_need_no_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told, counts = lines_of("import jax\njax.tree_map(f, t)\n", tmp_path, monkeypatch)
    assert (told, counts) == ([], {"jax.tree_map": 1})


def test_many_names_are_cut_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = (
        "arrange",
        "ones_lik",
        "zeros_lik",
        "reshap",
        "stackk",
        "concatenat",
        "wherre",
        "linspac",
        "sqrtt",
        "maximumm",
        "minimumm",
    )
    code = "import jax.numpy as jnp\n" + "".join(f"jnp.{n}\n" for n in (*names, names[-1]))
    ((line,), counts) = lines_of(code, tmp_path, monkeypatch)
    assert line.startswith("JAX names: jax.numpy.minimumm 2, ")
    assert line.endswith(" and 1 more")
    assert len(counts) == 11
