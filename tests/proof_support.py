"""Many small functions in one module, each found and repaired by itself in a way that the test says, and proven."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from omnilint import cli
from omnilint.fixes import registry
from omnilint.fixes.context import Book, Repair
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding

SIZE = "int(jnp.prod(jnp.array(x.shape)))"
HEAD = "import jax\nimport jax.numpy as jnp\nimport numpy as np\n"


class Told(NamedTuple):
    """Lines of functions whose repairs are proven; reasons of those that aren't, and what is told as our mistakes."""

    verified: set[int]
    open: dict[str, int]
    failed: list[str]


def function(number: int, body: str) -> str:
    """A jitted function that is found for its first statement, and a test that calls it; `{n}` is the size of `x`."""
    lines = "".join(f"    {line}\n" for line in body.replace("{n}", SIZE).splitlines())
    ends = "" if re.search(r"^return", body, re.MULTILINE) else "    return x\n"
    return (
        f"@jax.jit\ndef f{number}(x):\n    x = x.reshape({SIZE}).reshape(x.shape)\n{lines}{ends}\n\n"
        f"def test_f{number}():\n    return f{number}(jnp.ones((2, 3)))\n\n\n"
    )


def module(bodies: Iterable[str], before: str = "") -> str:
    """One module of such functions."""
    return f"{HEAD}{before}\n\n" + "".join(function(i, body) for i, body in enumerate(bodies))


def writes(monkeypatch: pytest.MonkeyPatch, first: str, rest: str, kind: Applicability = Applicability.SAFE) -> None:
    """Have a function repaired by `first` for its first size and `rest` for the others."""

    def propose(finding: Finding, book: Book) -> Repair:
        page = book.of(finding)
        text = page.text.text
        at = page.text.offset(finding.place.line, 1)
        start, end = text.rfind("\n\n\n", 0, at), text.find("\n\n\n", at)
        found = [m for m in re.finditer(re.escape(SIZE), text) if start <= m.start() < (end if end > 0 else len(text))]
        spans = [Span(m.start(), m.end(), rest if i else first) for i, m in enumerate(found)]
        return Repair(kind, "a repair", [(page, span) for span in spans])

    monkeypatch.setattr(registry, "fixer", lambda code: propose)


def proven(text: str, capsys: pytest.CaptureFixture[str]) -> Told:
    """What a run that repairs says; only what is proven is written."""
    Path("a.py").write_text(text)
    command = ["check", "--fix", "--unsafe-fixes", "--confirm", "--no-config", "--python", sys.executable]
    cli.run([*command, "--format", "json", "a.py"])
    document = json.loads(capsys.readouterr().out)
    fixed = document["summary"].get("fixed", [])
    assert all(f["fix"]["verified"] for f in fixed)
    assert bool(fixed) == (Path("a.py").read_text() != text)
    failed = [e["message"] for e in document["errors"]]
    numbers = {int(n[0]) for f in fixed if (n := re.findall(r"\d+", f["symbol"]))}
    return Told(numbers, document["summary"]["not_fixed"], failed)


Named = Callable[[set[int]], set[str]]


def names(cases: Mapping[str, object]) -> Named:
    """What numbers of cases stand for."""
    known = list(cases)
    return lambda numbers: {known[n] for n in numbers}
