"""The tables of JAX facts: well-formed everywhere, and true of the installed JAX where there is one."""

from __future__ import annotations

import importlib
import inspect
import json
from typing import Any

import pytest

from omnilint import knowledge

GENERATED = ["jax_functions", "array_members", "numpy_on_tracer", "scipy_on_tracer"]
RESULTS = {"traced", "static", "data-dependent", "leaves", "applied", "callable"}


def raw(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((knowledge.folder() / "tables" / f"{name}.json").read_text(encoding="utf-8"))
    return data


@pytest.mark.parametrize("name", GENERATED)
def test_a_table_says_which_jax_it_was_measured_with_and_how(name: str) -> None:
    source = raw(name)["_source"]
    assert source["jax"].count(".") == 2
    assert source["how"]
    assert "_source" not in knowledge.table(name)


@pytest.mark.parametrize("name", GENERATED)
def test_a_table_is_small_enough_to_load_on_every_run(name: str) -> None:
    assert (knowledge.folder() / "tables" / f"{name}.json").stat().st_size < 250_000


def test_a_missing_table_says_what_to_do() -> None:
    with pytest.raises(knowledge.KnowledgeError, match="reinstall omnilint"):
        knowledge.table("no_such_table")


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        pytest.param("jax.numpy.reshape", "static", {"shape": "TypeError"}, id="a size must be static"),
        pytest.param("jax.numpy.shape", "result", "static", id="a shape stays static"),
        pytest.param("jax.numpy.prod", "result", "traced", id="arithmetic is staged"),
        pytest.param("jax.numpy.nonzero", "needs", ["size"], id="a count needs a size"),
        pytest.param("jax.numpy.where", "or_needs", ["size"], id="one-argument where takes a size too"),
        pytest.param("jax.numpy.repeat", "unless_static", ["repeats"], id="a static count needs no total"),
        pytest.param("jax.ops.segment_sum", "sized_by", ["segment_ids"], id="data may be traced where ids are known"),
        pytest.param("jax.tree.map", "result", "applied", id="tree.map returns what its function returns"),
        pytest.param("jax.numpy.pi", "constant", True, id="pi is a Python float"),
    ],
)
def test_function_facts_that_rules_rely_on(name: str, key: str, value: object) -> None:
    assert knowledge.table("jax_functions")[name][key] == value


def test_every_function_has_a_result_that_the_engine_understands() -> None:
    for name, entry in knowledge.table("jax_functions").items():
        assert entry["result"] in RESULTS or entry["result"].endswith("Error"), name
        known = {*entry["params"], *entry.get("kwonly", ())}
        if known and "kwarg" not in entry:
            for key in ("static", "sometimes", "needs", "unless_static", "sized_by"):
                assert {p for p in entry.get(key, ()) if not p.startswith("*")} <= known, (name, key)


# Below: the installed JAX has the last word.


@pytest.fixture(scope="module")
def jax() -> Any:
    return pytest.importorskip("jax", reason="the tables are compared with the installed JAX")


def test_signatures_are_those_of_the_installed_jax(jax: Any) -> None:
    measured = raw("jax_functions")["_source"]["jax"]
    if jax.__version__ != measured:
        pytest.skip(f"the table describes JAX {measured}, installed is {jax.__version__}")
    wrong = []
    for name, entry in knowledge.table("jax_functions").items():
        module, _, attribute = name.rpartition(".")
        try:
            function = getattr(importlib.import_module(module), attribute)
            parameters = inspect.signature(function).parameters.values()
        except (ImportError, TypeError, ValueError):
            continue  # a distribution of scipy.stats is no module; a scalar type has no signature
        names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        if entry.get("params") != names and not entry.get("scalar_type") and not entry.get("subscripted"):
            wrong.append(name)
    assert not wrong


def call_traced(jax: Any, function: Any, parameter: str, **arguments: Any) -> str | None:
    """The exception's name when `parameter` of `function` is handed over traced, None when all is well."""
    try:
        jax.jit(lambda value: function(**{**arguments, parameter: value}))(arguments[parameter])
    except Exception as e:
        return type(e).__name__
    return None


VECTOR = (1.0, 2.0, 3.0, 4.0)
STATIC_SAMPLE: list[tuple[str, str, dict[str, Any]]] = [
    ("jax.numpy.arange", "start", {"start": 3}),
    ("jax.numpy.linspace", "num", {"start": 0.0, "stop": 1.0, "num": 4}),
    ("jax.numpy.zeros", "shape", {"shape": 3}),
    ("jax.numpy.eye", "N", {"N": 3}),
    ("jax.numpy.tri", "N", {"N": 3}),
    ("jax.numpy.sum", "axis", {"a": VECTOR, "axis": 0}),
    ("jax.numpy.sum", "keepdims", {"a": VECTOR, "keepdims": True}),
    ("jax.numpy.argmax", "axis", {"a": VECTOR, "axis": 0}),
    ("jax.numpy.expand_dims", "axis", {"a": VECTOR, "axis": 0}),
    ("jax.numpy.take", "axis", {"a": VECTOR, "indices": 1, "axis": 0}),
    ("jax.numpy.split", "indices_or_sections", {"ary": VECTOR, "indices_or_sections": 2}),
    ("jax.numpy.tril", "k", {"m": (VECTOR, VECTOR), "k": 1}),
    ("jax.numpy.bincount", "length", {"x": (0, 1, 1), "length": 3}),
    ("jax.nn.one_hot", "num_classes", {"x": (0, 1), "num_classes": 3}),
    ("jax.ops.segment_sum", "num_segments", {"data": VECTOR, "segment_ids": (0, 0, 1, 1), "num_segments": 2}),
    ("jax.lax.iota", "size", {"dtype": "int32", "size": 3}),
    ("jax.numpy.fft.fft", "n", {"a": VECTOR, "n": 4}),
]
TRACED_SAMPLE: list[tuple[str, str, dict[str, Any]]] = [
    ("jax.numpy.linspace", "stop", {"start": 0.0, "stop": 1.0, "num": 4}),
    ("jax.numpy.eye", "k", {"N": 3, "k": 1}),
    ("jax.numpy.var", "ddof", {"a": VECTOR, "ddof": 1}),
    ("jax.numpy.full", "fill_value", {"shape": 3, "fill_value": 1.0}),
    ("jax.numpy.roll", "shift", {"a": VECTOR, "shift": 1}),
    ("jax.numpy.take", "indices", {"a": VECTOR, "indices": 1}),
]


def plain(jax: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """Nested tuples of numbers as arrays, the rest as it is."""
    return {k: jax.numpy.array(v) if isinstance(v, tuple) else v for k, v in arguments.items()}


def resolve(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


@pytest.mark.parametrize(
    ("name", "parameter", "arguments"), STATIC_SAMPLE, ids=lambda v: v if isinstance(v, str) else ""
)
def test_parameters_that_must_be_static_fail_when_traced(jax: Any, name: str, parameter: str, arguments: Any) -> None:
    got = call_traced(jax, resolve(name), parameter, **plain(jax, arguments))
    assert got == knowledge.table("jax_functions")[name]["static"][parameter]


@pytest.mark.parametrize(
    ("name", "parameter", "arguments"), TRACED_SAMPLE, ids=lambda v: v if isinstance(v, str) else ""
)
def test_look_alikes_may_be_traced(jax: Any, name: str, parameter: str, arguments: Any) -> None:
    assert call_traced(jax, resolve(name), parameter, **plain(jax, arguments)) is None
    assert parameter not in knowledge.table("jax_functions")[name].get("static", {})


def on_tracer(jax: Any, probe: Any) -> str:
    """The table's word for what `probe` gives for a traced vector of four floats."""
    seen: list[str] = []

    def body(x: Any) -> Any:
        try:
            value = probe(x)
        except Exception as e:
            seen.append(type(e).__name__)
            return x
        leaves = jax.tree.leaves(value)
        seen.append("traced" if any(isinstance(leaf, jax.core.Tracer) for leaf in leaves) else "static")
        return x

    jax.jit(body)(jax.numpy.arange(4.0))
    return seen[0]


@pytest.mark.parametrize(
    "name", ["shape", "dtype", "ndim", "size", "T", "real", "itemsize", "aval", "device", "sharding"]
)
def test_attributes_of_a_tracer(jax: Any, name: str) -> None:
    word = knowledge.table("array_members")["attributes"][name]
    assert on_tracer(jax, lambda x: getattr(x, name)) == (word if isinstance(word, str) else word["jit"])


@pytest.mark.parametrize("name", ["item", "tolist", "sum", "copy", "argmax", "block_until_ready", "devices", "ravel"])
def test_methods_of_a_tracer(jax: Any, name: str) -> None:
    entry = knowledge.table("array_members")["methods"][name]
    assert on_tracer(jax, lambda x: getattr(x[0] if name == "item" else x, name)()) == entry["result"]


def test_every_public_method_of_an_array_is_in_the_table(jax: Any) -> None:
    table = knowledge.table("array_members")
    known = {*table["attributes"], *table["methods"]}
    if jax.__version__ != raw("array_members")["_source"]["jax"]:
        pytest.skip("the table describes another JAX version")
    assert {n for n in dir(jax.Array) if not n.startswith("_")} <= known


@pytest.mark.parametrize(
    "name", ["numpy.sum", "numpy.sin", "numpy.shape", "numpy.asarray", "numpy.linalg.norm", "numpy.flip"]
)
def test_numpy_on_a_tracer(jax: Any, name: str) -> None:
    word = knowledge.table("numpy_on_tracer")[name]
    assert on_tracer(jax, resolve(name)) == (word if isinstance(word, str) else word["jit"])


@pytest.mark.parametrize("name", ["scipy.special.expit", "scipy.linalg.expm", "scipy.fft.fft", "scipy.special.erf"])
def test_scipy_on_a_tracer(jax: Any, name: str) -> None:
    pytest.importorskip("scipy", reason="the tables are compared with the library")
    function = resolve(name)
    got = on_tracer(jax, lambda x: function(x.reshape(2, 2)))
    assert got == knowledge.table("scipy_on_tracer")[name]


def test_numpy_array_equal_answers_false_without_a_word(jax: Any) -> None:
    numpy = pytest.importorskip("numpy", reason="the tables are compared with the library")
    seen: list[object] = []
    jax.jit(lambda x: (seen.append(numpy.array_equal(x, x)), x)[1])(jax.numpy.arange(3.0))
    assert seen == [False]
    assert knowledge.table("numpy_on_tracer")["numpy.array_equal"] == "false"


def attribute(name: str) -> Any:
    """The object of a dotted name, None when it can't be had."""
    try:
        return resolve(name)
    except (ImportError, AttributeError):
        return None


def test_every_reduction_refuses_a_traced_axis_as_the_table_says(jax: Any) -> None:
    matrix, wrong, tried = jax.numpy.ones((2, 2)), {}, 0
    for name, entry in knowledge.table("jax_functions").items():
        expected = entry.get("static", {}).get("axis")
        function = attribute(name) if expected and name.startswith("jax.numpy.") else None
        if function is None or len(entry["params"]) < 2:
            continue
        try:
            function(matrix, axis=0)
        except Exception:
            continue  # needs other arguments than a matrix
        tried += 1
        try:
            jax.make_jaxpr(lambda axis, function=function: function(matrix, axis=axis))(0)
        except Exception as e:
            if type(e).__name__ != expected:
                wrong[name] = type(e).__name__
        else:
            wrong[name] = None
    assert not wrong
    assert tried > 30


@pytest.mark.filterwarnings("ignore")
def test_every_numpy_function_of_one_array_does_with_a_tracer_what_the_table_says(jax: Any) -> None:
    numpy = pytest.importorskip("numpy", reason="the tables are compared with the library")
    vector, wrong, tried = numpy.array([0.1, 0.2, 0.3, 0.4], numpy.float32), {}, 0
    for name, word in knowledge.table("numpy_on_tracer").items():
        function = None if name.startswith(("numpy.random.", "numpy.testing.")) else attribute(name)
        try:
            assert function is not None
            with numpy.errstate(all="ignore"):
                function(vector)
        except Exception:
            continue  # takes something else
        tried += 1
        got = on_tracer(jax, function)
        if got != (word if isinstance(word, str) else word["jit"]):
            wrong[name] = got
    assert not wrong
    assert tried > 100
