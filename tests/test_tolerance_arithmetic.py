"""The arithmetic behind a tolerance finding: what a form allows, what rounding does, what is advised."""

from __future__ import annotations

import ast
import math
import struct
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omnilint.hazards import tolerance_judge, tolerance_message
from omnilint.hazards.tolerance_judge import Claim, judge
from omnilint.index.module import ModuleIndex, index_module
from omnilint.index.project import Project
from omnilint.model import Confidence, Source
from omnilint.rounding import table
from omnilint.rounding.dtypes import dyadic, nearest
from omnilint.rounding.frame import Frame
from omnilint.rounding.machine import Machine
from omnilint.rounding.values import Array, Compared, Const, Error, Opaque, Seq, Value
from tests.tolerance_support import FUSION, of_body, statements

EPS = 2.0**-23
FACTS = table.load()
MODULE: ModuleIndex = index_module(Source("m.py", "x = 1\n"), "m")
NODE = ast.parse("x").body[0]
FRAME = Frame(MODULE, {}, x64="off")


def machine() -> Machine:
    return Machine(Project(), FACTS, lambda compared: None)


def array(key: int, ulps: float, dtype: str = "float32", **more: object) -> Array:
    eps = FACTS.eps[dtype]
    errors = {key: Error(ulps * eps, dtype, True, MODULE, NODE, "op")} if ulps else {}
    value = Array(key=key, form=key, library="jax", dtype=dtype, errors=errors, traced=True)
    return replace(value, **more)  # type: ignore[arg-type]


def const(value: float) -> Const:
    return Const(key=999, form=999, value=value)


def compared(
    a: Value, b: Value, form: str = "relative", defaults: dict[str, float] | None = None, **given: float
) -> Compared:
    known = {"rtol": 1e-7, "atol": 0.0} if defaults is None else defaults
    return Compared("f", form, a, b, {k: const(v) for k, v in given.items()}, known, NODE, FRAME)


@given(st.floats(min_value=1e-30, max_value=1e30))
def test_nearest_is_what_float32_holds(value: float) -> None:
    assert nearest(value, EPS) == struct.unpack("f", struct.pack("f", value))[0]


@pytest.mark.parametrize("value", [0, 1, -3, 0.5, 2.25, 100.0, 1 / 1024])
def test_dyadic(value: float) -> None:
    assert dyadic(value)


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e9, 1e-9, float("nan"), float("inf"), 10**30, "1", None])
def test_not_dyadic(value: object) -> None:
    assert not dyadic(value)


@pytest.mark.parametrize(
    ("form", "numbers", "size", "allowed"),
    [
        ("relative", {"rtol": 1e-3, "atol": 1e-2}, 10.0, 2e-3),
        ("isclose", {"rtol": 1e-3, "atol": 1e-2}, 10.0, 1e-3),
        ("isclose", {"rtol": 1e-3, "atol": 1e-1}, 10.0, 1e-2),
        ("absolute", {"atol": 1e-2}, 10.0, 1e-3),
        ("decimal", {"decimal": 3}, 10.0, 1.5e-4),
        ("places", {"places": 3}, 10.0, 5e-5),
        ("places", {"places": 3, "delta": 1.0}, 10.0, 0.1),
        ("digits", {"significant": 4}, 10.0, 1e-3),
    ],
)
def test_what_a_form_allows(form: str, numbers: dict[str, float], size: float, allowed: float) -> None:
    sides = array(1, 1), array(2, 1)
    found = tolerance_judge.allowed(compared(*sides, form, {}, **numbers), *sides, size, FACTS)
    assert found == pytest.approx(allowed)


def test_ulps_are_of_the_wider_dtype() -> None:
    sides = (array(1, 1), array(2, 1, "float64"))
    assert tolerance_judge.allowed(compared(*sides, "ulp", {}, ulp=3), *sides, 1.0, FACTS) == 3 * 2.0**-52


def test_unknown_tolerance_is_not_judged() -> None:
    pair = compared(array(1, 50), array(2, 20))
    opaque = Opaque(key=5, form=5)
    assert judge(replace(pair, given={"rtol": opaque}), FACTS) is None
    assert judge(replace(pair, given={"rtol": const(1e-9)}), FACTS) is not None


@pytest.mark.parametrize(
    ("ulps", "rtol", "code"),
    [
        (1.0, 1e-9, "OMN301"),
        (0.3, 1e-9, None),
        (1.0, EPS / 2, None),
        (1.6, EPS / 2, "OMN301"),
        (2.0, 2 * EPS, None),
        (20.0, 2 * EPS, "OMN301"),
        (60.0, 9 * EPS, None),
        (1000.0, 9 * EPS, "OMN301"),
        (1.0, None, None),
        (5.0, None, "OMN302"),
    ],
)
def test_rounding_against_tolerance(ulps: float, rtol: float | None, code: str | None) -> None:
    given = {} if rtol is None else {"rtol": rtol}
    claim = judge(compared(array(1, ulps), array(2, 0.0, "float64", library="numpy", traced=False), **given), FACTS)
    assert (claim and claim.code) == code


def test_shared_rounding_is_no_difference() -> None:
    first, second = array(1, 50), array(2, 0)
    second = replace(second, errors=first.errors)
    assert judge(compared(first, second, rtol=1e-9), FACTS) is None


def test_rounding_by_numpy_alone_is_no_matter_of_jax() -> None:
    first = array(1, 50, traced=False, library="numpy")
    first = replace(first, errors={1: replace(first.errors[1], traced=False)})
    assert judge(compared(first, array(2, 0, "float64", traced=False), rtol=1e-12), FACTS) is None


@pytest.mark.parametrize("value", [const(0.0), Seq(key=1, form=1, items=(const(0.0), const(0.0)))])
def test_nothing_is_said_next_to_zero(value: Value) -> None:
    assert judge(compared(array(1, 50), value, rtol=1e-9), FACTS) is None


def test_absolute_tolerance_is_weighed_at_the_expected_value() -> None:
    assert judge(compared(array(1, 3), const(0.001), rtol=0.0, atol=1e-8), FACTS) is None
    assert judge(compared(array(1, 3), const(1000.0), rtol=0.0, atol=1e-8), FACTS) is not None


def test_the_worst_leaf_of_a_tree_counts() -> None:
    first = Seq(key=1, form=1, items=(array(2, 1), array(3, 40)))
    second = Seq(key=4, form=4, items=(array(5, 1), array(6, 0)))
    claim = judge(compared(first, second, rtol=1e-9), FACTS)
    assert claim is not None
    assert claim.spread == pytest.approx(40 * EPS)


def claim_of(spread: float, eps: float = EPS) -> Claim:
    pair = compared(array(1, 1), array(2, 1))
    error = Error(spread, "float32", True, MODULE, NODE, "op")
    return Claim("OMN301", pair, "rounding", eps, 1e-9, spread, 1.0, Confidence.LIKELY, pair.first, pair.second, error)


@given(st.floats(min_value=1e-9, max_value=1e-1))
def test_advice_leaves_room_and_is_a_round_number(spread: float) -> None:
    advice = tolerance_message.suggestion(claim_of(spread))
    assert 4 * spread <= advice <= 11 * max(4 * spread, 16 * EPS)
    digits = advice / 10 ** math.floor(math.log10(advice) + 1e-9)
    assert any(math.isclose(digits, d) for d in (1, 2, 5, 10))


@pytest.mark.parametrize(
    ("count", "text"), [(0.008, "0.008 ulps"), (1.0, "1.0 ulp"), (2.5, "2.5 ulps"), (123.4, "123 ulps")]
)
def test_counts_of_ulps(count: float, text: str) -> None:
    assert tolerance_message.ulps(count) == text


@pytest.mark.parametrize(
    ("levels", "function", "found"),
    [
        pytest.param("[0.2, 0.9999995]", "jax.scipy.special.ndtri", True, id="next-to-one"),
        pytest.param("[0.2, 0.999]", "jax.scipy.special.ndtri", False, id="far-enough"),
        pytest.param("[0.2, 0.9999995]", "jnp.sqrt", False, id="smooth-there"),
        pytest.param("[0.25, 1.0]", "jnp.arctanh", False, id="exactly-one"),
    ],
)
def test_literals_next_to_one(levels: str, function: str, found: bool, tmp_path: Path) -> None:
    body = f"""
    import scipy.special

    LEVELS = {levels}

    def test():
        ours = {function}(jnp.asarray(LEVELS))
        np.testing.assert_allclose(ours, scipy.special.ndtri(np.array(LEVELS)), rtol=2e-5)
    """
    codes = [code for code, _ in statements(of_body(body, tmp_path))]
    assert codes == (["OMN301"] if found else [])


def test_equal_text_has_equal_keys() -> None:
    m = machine()
    a, b = (m.evaluate(ast.parse(text, mode="eval").body, FRAME) for text in ("f(x) + 1", "f(x)  +  1"))
    assert a.key == b.key
    assert a.key != m.evaluate(ast.parse("f(y) + 1", mode="eval").body, FRAME).key


@pytest.mark.parametrize(("expression", "found"), FUSION)
def test_compiled_against_eager(expression: str, found: bool, tmp_path: Path) -> None:
    body = f"""
    def f(x):
        return {expression}

    def test():
        x = jnp.asarray(X)
        np.testing.assert_array_equal(jax.jit(f)(x), f(x))
    """
    assert [f.code for f in of_body(body, tmp_path)] == (["OMN303"] if found else [])
