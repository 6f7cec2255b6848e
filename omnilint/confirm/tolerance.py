"""TOL: what a comparison really had room for, and how far apart the values were."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from omnilint.confirm.families import first_words, fits
from omnilint.confirm.observe import COMPARE
from omnilint.confirm.spread import WAYS, Spread
from omnilint.confirm.spread import measured as measured_spread
from omnilint.model import Status, Verdict

if TYPE_CHECKING:
    from omnilint.confirm.verdicts import Question

Json = dict[str, Any]

# A tolerance with more room than this many ulps isn't put to other ways of evaluation.
TIGHT = 256.0


def _on_line(q: Question, comparisons: list[Json]) -> list[Json]:
    """The comparisons asked from the finding's place, directly or through a helper."""
    return [c for c in comparisons if any(q.site.place.holds(f, n) for f, n in c["lines"])]


def _words(c: Json) -> str:
    """One comparison in words."""
    parts = []
    if c.get("ulps") is not None:
        parts.append(
            f"{_short(c['ulps'])} ulp of {'/'.join(d for d in c['dtypes'] if 'float64' not in d) or 'float64'} apart"
        )
    if c.get("room_ulps") is not None:
        parts.append(f"the tolerance leaves {_short(c['room_ulps'])} ulp")
    return ", ".join(parts)


def _short(x: float) -> str:
    return f"{x:.3g}"


def suggestion(c: Json, spread: Spread | None = None) -> str:
    """A relative tolerance with room for what was measured, as a power of ten."""
    import math

    if not c.get("rtol") or not (c.get("share") or (spread and spread.needed)):
        return ""
    # Twice what was needed, but never less than a few ulps: this run was lucky or not, the next may differ.
    needed = max(2 * c["rtol"] * (c.get("share") or 0.0), 4 * c.get("eps", 0.0), spread.needed if spread else 0.0)
    return f"; rtol={10.0 ** math.ceil(math.log10(needed)):g} would hold" if needed < 0.2 else ""


def failed_here(q: Question, error: Json) -> bool:
    """Whether the assertion that failed is the finding's, or was asked from its line through a helper."""
    if not fits(q.finding.code, error):
        return False
    frames = error.get("frames") or []
    if frames and q.site.holds(frames[-1][0], frames[-1][1]):
        return True
    return any(q.site.place.holds(f[0], f[1]) for f in frames)


def tolerance(q: Question) -> Verdict:
    """The verdict on a comparison: it fails, it holds by luck, or it holds with room."""
    from omnilint.confirm.verdicts import broken_run, came_from, legacy, not_reached

    seen = q.see(COMPARE)
    broken = broken_run(q, seen)
    if broken:
        return broken
    here = _on_line(q, seen.get("comparisons") or [])
    error = seen.get("exception")
    worst = max(here, key=lambda c: c.get("share") or c.get("ulps") or 0.0, default=None)
    measured = _words(worst) if worst else ""
    if error and failed_here(q, error):
        where = came_from(error)
        return q.verdict(
            Status.CONFIRMED,
            (measured + suggestion(worst) if worst else None) or None,
            seen,
            exception=error["type"],
            message=first_words(str(error.get("message", ""))),
            line=where[1] if where else None,
            legacy=legacy(q),
        )
    if error or not q.hits(seen)["runs"]:
        return not_reached(q, seen)
    if not here:
        return q.verdict(Status.INCONCLUSIVE, "the line ran and passed; what it compared was not seen", seen)
    assert worst is not None
    if (worst.get("share") or 0.0) > 1.0:
        when = "with nothing compiled" if worst.get("run") == "eager" else "in this run"
        return q.verdict(
            Status.CONFIRMED, f"the comparison does not hold {when}: {measured}{suggestion(worst)}", seen, legacy=False
        )
    room = min((c["room_ulps"] for c in here if c.get("room_ulps") is not None), default=None)
    spread = None
    if room is not None and room < TIGHT:
        spread = measured_spread(q, here, _on_line)
        if spread.broken is not None:
            way, failing = spread.broken
            told = f"{spread.words}; the tolerance leaves {_short(room)} ulp{suggestion(failing, spread)}"
            reason = f"the comparison holds as it runs here, but not {WAYS[way]}: {told}"
            return q.verdict(Status.CONFIRMED, reason, seen, legacy=False)
        measured = f"{spread.words}, the tolerance leaves {_short(room)} ulp{suggestion(worst, spread)}"
    if room is not None and room < 1.0:
        return q.verdict(
            Status.INCONCLUSIVE, f"it passes here, but only values that agree bit for bit can: {measured}", seen
        )
    if (worst.get("share") or 0.0) <= 0.5 and not q.invented:
        return q.verdict(Status.REFUTED, f"it holds compiled and eagerly, with room: {measured}", seen)
    return q.verdict(Status.INCONCLUSIVE, f"it holds, with little room: {measured}", seen)
