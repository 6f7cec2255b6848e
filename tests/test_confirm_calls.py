"""What confirm calls, and with which arguments, when the code makes it easy and when it doesn't."""

from __future__ import annotations

from dataclasses import replace

import pytest

from omnilint.model import Confidence, Status
from tests.confirm_support import DATA, QUICK, confirm, marked, project_of, verdict

pytest.importorskip("jax", reason="confirm runs code under JAX")


@pytest.mark.parametrize(
    ("mark", "code", "inputs"),
    [
        pytest.param("mark: rows", "OMN504", "first_rows(table=f32[3], count=3)", id="a jitted function, a slice"),
        pytest.param("mark: helper", "OMN503", "helper(x=f32[3], n=3)", id="a size that the finding says is traced"),
        pytest.param("mark: matrix", "OMN501", "matrix(a=f32[3,3], b=f32[3,3])", id="matrices by the operator"),
        pytest.param("mark: integers", "OMN501", "integers(a=i32[3], b=i32[3])", id="whole numbers all of them"),
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


@pytest.mark.parametrize(
    ("mark", "code", "exception"),
    [
        pytest.param("tuple", "OMN501", "TracerBoolConversionError", id="in a tuple that a factory returns"),
        pytest.param("namedtuple", "OMN502", "ConcretizationTypeError", id="in a NamedTuple that a factory returns"),
        pytest.param("dict", "OMN502", "ConcretizationTypeError", id="in a dictionary that a factory returns"),
        pytest.param("decorated", "OMN503", "TypeError", id="decorated in its factory"),
        pytest.param("attribute", "OMN501", "TracerBoolConversionError", id="stored on an object"),
        pytest.param("lambda", "OMN502", "ConcretizationTypeError", id="a lambda stored on an object"),
        pytest.param("closed over", "OMN501", "TracerBoolConversionError", id="used by what a factory returns"),
        pytest.param("scan", "OMN501", "TracerBoolConversionError", id="a loop's body"),
        pytest.param("body", "OMN502", "ConcretizationTypeError", id="a module's function as a loop's body"),
        pytest.param("cond", "OMN503", "ConcretizationTypeError", id="a lambda as a branch"),
        pytest.param("nested", "OMN501", "TracerBoolConversionError", id="a helper inside of a function"),
    ],
)
def test_functions_that_exist_only_inside_of_others_are_called(mark: str, code: str, exception: str) -> None:
    found = verdict("calls", "factories", code, f"mark: {mark}", confidence=Confidence.CONDITIONAL)
    assert (found.status, found.exception, found.source) == (Status.CONFIRMED, exception, "search"), found


def test_doctests_are_calls() -> None:
    found = verdict("calls", "documented", "OMN506", "mark: doctest")
    assert (found.status, found.exception) == (Status.CONFIRMED, "NonConcreteBooleanIndexError")
    assert (found.inputs, found.source) == ("doctest of rows", "doctest")


def test_named_dimensions_become_distinct_primes_the_same_name_the_same() -> None:
    found = verdict("calls", "documented", "OMN504", "mark: jaxtyping")
    assert found.status is Status.CONFIRMED, found
    assert found.inputs == "project(x=f32[5,7], w=f32[7,11], n=i32[])"


def test_a_call_that_only_a_script_makes_is_made_when_the_module_is_imported_in_part() -> None:
    found = verdict("calls", "on_import", "OMN506")
    assert (found.status, found.source) == (Status.CONFIRMED, "literal"), found
    assert found.inputs == "kept(jnp.arange(4.0), jnp.arange(4.0) > 1)"
    assert "imported in part" in (found.reason or "")


def test_the_configuration_gives_inputs_too() -> None:
    options = replace(QUICK, inputs={"nobody_calls.masked": "f32[5], bool[5]"})
    found = verdict("calls", "nobody_calls", "OMN506", "mark: mask", options, Confidence.CONDITIONAL)
    assert (found.inputs, found.source) == ("masked(values=f32[5], mask=bool[5])", "hint")


def test_inputs_of_the_configuration_that_cannot_be_read_say_so() -> None:
    options = replace(QUICK, inputs={"nobody_calls.masked": "f32[5], size=3"})
    found = verdict("calls", "nobody_calls", "OMN506", "mark: mask", options)
    assert found.status is Status.INCONCLUSIVE
    assert found.reason == "inputs of nobody_calls.masked in the configuration: masked has no parameter 'size'"


def test_a_mask_of_made_up_dtype_clears_nothing() -> None:
    found = verdict("calls", "unsure", "OMN506")
    assert found.status is Status.INCONCLUSIVE
    assert "the call is made up" in (found.reason or "")


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


@pytest.mark.parametrize(
    ("mark", "code", "status", "legacy"),
    [
        pytest.param("weights", "OMN501", Status.CONFIRMED, False, id="weights of what JAX takes apart"),
        pytest.param("large", "OMN502", Status.CONFIRMED, None, id="an instance that no memory would hold"),
        pytest.param("shape", "OMN101", Status.CONFIRMED, True, id="a shape of such weights"),
        pytest.param("scale", "OMN501", Status.INCONCLUSIVE, None, id="what isn't an array of it"),
        pytest.param("plain", "OMN501", Status.CONFIRMED, True, id="weights of what JAX doesn't take apart"),
    ],
)
def test_arrays_of_an_instance_are_traced_where_jax_takes_it_apart(
    mark: str, code: str, status: Status, legacy: bool | None
) -> None:
    found = verdict("calls", "traced_self", code, f"mark: {mark}", confidence=Confidence.CONDITIONAL)
    assert (found.status, found.legacy) == (status, legacy), found


@pytest.mark.parametrize(
    ("mark", "code", "exception"),
    [
        pytest.param("method", "OMN101", "TypeError", id="a method of a module"),
        pytest.param("function", "OMN501", "TracerBoolConversionError", id="a function that makes modules"),
    ],
)
def test_what_haiku_wants_in_a_transform_is_called_in_one(mark: str, code: str, exception: str) -> None:
    found = verdict("haiku", "net", code, f"mark: {mark}", confidence=Confidence.CONDITIONAL)
    assert (found.status, found.exception) == (Status.CONFIRMED, exception), found


def test_what_runs_well_in_a_transform_of_haikus_is_seen_to_run() -> None:
    found = verdict("haiku", "net", "OMN501", "mark: fine", confidence=Confidence.CONDITIONAL)
    assert found.status is Status.INCONCLUSIVE, found
    assert found.reached


@pytest.mark.parametrize(
    ("mark", "inputs"),
    [
        pytest.param("plain", "test_sign(rows)", id="a fixture of the module"),
        pytest.param("yielded", "TestFlip().test_flip(times=1, first)", id="one that yields, in a class"),
        pytest.param("conftest", "test_scaled(rows, scale)", id="one of a conftest"),
        pytest.param("params", "test_sized(size)", id="the first of its params"),
    ],
)
def test_tests_get_their_fixtures(mark: str, inputs: str) -> None:
    folder = DATA / "fixtures"
    project = project_of([folder / "with_fixtures.py", folder / "conftest.py"])
    finding = marked(project, "with_fixtures.py", "OMN501", f"mark: {mark}")
    (found,) = confirm([folder / "with_fixtures.py"], [finding], project).findings[0].verdicts
    assert (found.status, found.source, found.inputs) == (Status.CONFIRMED, "test", inputs), found


def test_a_test_with_a_fixture_that_nobody_knows_is_left_out() -> None:
    found = verdict("fixtures", "with_fixtures", "OMN501", "mark: unknown")
    assert found.source == "search"


@pytest.mark.parametrize(
    ("mark", "code"),
    [
        pytest.param("mark: sizes", "OMN502", id="what layers are made from are sizes"),
        pytest.param("mark: names", "OMN502", id="sizes by their names"),
        pytest.param("mark: own", "OMN501", id="a method under its class's own name"),
    ],
)
def test_instances_are_made_and_their_own_methods_found(mark: str, code: str) -> None:
    told = verdict("calls", "owners", code, mark)
    assert told.status is Status.CONFIRMED, told
