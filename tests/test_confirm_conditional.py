"""A line may run without the part of it that a finding is about: that clears nothing."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from omnilint.confirm.conditional import always
from omnilint.model import Place, Status
from tests.confirm_support import DATA, confirm, marked, project_of

FILE = DATA / "calls" / "partly.py"


def part_of(text: str, part: str) -> bool:
    """Whether `part` is evaluated each time that the last line of `text` runs."""
    lines = text.splitlines()
    start = lines[-1].index(part) + 1
    inside: list[ast.stmt] = ast.parse(text).body
    path = []
    while inside:
        path.append(inside[-1])
        inside = getattr(inside[-1], "body", [])
    return always(path, Place("a.py", len(lines), start, len(lines), start + len(part)))


@pytest.mark.parametrize(
    ("text", "part", "expected"),
    [
        pytest.param("y = f(x)", "f(x)", True, id="a call"),
        pytest.param("y = a(x) and b(x)", "a(x)", True, id="the first operand of and"),
        pytest.param("y = a(x) and b(x)", "b(x)", False, id="the second operand of and"),
        pytest.param("y = a(x) and b(x)", "a(x) and b(x)", True, id="the whole of and"),
        pytest.param("y = a(x) or f(b(x))", "b(x)", False, id="inside of the second operand of or"),
        pytest.param("y = a < b(x) < c(x)", "b(x)", True, id="the second of a chained comparison"),
        pytest.param("y = a < b(x) < c(x)", "c(x)", False, id="the third of a chained comparison"),
        pytest.param("y = a(x) if b(x) else c(x)", "b(x)", True, id="the test of a conditional expression"),
        pytest.param("y = a(x) if b(x) else c(x)", "a(x)", False, id="its body"),
        pytest.param("y = a(x) if b(x) else c(x)", "c(x)", False, id="its other arm"),
        pytest.param("y = [a(v) for v in b(x)]", "b(x)", True, id="what a comprehension goes over"),
        pytest.param("y = [a(v) for v in b(x)]", "a(v)", False, id="what a comprehension does"),
        pytest.param("y = {a(v): 1 for v in b(x)}", "a(v)", False, id="the keys of one"),
        pytest.param("y = [v for v in b(x) if a(v)]", "a(v)", False, id="the condition of one"),
        pytest.param("y = lambda: a(x)", "a(x)", False, id="a lambda"),
        pytest.param("assert b(x), a(x)", "b(x)", True, id="what is asserted"),
        pytest.param("assert b(x), a(x)", "a(x)", False, id="the words of an assertion"),
        pytest.param("if b(x): y = a(x)", "a(x)", False, id="on the line of its if"),
        pytest.param("if b(x):\n    y = a(x)", "a(x)", True, id="on a line below its if"),
        pytest.param("def f(x): return a(x)", "a(x)", False, id="on the line of its def"),
    ],
)
def test_what_is_evaluated_each_time(text: str, part: str, expected: bool) -> None:
    assert part_of(text, part) is expected


@pytest.mark.parametrize(
    ("mark", "code", "part"),
    [
        pytest.param("mark: and", "OMN501", "jnp.any(x > 0)", id="and"),
        pytest.param("mark: or", "OMN501", "jnp.any(x > 0)", id="or"),
        pytest.param("mark: arm", "OMN502", "float(x.sum())", id="an arm"),
        pytest.param("mark: each", "OMN502", "float(x.sum())", id="a comprehension"),
    ],
)
def test_a_line_that_leaves_the_place_out_refutes_nothing(mark: str, code: str, part: str) -> None:
    pytest.importorskip("jax", reason="confirm runs code under JAX")
    project = project_of([FILE])
    finding = marked(project, FILE.name, code, mark)
    (module,) = project.modules()
    start = module.lines[finding.place.line - 1].index(part) + 1
    finding = replace(finding, place=replace(finding.place, column=start, end_column=start + len(part)))
    (found,) = confirm([FILE], [finding], project).findings[0].verdicts
    assert found.status in (Status.INCONCLUSIVE, Status.CONFIRMED), found
    if found.status is Status.INCONCLUSIVE:
        assert "evaluated under a condition only" in (found.reason or "") or "made up" in (found.reason or "")
