"""The table of tolerances is true of the libraries that are installed."""

from __future__ import annotations

import importlib
import inspect
import math
import unittest
from typing import Any

import pytest

from omnilint import knowledge
from omnilint.rounding import table
from tests.tolerance_support import EXACT_SINCE, is_since

FACTS = table.load()
RAW = knowledge.table("tolerance")
INSTALLED = ("numpy", "jax", "math", "pytest", "scipy")


def attribute(dotted: str) -> Any:
    """The object of a dotted name; skips when its package isn't installed."""
    parts = dotted.split(".")
    pytest.importorskip(parts[0], reason="the facts are compared with the library")
    for i in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:i]))
        except ModuleNotFoundError:
            continue
        for part in parts[i:]:
            found = getattr(found, part)
        return found
    raise AssertionError(dotted)


def names(entry: str) -> list[str]:
    return [name for comparison in RAW[entry] for name in comparison["names"]]


def checkable(entry: str) -> list[str]:
    return [name for name in names(entry) if name.partition(".")[0] in INSTALLED]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "bfloat16"])
def test_eps(dtype: str) -> None:
    jnp = pytest.importorskip("jax.numpy", reason="the facts are compared with the library")
    assert FACTS.eps[dtype] == float(jnp.finfo(dtype).eps)


@pytest.mark.parametrize("name", checkable("comparison"))
def test_signature_of_comparison(name: str) -> None:
    comparison = FACTS.comparisons[name]
    function = attribute(name)
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:  # built in, with its signature in the docstring only
        return
    positional = [p.name for p in parameters.values() if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    assert tuple(positional[: len(comparison.parameters)]) == comparison.parameters
    for parameter in parameters.values():
        meaning = FACTS.keywords.get(parameter.name)
        if meaning in comparison.defaults and isinstance(parameter.default, int | float):
            assert parameter.default == comparison.defaults[meaning]


def test_defaults_that_signatures_hide() -> None:
    assert math.isclose(1.0, 1.0 + 0.9e-9)
    assert not math.isclose(1.0, 1.0 + 1.1e-9)
    assert pytest.approx(1.0) == 1.0 + 0.9e-6
    assert pytest.approx(1.0) != 1.0 + 1.1e-6
    assert pytest.approx(0.0) == 0.9e-12
    almost_equal = unittest.TestCase().assertAlmostEqual
    almost_equal(1.0, 1.0 + 4e-8)
    with pytest.raises(AssertionError):
        almost_equal(1.0, 1.0 + 6e-8)


@pytest.mark.parametrize("name", checkable("finite_difference"))
def test_signature_of_finite_difference(name: str) -> None:
    facts = FACTS.differences[name]
    parameters = list(inspect.signature(attribute(name)).parameters.values())
    assert tuple(p.name for p in parameters[: len(facts.parameters)]) == facts.parameters
    assert {facts.function, facts.arguments} <= set(facts.parameters)
    default = next(p.default for p in parameters if p.name == facts.step_parameter)
    assert default is None or float(default) == facts.step


def test_operations_are_listed_once() -> None:
    listed = [name for entry in RAW["operation"] for name in entry["names"].split()]
    assert sorted(listed) == sorted(set(listed))


def test_operations_exist() -> None:
    jax = pytest.importorskip("jax", reason="the facts are compared with the library")
    numpy, scipy = (
        pytest.importorskip("numpy", reason="the facts are compared with the library"),
        pytest.importorskip("scipy", reason="the facts are compared with the library"),
    )
    paths = ["scipy.special", "scipy.linalg", "scipy.sparse.linalg", "scipy.stats.norm", "scipy.stats.bernoulli"]
    paths += ["experimental.ode"]
    modules = [jax, jax.numpy, jax.lax, jax.nn, jax.numpy.linalg, jax.numpy.fft, jax.ops, jax.Array]
    modules += [importlib.import_module(f"jax.{path}") for path in paths]
    modules += [importlib.import_module(path) for path in ("jax.lax.linalg", "scipy.linalg")]
    modules += [numpy, numpy.linalg, numpy.ndarray, scipy.special, importlib.import_module("scipy.stats").norm]
    unknown = [name for name in FACTS.operations if not any(hasattr(module, name) for module in modules)]
    assert unknown == []


def test_functions_next_to_one_are_operations() -> None:
    assert set(FACTS.operations) >= FACTS.near_one


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("exp", "exp"),
        ("log", "log"),
        ("tanh", "tanh"),
        ("log1p", "log1p"),
        ("expm1", "expm1"),
        ("sin", "sin"),
        ("sum", "sum"),
    ],
)
def test_spreads_are_of_the_measured_size(name: str, reference: str) -> None:
    """Within a factor of four: other processors and versions approximate a little differently."""
    jax, numpy = (
        pytest.importorskip("jax", reason="the facts are compared with the library"),
        pytest.importorskip("numpy", reason="the facts are compared with the library"),
    )
    x = numpy.abs(numpy.random.default_rng(0).normal(size=(2000, 100))).astype("float32") + numpy.float32(0.01)
    axis = {"axis": 1} if name == "sum" else {}
    got = numpy.asarray(getattr(jax.numpy, name)(x, **axis), "float64")
    want = getattr(numpy, reference)(x.astype("float64"), **axis)
    measured = numpy.percentile(numpy.abs(got - want) / numpy.abs(want), 99) / FACTS.eps["float32"]
    if is_since(EXACT_SINCE.get(name)):
        assert measured <= 0.5
    else:
        assert measured / 4 <= FACTS.operations[name].spread <= measured * 4
