"""A line that ran under tracing clears a finding only where the value that it is about was the traced one."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from omnilint.confirm.operand import operand
from omnilint.confirm.places import Site, Span
from omnilint.model import Finding, Place, Status, Verdict
from tests.confirm_support import DATA, confirm, project_of

FILE = DATA / "operands" / "callers.py"


def finding_at(text: str, part: str, code: str, message: str = "", symbol: str = "", path: str = "a.py") -> Finding:
    """A finding at the first line that has `part`."""
    line = next(n for n, told in enumerate(text.splitlines(), 1) if part in told)
    start = text.splitlines()[line - 1].index(part) + 1
    return Finding(code, message, Place(path, line, start, line, start + len(part)), symbol=symbol)


def found(symbol: str, part: str, code: str, message: str = "", file: Path = FILE) -> Verdict:
    """The verdict on a part of a function."""
    pytest.importorskip("jax", reason="confirm runs code under JAX")
    project = project_of([file])
    (module,) = project.modules()
    node = module.definitions[symbol].node
    finding = finding_at("\n".join(module.lines[node.lineno - 1 :]), part, code, message, symbol, file.name)
    place = finding.place
    line = place.line + node.lineno - 1
    finding = replace(finding, place=replace(place, line=line, end_line=line))
    (told,) = confirm([file], [finding], project).findings[0].verdicts
    return told


@pytest.mark.parametrize(
    ("symbol", "part", "code", "inputs"),
    [
        pytest.param("cut", "x[:n]", "OMN504", "two(", id="another caller passes a traced bound"),
        pytest.param("rows", "x.reshape(n, -1)", "OMN503", "inside(", id="another caller traces it itself"),
        pytest.param("mixed", "x.reshape(n, -1)", "OMN503", "mixed(x=", id="another value of a static argument"),
    ],
)
def test_another_call_shows_it(symbol: str, part: str, code: str, inputs: str) -> None:
    told = found(symbol, part, code)
    assert told.status is Status.CONFIRMED, told
    assert (told.inputs or "").startswith(inputs)


@pytest.mark.parametrize(
    ("symbol", "part", "code", "message"),
    [
        pytest.param("few", "x[:n]", "OMN504", "", id="a bound"),
        pytest.param("size_of", "jnp.zeros((n, 3))", "OMN503", "`shape` of `jnp.zeros` must be static", id="a shape"),
    ],
)
def test_a_plain_value_there_refutes_nothing(symbol: str, part: str, code: str, message: str) -> None:
    told = found(symbol, part, code, message)
    assert told.status is Status.INCONCLUSIVE, told
    assert "traced" in (told.reason or "")


SHAPE = "`shape` of `jnp.full` must be static"


@pytest.mark.parametrize(
    ("part", "code", "message", "traced", "expected"),
    [
        pytest.param("x[:n]", "OMN504", "", "x", False, id="what is sliced"),
        pytest.param("x[:n]", "OMN504", "", "n", True, id="a bound"),
        pytest.param("x[n, :k]", "OMN504", "", "n", False, id="an index next to a slice"),
        pytest.param("x[n]", "OMN504", "", "n", True, id="an index"),
        pytest.param("x.reshape(n, -1)", "OMN503", "", "x", False, id="what is reshaped"),
        pytest.param("x.reshape(n, -1)", "OMN503", "", "n", True, id="a size"),
        pytest.param("x.reshape((n, k))", "OMN503", "", "k", True, id="a size in a tuple"),
        pytest.param("jnp.full(n, x)", "OMN503", SHAPE, "x", False, id="what fills"),
        pytest.param("jnp.full(n, x)", "OMN503", SHAPE, "n", True, id="the shape that is filled"),
        pytest.param("jnp.full(fill_value=x, shape=n)", "OMN503", SHAPE, "x", False, id="a keyword"),
        pytest.param("jnp.full(fill_value=x, shape=n)", "OMN503", SHAPE, "n", True, id="the keyword"),
        pytest.param("jnp.sum(x, axis=n)", "OMN508", "`axis` of `jnp.sum` must be static", "x", False, id="summed"),
        pytest.param("jnp.split(x, n)", "OMN508", "`sections` of `jnp.split` must be", "n", True, id="by position"),
        pytest.param("jnp.roll(x, n, k)", "OMN508", "`axis` of `jnp.roll` must be", "n", False, id="one of several"),
        pytest.param("int(x)", "OMN502", "", "x", True, id="a number"),
        pytest.param("int(x.shape[0])", "OMN502", "", "x", False, id="what is static about it"),
        pytest.param("int(x.sum())", "OMN502", "", "x", True, id="a method"),
        pytest.param("int(f(x))", "OMN502", "", "x", False, id="anybody's function"),
        pytest.param("int(jnp.sum(x))", "OMN502", "", "x", True, id="a function of JAX's"),
        pytest.param("int(jnp.ndim(x))", "OMN502", "", "x", False, id="one that gives a number"),
        pytest.param("x.tolist()", "OMN502", "", "x", True, id="what a method is of"),
        pytest.param("x.sum() > n", "OMN501", "", "x", True, id="a comparison"),
        pytest.param("x is n", "OMN501", "", "x", False, id="identity"),
        pytest.param("x if n else k", "OMN501", "", "x", False, id="one arm"),
        pytest.param("not x", "OMN501", "", "x", True, id="a negation"),
        pytest.param("int(t[0])", "OMN502", "", "t", False, id="an entry, which may be another"),
    ],
)
def test_what_was_traced(part: str, code: str, message: str, traced: str, expected: bool) -> None:
    jax = pytest.importorskip("jax", reason="only JAX makes tracers")
    from omnilint.confirm.worker import watch

    text = f"y = {part}"
    finding = finding_at(text, part, code, message)
    formula = operand(finding, ast.parse(text).body[0])
    assert formula is not None
    seen: list[Any] = []

    def look(value: Any) -> Any:
        names: dict[str, Any] = {"x": 1, "n": 2, "k": 3, "t": ()}
        names[traced] = (value, 1) if traced == "t" else value
        frame = type("Frame", (), {"f_locals": names, "f_globals": {"jnp": jax.numpy, "f": look}})
        seen.append(watch.asked(formula, frame, jax.core.Tracer))
        return value

    jax.jit(look)(1.0)
    assert seen == [expected]


def test_what_a_finding_of_another_kind_is_about_no_name_tells() -> None:
    text = "y = x.reshape(jnp.prod(jnp.array(x.shape)))"
    finding = finding_at(text, "jnp.array(x.shape)", "OMN101")
    assert operand(finding, ast.parse(text).body[0]) is None


@pytest.mark.parametrize("symbol", ["both", "around"])
@pytest.mark.parametrize(
    ("part", "code", "status"),
    [
        pytest.param("x.reshape(n, -1)", "OMN503", Status.CONFIRMED, id="what fails"),
        pytest.param("range(n)", "OMN502", Status.INCONCLUSIVE, id="what stands next to it"),
    ],
)
def test_an_exception_is_that_of_its_part_of_the_line(symbol: str, part: str, code: str, status: Status) -> None:
    told = found(symbol, part, code, file=FILE.with_name("two_on_a_line.py"))
    assert told.status is status, told
    if status is Status.INCONCLUSIVE:
        assert "ended with TypeError at two_on_a_line.py" in (told.reason or "")


def test_where_only_the_line_is_known_it_counts() -> None:
    text = "y = x.reshape(n, -1), range(n)"
    place = finding_at(text, "range(n)", "OMN502").place
    site = Site(next(iter(project_of([FILE]).modules())), Span("a.py", 1, 1), (), (), (), None, parts=(place,))
    assert not site.raised(["a.py", 1, "f", False, [1, 1, 4, 20]])
    assert site.raised(["a.py", 1, "f", False, [1, 1, 4, 30]])  # the tuple that holds it
    assert site.raised(["a.py", 1, "f", False, [1, 1, 28, 29]])
    assert site.raised(["a.py", 1, "f", False, None])
    assert site.raised(["a.py", 1])
    assert not site.raised(["a.py", 2, "f", False, None])


def test_a_call_that_somebody_makes_is_not_called_made_up(tmp_path: Path) -> None:
    pytest.importorskip("jax", reason="confirm runs code under JAX")
    file = tmp_path / "hinted.py"
    file.write_text(
        "import jax\n\n\n# omnilint: inputs(f32[3])\n@jax.jit\ndef f(x):\n    return x.reshape(x.sum(), -1)\n"
    )
    told = found("f", "x.reshape(x.sum(), -1)", "OMN503", file=file)
    assert told.source == "hint"
    assert told.status in (Status.CONFIRMED, Status.INCONCLUSIVE)
    assert "anyone makes" not in (told.reason or "")
