"""How far apart the sides of a comparison come out when they are evaluated in other ways, in ulps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from omnilint.confirm.observe import REORDERED, UNOPTIMIZED, WIDE

if TYPE_CHECKING:
    from omnilint.confirm.verdicts import Question

Json = dict[str, Any]

# Way → how a report says it.
WAYS = {
    "": "compiled",
    "eager": "eagerly",
    "unoptimized": "compiled without optimizations",
    "reordered": "with sums reordered",
}


@dataclass(frozen=True, slots=True)
class Spread:
    """The largest distance of the two sides by way of evaluation, and the first comparison that fails, with its way.

    `error` is how far the two sides together are from what 64 bits give; None when that isn't known.
    """

    ulps: dict[str, float]
    broken: tuple[str, Json] | None
    error: float | None
    eps: float

    @property
    def words(self) -> str:
        """The distances, and what they should be held against."""
        told = ", ".join(f"{_short(ulps)} {WAYS[way]}" for way, ulps in self.ulps.items())
        bits = f"; both sides together are {_short(self.error)} ulp from 64 bits" if self.error is not None else ""
        return f"ulps apart: {told}{bits}" if told else ""

    @property
    def needed(self) -> float:
        """The relative tolerance that holds all of it twice; 0 when nothing was measured."""
        most = max([*self.ulps.values(), self.error or 0.0], default=0.0)
        return 2 * most * self.eps


def _short(x: float) -> str:
    return f"{x:.3g}"


def measured(q: Question, here: list[Json], on_line: Any) -> Spread:
    """The spread of the comparisons of a finding; `here` are those of the run as it is and of the eager one."""
    ways: dict[str, list[Json]] = {way: [c for c in here if c.get("run", "") == way] for way in ("", "eager")}
    for way, mode in (("unoptimized", UNOPTIMIZED), ("reordered", REORDERED)):
        ways[way] = on_line(q, q.see(mode).get("comparisons") or [])
    wide = on_line(q, q.see(WIDE).get("comparisons") or [])
    ulps = {
        way: max(c["ulps"] for c in found if c.get("ulps") is not None)
        for way, found in ways.items()
        if any(c.get("ulps") is not None for c in found)
    }
    broken = next(((way, c) for way, found in ways.items() for c in found if (c.get("share") or 0.0) > 1.0), None)
    eps = max((c.get("eps") or 0.0 for c in here), default=0.0)
    return Spread(ulps, broken, _error(ways[""], wide, eps), eps)


def _error(narrow: list[Json], wide: list[Json], eps: float) -> float | None:
    """How far the two sides together are from those of a run in 64 bits, in ulps; None when they can't be paired."""
    if not eps or len(narrow) != len(wide):
        return None
    worst = None
    for a, b in zip(narrow, wide, strict=True):
        if not any("float64" in d or "complex128" in d for d in b["dtypes"]):
            return None
        off = 0.0
        for side, exact in zip(a.get("sides", ()), b.get("sides", ()), strict=True):
            if len(side) != len(exact):
                return None
            off += max((_ulps(x, y, eps) for x, y in zip(side, exact, strict=True)), default=0.0)
        worst = off if worst is None else max(worst, off)
    return worst


def _ulps(x: float, exact: float, eps: float) -> float:
    if exact == 0 or not math.isfinite(exact) or not math.isfinite(x):
        return 0.0
    return abs(x - exact) / math.ldexp(eps, math.frexp(exact)[1] - 1)
