"""What confirm calls, and with which arguments, when the code makes it easy and when it doesn't."""

from __future__ import annotations

import pytest

from omnilint.model import Confidence, Status
from tests.confirm_support import verdict

pytest.importorskip("jax", reason="confirm runs code under JAX")


@pytest.mark.parametrize(
    ("mark", "code", "inputs"),
    [
        pytest.param("mark: rows", "OMN504", "first_rows(table=f32[3], count=3)", id="a jitted function, a slice"),
        pytest.param("mark: helper", "OMN503", "helper(x=f32[3], n=3)", id="a size that the finding says is traced"),
        pytest.param("mark: matrix", "OMN501", "matrix(a=f32[3,3], b=f32[3,3])", id="matrices by the operator"),
        pytest.param("mark: mask", "OMN506", "masked(values=f32[3], mask=bool[3])", id="a mask by its name"),
        pytest.param("mark: dict", "OMN501", "with_dict(params={bias: f32[3], weight: f32[3]})", id="a mapping"),
        pytest.param("mark: key", "OMN502", "keyed(key=key)", id="a random key, a default"),
        pytest.param("mark: method", "OMN502", "Scaler.__call__(x=f32[3])", id="a method of a constructible class"),
        pytest.param("mark: instance", "OMN502", "norm(point=Point(x=f32[3], y=f32[3]))", id="an annotated NamedTuple"),
        pytest.param("mark: callable", "OMN502", None, id="a function argument"),
        pytest.param("mark: factory", "OMN501", None, id="a function that a factory returns"),
    ],
)
def test_arguments_are_found(mark: str, code: str, inputs: str | None) -> None:
    found = verdict("calls", "nobody_calls", code, mark, confidence=Confidence.CONDITIONAL)
    assert found.status is Status.CONFIRMED, found
    assert found.reached
    if inputs is not None:
        assert found.inputs == inputs


def test_a_method_that_needs_its_modules_variables_is_called_through_init() -> None:
    found = verdict("calls", "bound_module", "OMN501", confidence=Confidence.CONDITIONAL)
    assert (found.status, found.inputs) == (Status.CONFIRMED, "Module.encode(x=f32[3])")


def test_a_hint_in_a_comment_comes_first() -> None:
    found = verdict("calls", "hinted", "OMN501", "mark: good", confidence=Confidence.CONDITIONAL)
    assert (found.status, found.inputs) == (Status.CONFIRMED, "pick(table=f32[2,5], flags=(True, False))")


def test_a_hint_that_cannot_be_read_says_where() -> None:
    found = verdict("calls", "hinted", "OMN501", "mark: bad")
    assert found.status is Status.INCONCLUSIVE
    assert (found.reason or "").startswith("hinted.py:11: inputs: 'q32[3]'")


def test_where_no_arguments_are_found_it_says_what_to_do() -> None:
    found = verdict("calls", "nobody_calls", "OMN502", "mark: impossible", confidence=Confidence.CONDITIONAL)
    assert found.status is Status.UNREACHED
    assert "add a call with literal arguments" in (found.reason or "")


@pytest.mark.parametrize(
    ("name", "mark", "inputs"),
    [
        pytest.param("script", "mark", "python script.py", id="the body of __main__"),
        pytest.param("literal", "mark", "jax.jit(sign)(1.5, scale=2.0)", id="a call of a transform, its locals put in"),
        pytest.param("literal_caller", "mark", "train(2, start=1.5)", id="a literal call of what calls it"),
        pytest.param("pytest_style", "mark: parametrized", "test_sign(value=2.0, expected=2.0)", id="parametrize"),
        pytest.param("pytest_style", "mark: unittest", "FlipTest.test_flip()", id="unittest"),
        pytest.param("pytest_style", "mark: class", "TestTwice.test_twice()", id="a pytest class"),
    ],
)
def test_calls_in_the_code_are_used(name: str, mark: str, inputs: str) -> None:
    found = verdict("calls", name, "OMN501", mark)
    assert found.status is Status.CONFIRMED, found
    assert found.inputs == inputs
