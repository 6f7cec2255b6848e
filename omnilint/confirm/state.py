"""What a side effect under tracing does when it raises nothing: tracers left behind, values frozen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from omnilint.confirm.families import about_tracers
from omnilint.confirm.observe import (
    CLOCK,
    CLOCK_EAGER,
    CLOCK_FOLD,
    FOLD,
    LEAKS,
    RECORD,
    RECORD_EAGER,
    RECORD_FOLD,
)
from omnilint.model import Status, Verdict

if TYPE_CHECKING:
    from omnilint.confirm.verdicts import Question

Json = dict[str, Any]

# Two runs that agree to this share of the value differ by rounding, not by what was computed.
_SAME = 1e-3


def left_behind(seen: Json, written: tuple[str, ...]) -> Json | None:
    """A tracer found in outer state after the run, under a name that the finding's statement mentions."""
    for found in seen.get("left") or ():
        parts = set(re.findall(r"\w+", str(found["path"]).partition(".")[2]))
        if parts & set(written) and isinstance(found, dict):
            return found
    return None


def _same_leaf(a: Json, b: Json) -> bool:
    if "hash" in a and a.get("hash") == b.get("hash"):
        return True
    x, y = a.get("numbers"), b.get("numbers")
    if x is None or y is None:
        return a == b or ("hash" not in a and "repr" not in a)
    if len(x) != len(y) or a.get("dtype") != b.get("dtype"):
        return False
    if "float" not in str(a.get("dtype")) and "complex" not in str(a.get("dtype")):
        return bool(x == y) and len(x) < 64  # whole numbers agree or not; of many, only the hash could tell
    return all(
        p == q or (p != p and q != q) or abs(p - q) <= _SAME * max(abs(p), abs(q), 1e-6)
        for p, q in zip(x, y, strict=True)
    )


def same(a: list[Json], b: list[Json]) -> bool:
    """Whether two digested results agree but for rounding."""
    return len(a) == len(b) and all(_same_leaf(p, q) for p, q in zip(a, b, strict=True))


def differ(a: list[Json] | None, b: list[Json] | None) -> bool:
    """Whether two digested results are both there and disagree."""
    return a is not None and b is not None and not same(a, b)


def _groups(seen: Json) -> dict[tuple[Any, ...], list[list[Json]]]:
    """The results of recorded calls that had the same function and the same arguments."""
    found: dict[tuple[Any, ...], list[list[Json]]] = {}
    for call in seen.get("calls") or ():
        found.setdefault((call["fn"], call["file"], call["line"], call["args"]), []).append(call["out"])
    return {k: v for k, v in found.items() if len(v) > 1}


def _number(out: list[Json], spot: tuple[int, int]) -> str:
    """The number at a spot of a result: a leaf and a place in it."""
    leaf = out[spot[0]] if spot[0] < len(out) else {}
    numbers = leaf.get("numbers") or []
    if spot[1] < len(numbers):
        return f"{numbers[spot[1]]:.7g}" + (" …" if len(numbers) > 1 or len(out) > 1 else "")
    return str(leaf.get("repr", "a result"))


def _spot(a: list[Json], b: list[Json]) -> tuple[int, int]:
    """Where two results differ first."""
    for i, (p, q) in enumerate(zip(a, b, strict=False)):
        x, y = p.get("numbers") or [], q.get("numbers") or []
        for j, (m, n) in enumerate(zip(x, y, strict=False)):
            if m != n:
                return i, j
        if not x and p != q:
            return i, 0
    return 0, 0


def _repeats(seen: Json) -> dict[tuple[Any, ...], list[list[Json]]]:
    """Groups of equal calls whose results are all bit-equal."""
    return {k: v for k, v in _groups(seen).items() if all(o == v[0] for o in v[1:])}


def _varies(outs: list[list[Json]]) -> list[Json] | None:
    return next((o for o in outs[1:] if not same(outs[0], o)), None)


def frozen(q: Question) -> str | None:
    """How jitted calls repeat what eager calls vary: the words for a report, None when they don't."""
    return _frozen(q, RECORD, RECORD_EAGER)


def stopped_clock(q: Question) -> str | None:
    """The same with a clock that goes on by ten years between calls, which results of any dtype can show."""
    told = _frozen(q, CLOCK, CLOCK_EAGER)
    return told and f"{told} (the clock was set on by ten years between the calls, so that it shows in any dtype)"


def _frozen(q: Question, staged: Json, unstaged: Json) -> str | None:
    seen, plain = q.see(staged, replay=True), q.see(unstaged, replay=True)
    jitted = _repeats(seen)
    if not jitted:
        return None
    # What a call gives is about this finding only if the call ran its line.
    through = {_identity(c) for s in (seen, plain) for c in s.get("calls") or () if q.watch in c.get("through", ())}
    eager = _groups(plain)
    for key, outs in jitted.items():
        other = _varies(eager.get(key, [[]]))
        if other is not None and (not through or key[:3] in through):
            spot = _spot(eager[key][0], other)
            return (
                f"{len(outs)} jitted calls of {key[0]} with the same arguments gave one result "
                f"({_number(outs[0], spot)}), while eager calls gave {_number(eager[key][0], spot)} and "
                f"{_number(other, spot)}"
            )
    return None


def _identity(call: Json) -> tuple[Any, ...]:
    return call["fn"], call["file"], call["line"]


def _folded_repeats(q: Question, *, clock: bool) -> bool | None:
    seen = q.see(CLOCK_FOLD if clock else RECORD_FOLD, replay=True)
    if "died" in seen or "timeout" in seen:
        return None
    if "exception" in seen:
        return True
    eager = _groups(q.see(CLOCK_EAGER if clock else RECORD_EAGER, replay=True))
    return any(_varies(eager.get(key, [[]])) is not None for key in _repeats(seen))


def legacy(q: Question, *, leak: bool, clock: bool = False) -> bool | None:
    """Whether with trace-time folding the same run neither raises, nor leaks, nor repeats what varies eagerly.

    With `clock`, under a clock that was set on, where results are too coarse to show the real one.
    """
    seen = q.see({**FOLD, "outer": True})
    if "died" in seen or "timeout" in seen:
        return None
    if "exception" in seen:
        return False
    if leak and (left_behind(seen, q.site.written) or leaked(q, {**LEAKS, **FOLD})):
        return False
    repeats = _folded_repeats(q, clock=clock)
    return None if repeats is None else not repeats


def leaked(q: Question, mode: Json = LEAKS) -> str | None:
    """The leak checker's chain of references, if it names what the finding's statement writes."""
    error = q.see(mode).get("exception")
    if not error or "Leaked trace" not in str(error.get("message", "")) or not about_tracers(error):
        return None
    chain = [line for line in str(error["message"]).splitlines() if "is referred to by" in line]
    text = " ".join(chain)
    if not set(re.findall(r"\w+", text)) & set(q.site.written):
        return None
    return "; ".join(re.sub(r"<(\w+) \d+>", r"\1", line) for line in chain[:3])[:300]


def harmless(q: Question, seen: Json) -> Verdict:
    """The verdict when a traced side effect left no tracer and froze nothing that was seen."""
    eager = q.see(RECORD_EAGER, replay=True)
    once, each = q.hits(q.see(RECORD, replay=True)), q.hits(eager)
    if "exception" in eager or "died" in eager or "timeout" in eager:
        return q.verdict(
            Status.INCONCLUSIVE, "no tracer was left and nothing raised, but the eager run to compare with failed", seen
        )
    if once["runs"] < each["runs"]:
        return q.verdict(
            Status.INCONCLUSIVE,
            f"the line ran {once['runs']} time(s) where eager code runs it {each['runs']}; no result depends on it",
            seen,
        )
    if (
        q.hits(seen)["tracer"]
        and q.site.always
        and not q.invented
        and q.finding.code not in ("OMN206", "OMN207", "OMN208")
    ):
        return q.verdict(
            Status.REFUTED,
            "the line ran under tracing with a traced value; nothing escaped, and results are those of eager code",
            seen,
        )
    return q.verdict(
        Status.INCONCLUSIVE, "the line ran under tracing; no escaped tracer and no frozen value was seen", seen
    )
