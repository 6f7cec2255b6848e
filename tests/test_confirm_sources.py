"""Where arguments come from, the best source first; each verdict says which. Recorded calls: see test_record."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from omnilint.index.project import Project
from omnilint.model import Confidence, Finding, Place, Status, Verdict
from tests.confirm_support import DATA, QUICK, confirm, project_of

pytest.importorskip("jax", reason="confirm runs code under JAX")

FOLDER = DATA / "sources"
HINTS = {"lib.configured": "f32[2,7], n=3"}


def branches(project: Project) -> dict[str, Finding]:
    """A finding at the `if` of each function of the library."""
    module = next(m for m in project.modules() if m.name == "lib")
    found = {}
    for number, line in enumerate(module.lines, 1):
        symbol = module.symbol_at(number)
        if symbol and re.match(r" +if ", line):
            place = Place("lib.py", number, 8, number, len(line))
            found[symbol] = Finding("OMN501", "", place, symbol=symbol, confidence=Confidence.CONDITIONAL)
    return found


@pytest.fixture(scope="module")
def verdicts() -> dict[str, Verdict]:
    """The verdict on each function."""
    files = [FOLDER / "lib.py", FOLDER / "tests" / "checks.py"]
    project = project_of(files)
    findings = branches(project)
    report = confirm(files, findings.values(), project, replace(QUICK, inputs=HINTS))
    assert report.problems == []
    return {f.symbol: f.verdicts[0] for f in report.findings}


@pytest.mark.parametrize(
    ("symbol", "source", "inputs"),
    [
        pytest.param("called", "call", "use()", id="a function without parameters calls it"),
        pytest.param("literal", "literal", "literal(jnp.ones((4, 6)), jnp.ones((6, 2)))", id="a literal call"),
        pytest.param("in_tests", "test", "test_it()", id="a test in a folder beside"),
        pytest.param("in_main", "script", "python lib.py", id="the main block"),
        pytest.param("in_doctest", "doctest", "doctest of in_doctest", id="a doctest"),
        pytest.param("hinted", "hint", "hinted(x=f32[3,11], n=4)", id="a comment above"),
        pytest.param("hinted_beside", "hint", "hinted_beside(x=f32[3,11])", id="a comment beside a decorator"),
        pytest.param("configured", "hint", "configured(x=f32[2,7], n=3)", id="the configuration"),
        pytest.param("typed", "search", "typed(x=f32[5,7], w=f32[7,11], i=i32[])", id="jaxtyping, in primes"),
        pytest.param("defaulted", "search", "defaulted(x=f32[3])", id="defaults"),
        pytest.param("searched", "search", None, id="a search over trees, shapes and keys"),
    ],
)
def test_each_verdict_says_where_its_inputs_come_from(
    verdicts: dict[str, Verdict], symbol: str, source: str, inputs: str | None
) -> None:
    found = verdicts[symbol]
    assert (found.status, found.exception, found.source) == (Status.CONFIRMED, "TracerBoolConversionError", source)
    assert inputs is None or (found.inputs or "").replace("'", '"') == inputs
