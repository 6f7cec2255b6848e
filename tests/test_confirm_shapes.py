"""Arguments that have to go together with something fixed: constants, weights, words."""

from __future__ import annotations

import pytest

from omnilint.confirm.worker.attempts import Attempts
from omnilint.confirm.worker.shapes import suggested
from omnilint.model import Status
from tests.confirm_support import verdict

ARRAY = {"kind": "array", "dtype": "float32"}


def shapes_of(arguments: dict, text: str) -> list:
    """The first shapes that are suggested after an error."""
    return [[v["shape"] for v in found.values()] for found in suggested(arguments, text)]


@pytest.mark.parametrize(
    ("shapes", "text", "first"),
    [
        pytest.param(
            [[3]],
            "dot_general requires contracting dimensions to have the same shape, got (3,) and (4,).",
            [[4]],
            id="a contraction",
        ),
        pytest.param(
            [[3, 3]], "add got incompatible shapes for broadcasting: (3, 3), (4, 5).", [[4, 4]], id="every axis first"
        ),
        pytest.param(
            [[2], [3]], "add got incompatible shapes for broadcasting: (2,), (3,).", [[3], [3]], id="of two arguments"
        ),
        pytest.param(
            [[3]], "Size of label 'd' for operand 1 (3) does not match previous terms (7).", [[7]], id="einsum"
        ),
    ],
)
def test_sizes_follow_from_the_words_of_an_error(shapes: list, text: str, first: list) -> None:
    arguments = {f"a{i}": {**ARRAY, "shape": s} for i, s in enumerate(shapes)}
    assert shapes_of(arguments, text)[0] == first


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("something else", id="no shapes"),
        pytest.param("got (8,) and (9,)", id="shapes of other things"),
        pytest.param("got (3,) and (99999999,)", id="a size that would eat memory"),
    ],
)
def test_other_errors_suggest_nothing(text: str) -> None:
    assert suggested({"x": {**ARRAY, "shape": [3]}}, text) == []


def test_arrays_with_known_values_stay_as_they_are() -> None:
    assert suggested({"x": {**ARRAY, "shape": [3], "values": [1, 2, 3]}}, "got (3,) and (4,)") == []


def test_attempts_come_to_an_end() -> None:
    attempts = Attempts([{"x": {**ARRAY, "shape": [2]}}])
    tried = 0
    for number, arguments, _ in attempts:
        tried += 1
        size = arguments["x"]["shape"][0]
        attempts.failed(number, arguments, TypeError(f"got ({size},) and ({size + 1},)"))
    assert 1 < tried < 60


def test_arguments_of_somebodys_own_are_not_changed() -> None:
    attempts = Attempts([{"x": {**ARRAY, "shape": [2]}}], fixed=[0])
    attempts.failed(0, attempts.given[0], TypeError("got (2,) and (3,)"))
    assert len(list(attempts)) == 1


@pytest.mark.parametrize(
    ("mark", "code", "inputs"),
    [
        pytest.param("constant", "OMN501", "product(x=f32[4,4])", id="a constant of the module"),
        pytest.param("two", "OMN502", "two_steps(x=f32[4,4], y=f32[5,5])", id="two that follow one from the other"),
        pytest.param("nested", "OMN502", "nested(params={w: f32[4]})", id="an array in a dictionary"),
        pytest.param("made", "OMN502", None, id="what a factory makes"),
        pytest.param("method", "OMN502", "Model.forward(x=f32[3,3])", id="weights made of sizes"),
        pytest.param("field", "OMN502", None, id="weights that are a field"),
        pytest.param("kept", "OMN502", None, id="weights that a constructor keeps"),
        pytest.param("word", "OMN502", "chosen(x=f32[3], mode='up')", id="a word that it is compared with"),
        pytest.param("words", "OMN502", "listed(x=f32[3], how='left')", id="one of the words it is looked up in"),
        pytest.param("object", "OMN502", None, id="an object with attributes"),
        pytest.param("table", "OMN501", "HELD(x=f32[4,4])", id="a jitted lambda in a table"),
    ],
)
def test_arguments_that_fit_are_found(mark: str, code: str, inputs: str | None) -> None:
    pytest.importorskip("jax", reason="confirm runs code under JAX")
    found = verdict("calls", "shaped", code, f"mark: {mark}")
    assert found.status is Status.CONFIRMED, found
    if inputs is not None:
        assert found.inputs == inputs
