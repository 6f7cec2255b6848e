"""TOL: the spread between ways of evaluation, what it says of a tolerance, and the tolerance it suggests."""

from __future__ import annotations

from typing import Any, cast

import pytest

from omnilint.confirm.observe import REORDERED, UNOPTIMIZED, WIDE
from omnilint.confirm.spread import measured
from omnilint.confirm.tolerance import suggestion
from omnilint.confirm.verdicts import Question
from omnilint.model import Status
from tests.confirm_support import verdict

EPS = 2.0**-23


def compared(ulps: float, share: float, run: str = "", dtypes: tuple[str, ...] = ("float32",), **more: Any) -> Any:
    return {"ulps": ulps, "share": share, "run": run, "dtypes": list(dtypes), "eps": EPS, "rtol": 1e-6} | more


class Runs:
    """A question whose runs are given."""

    def __init__(self, **ways: Any) -> None:
        self.ways = ways

    def see(self, mode: Any) -> Any:
        name = next(n for n, m in (("unoptimized", UNOPTIMIZED), ("reordered", REORDERED), ("wide", WIDE)) if m == mode)
        return {"comparisons": self.ways.get(name, [])}


def spread(here: list[Any], **ways: Any) -> Any:
    return measured(cast(Question, Runs(**ways)), here, lambda q, found: found)


def test_the_largest_distance_of_each_way_is_kept() -> None:
    found = spread(
        [compared(1, 0.1), compared(3, 0.3), compared(2, 0.2, "eager")], unoptimized=[compared(5, 0.5)], reordered=[]
    )
    assert found.ulps == {"": 3, "eager": 2, "unoptimized": 5}
    assert found.broken is None
    assert found.words == "ulps apart: 3 compiled, 2 eagerly, 5 compiled without optimizations"


def test_the_way_in_which_a_tolerance_fails_is_told() -> None:
    found = spread([compared(1, 0.1)], reordered=[compared(14, 1.4)])
    assert found.broken[0] == "reordered"
    assert found.needed == 2 * 14 * EPS
    assert suggestion(found.broken[1], found) == "; rtol=1e-05 would hold"


def test_both_sides_are_held_against_64_bits() -> None:
    narrow = compared(0, 0.0, sides=[[1.0 + 2 * EPS], [1.0 + 2 * EPS]])
    wide = compared(0, 0.0, dtypes=("float64",), sides=[[1.0], [1.0]])
    found = spread([narrow], wide=[wide])
    assert found.error == pytest.approx(4.0)
    assert "both sides together are 4 ulp from 64 bits" in found.words
    assert found.needed == pytest.approx(8 * EPS)


@pytest.mark.parametrize(
    "wide",
    [
        pytest.param([], id="no such run"),
        pytest.param([compared(0, 0.0, sides=[[1.0], [1.0]])], id="a run that stayed in 32 bits"),
        pytest.param([compared(0, 0.0, dtypes=("float64",), sides=[[1.0, 2.0], [1.0]])], id="another shape"),
    ],
)
def test_what_cannot_be_paired_is_not_known(wide: list[Any]) -> None:
    assert spread([compared(0, 0.0, sides=[[1.0], [1.0]])], wide=wide).error is None


def test_an_exact_zero_has_no_ulps() -> None:
    narrow = compared(0, 0.0, sides=[[0.0], [1e-20]])
    wide = compared(0, 0.0, dtypes=("float64",), sides=[[0.0], [0.0]])
    assert spread([narrow], wide=[wide]).error == 0.0


def test_a_comparison_that_holds_by_luck_is_measured_in_all_ways() -> None:
    pytest.importorskip("jax", reason="confirm runs code under JAX")
    found = verdict("hazards", "lucky", "OMN301", "mark: same")
    assert found.status is Status.INCONCLUSIVE
    reason = found.reason or ""
    for words in ("0 compiled", "0 eagerly", "compiled without optimizations", "with sums reordered", "from 64 bits"):
        assert words in reason, reason
    assert "the tolerance leaves 0.00984 ulp" in reason


def test_a_comparison_with_room_is_not_run_again() -> None:
    pytest.importorskip("jax", reason="confirm runs code under JAX")
    found = verdict("hazards", "lucky", "OMN301", "mark: roomy")
    assert found.status is Status.REFUTED
    assert "with room" in (found.reason or "")
