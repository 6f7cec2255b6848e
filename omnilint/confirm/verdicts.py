"""From what a run showed to what may be said of a finding; nothing guessed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from omnilint.confirm import state, tolerance
from omnilint.confirm.families import about_tracers, escaped, first_words, fits, strict
from omnilint.confirm.literal import Entry
from omnilint.confirm.observe import FOLD, JIT_GRAD, PLAIN, RECORD, RECORD_EAGER, Observer
from omnilint.confirm.places import Site
from omnilint.confirm.specs import show_call
from omnilint.model import Finding, Status, Verdict, of_constants

Json = dict[str, Any]

# Whether these fail depends on an argument's dtype, so a call with made-up ones can't clear them.
_BY_DTYPE = frozenset({"OMN506"})


@dataclass(slots=True)
class Question:
    """A finding put to one entry under one interpreter."""

    finding: Finding
    site: Site
    watch: str
    entry: Entry
    observer: Observer
    rivals: tuple[str, ...] = ()

    def see(self, mode: Json, **more: Any) -> Json:
        """The run of the entry in a mode; arguments that had to be found are those that the plain run found."""
        entry = self.entry
        if entry.spec["kind"] == "synth" and mode != PLAIN:
            entry = self.pinned()
        return self.observer.run(entry, mode, **self.more(), **more)

    def more(self) -> Json:
        """What a search for arguments has to know besides the entry: where an exception would tell."""
        if self.entry.spec["kind"] != "synth":
            return {}
        return {"related": [[s.file, s.first, s.last] for s in self.site.related]}

    def pinned(self) -> Entry:
        """The entry with the arguments that the plain run chose."""
        return self.entry.pinned(self.see(PLAIN))

    def label(self, seen: Json | None) -> str:
        """The call in words, with its arguments."""
        if self.entry.spec["kind"] != "synth" or seen is None or seen.get("chosen") is None:
            return self.entry.label
        arguments = self.entry.spec["assignments"]
        if self.entry.spec.get("held"):
            return show_call(self.entry.label, seen.get("inner") or {})
        given = seen.get("adapted") or arguments[seen["chosen"] if len(arguments) > 1 else 0]
        return show_call(self.entry.label, given)

    def source(self, seen: Json | None) -> str:
        """Where the arguments come from."""
        origins = self.entry.spec.get("origins")
        chosen = None if seen is None else seen.get("chosen")
        if not origins:
            return self.entry.source
        return str(origins[chosen if chosen is not None and chosen < len(origins) else 0])

    @property
    def invented(self) -> bool:
        """Whether the call is one that nobody is seen to make: good for proving, not for clearing."""
        return self.entry.source == "search" and not self.entry.spec.get("known")

    def hits(self, seen: Json) -> Json:
        """How the place ran: {"runs", "traced", "tracer", "operand"}."""
        found = (seen.get("hits") or {}).get(self.watch)
        return found if isinstance(found, dict) else {"runs": 0, "traced": 0, "tracer": False, "operand": False}

    def verdict(self, status: Status, reason: str | None = None, seen: Json | None = None, **more: Any) -> Verdict:
        """A verdict with what is known of the run."""
        told: dict[str, Any] = {"inputs": self.label(seen), "reason": reason, "source": self.source(seen)}
        if seen is not None:
            told["reached"] = self.hits(seen)["runs"] > 0 if "hits" in seen else None
            told["backend"] = seen.get("backend")
            told["reason"] = "; ".join(filter(None, [reason, in_part(seen)])) or None
        return Verdict(status=status, **{**told, **more})


NOT_ALWAYS = (
    "the line ran under tracing and nothing went wrong, but this part of it is evaluated under a condition only; "
    "add a call that meets it"
)


def in_part(seen: Json) -> str | None:
    """What to say when the module was imported in part: how much was left out, and why the first of it."""
    skipped, restored = seen.get("skipped"), seen.get("restored")
    told = []
    if skipped:
        file, line, why = skipped[0]
        rest = f", and {len(skipped) - 1} more" if len(skipped) > 1 else ""
        told.append(f"imported in part, without {str(file).rpartition('/')[2]}:{line} ({why}){rest}")
    if restored:
        rest = f" and {len(restored) - 1} more" if len(restored) > 1 else ""
        told.append(f"with what {restored[0]}{rest} became")
    return ", ".join(told) or None


def broken_run(q: Question, seen: Json) -> Verdict | None:
    """The verdict of a run that did not come to its end: died, too long, not importable."""
    stage = (seen.get("stage") or {}).get("stage") if isinstance(seen.get("stage"), dict) else seen.get("stage")
    doing = f"importing {q.entry.module.name}" if stage == "import" else f"running {q.entry.label}"
    if "timeout" in seen:
        return q.verdict(
            Status.INCONCLUSIVE,
            f"{doing} took longer than {seen['timeout']:g} s and was ended; give it less to do or more time",
        )
    if "died" in seen:
        who = "" if str(seen["died"]).startswith("the worker") else "the process "
        return q.verdict(Status.CRASHED, f"{who}{seen['died']} while {doing}")
    error = seen.get("exception") or {}
    if error.get("type") == "NoInputs":
        return q.verdict(
            Status.UNREACHED, f"{error['message'][:300]}; add a call with literal arguments, for example a test"
        )
    return None


def message_of(error: Json) -> str:
    """The words of an exception that a report shows."""
    return first_words(str(error.get("message", "")))


def links(error: Json) -> list[Json]:
    """An exception and those that led to it."""
    return [error, *error.get("chain", ())]


def located(q: Question, error: Json) -> bool:
    """Whether the exception, or one that led to it, came from the finding's place or a related one and fits."""
    for link in links(error):
        frames = link.get("quoted") or link.get("frames") or []
        if frames and q.site.raised(frames[-1]) and fits(q.finding.code, link):
            return True
    return False


def named_in_message(q: Question, error: Json) -> bool:
    """Whether JAX's own message names the finding's line as where the traced value came from."""
    place = q.site.place
    text = str(error.get("message", ""))
    return about_tracers(error) and any(f"{place.file}:{n}:" in text for n in range(place.first, place.last + 1))


def came_from(error: Json) -> tuple[str, int] | None:
    """The user's file and line that an exception came from."""
    frames = error.get("frames") or []
    return (str(frames[-1][0]), int(frames[-1][1])) if frames else None


def elsewhere(q: Question, error: Json) -> str:
    """What to say when a run ended by an exception that is not this finding's."""
    where = came_from(error)
    at = f" at {where[0].rpartition('/')[2]}:{where[1]}" if where else ""
    return f"{q.entry.label} ended with {error.get('type')}{at}: {message_of(error)[:160]}"


def legacy(q: Question) -> bool | None:
    """Whether the same run has no exception with trace-time folding; None when that could not be found out."""
    seen = q.see(FOLD)
    if "died" in seen or "timeout" in seen:
        return None
    error = seen.get("exception")
    if error and q.entry.source == "search":
        # Arguments that were made up may be wrong in themselves: only the very same failure tells.
        first = q.see(PLAIN).get("exception") or {}
        return False if (error["type"], came_from(error)) == (first.get("type"), came_from(first)) else None
    return not error


def by_exception(q: Question, seen: Json) -> Verdict | None:
    """Confirmed by the exception of a run, if it is this finding's."""
    error = seen.get("exception")
    if not error:
        return None
    if seen.get("unverified") and (_numbers_traced(q, seen) or not strict(error)):
        return q.verdict(
            Status.INCONCLUSIVE,
            f"{error['type']} with {q.label(seen)}, {_doubt(q.source(seen))}",
            seen,
        )
    how: str | None = None
    if not located(q, error):
        if named_in_message(q, error):
            how = "JAX names this line as the source of the traced value"
        elif of_constants(q.finding.code) and _folding_here_helps(q, error):
            how = "with trace-time folding on this line alone, that error does not come"
        else:
            return None
    where = came_from(error)
    if q.site.parts and where and q.site.place.holds(*where) and error["frames"][-1][4:] == [None]:
        how = "; ".join(filter(None, [how, "only the line is known, not which part of it: Python 3.11 and newer tell"]))
    return q.verdict(
        Status.CONFIRMED,
        how,
        seen,
        exception=error["type"],
        message=message_of(error),
        line=where[1] if where else None,
        legacy=legacy(q),
    )


def _doubt(source: str) -> str:
    """Why a call that fails without being traced, too, proves nothing: nobody may make it, or somebody does."""
    if source == "search":
        return "which may not be a call that anyone makes"
    return "which fails without tracing too, so that tracing may not be the cause"


def _numbers_traced(q: Question, seen: Json) -> bool:
    """Whether a plain number was traced that the function may want as a static one."""
    chosen = q.pinned().spec["assignments"][0]
    return bool(q.entry.spec.get("jit")) and any(s["kind"] == "scalar" for s in chosen.values())


def _folding_here_helps(q: Question, error: Json) -> bool:
    """Fold this one statement at trace time: does the exception, and no other than it, go away?"""
    if not about_tracers(error):
        return False
    seen = q.see({"fold_at": q.watch})
    if "died" in seen or "timeout" in seen or "hits" not in seen:
        return False
    other = seen.get("exception")
    return other is None or (came_from(other) != came_from(error) and not about_tracers(other))


def demand(q: Question) -> Verdict:
    """SHAPE and CONC: an exception where a Python value was needed, or a silent difference."""
    seen = q.see(PLAIN)
    broken = broken_run(q, seen)
    if broken:
        return broken
    found = by_exception(q, seen)
    if found:
        return found
    hits = q.hits(seen)
    error = seen.get("exception")
    if error and seen.get("stage") == "import":
        return q.verdict(
            Status.INCONCLUSIVE,
            f"{q.entry.module.name} cannot be imported: {error['type']}: {message_of(error)[:200]}",
            seen,
        )
    if error is None and hits["traced"]:
        silent = _silent(q, seen)
        if silent:
            return silent
        return _passed(q, seen, hits)
    return not_reached(q, seen)


def _passed(q: Question, seen: Json, hits: Json) -> Verdict:
    """The verdict when the line ran under tracing and nothing went wrong."""
    if hits["operand"] and (q.invented or (q.source(seen) == "search" and q.finding.code in _BY_DTYPE)):
        reason = "the line ran under tracing with a traced value and nothing went wrong, but the call is made up"
    elif hits["operand"] and not q.site.always:
        reason = NOT_ALWAYS
    elif hits["operand"]:
        reason = "the line ran under tracing with a traced value on it, and nothing went wrong"
        return q.verdict(Status.REFUTED, reason, seen)
    elif hits["tracer"]:
        reason = "the line ran under tracing, but the value that it is about was not seen to be a traced one"
    else:
        reason = "the line ran under tracing, but no traced value was seen on it"
    return q.verdict(Status.INCONCLUSIVE, reason, seen)


def not_reached(q: Question, seen: Json) -> Verdict:
    """The verdict when the place did not run, or not under tracing, or the run ended elsewhere."""
    hits = q.hits(seen)
    error = seen.get("exception")
    if error:
        status = Status.INCONCLUSIVE if hits["runs"] else Status.UNREACHED
        return q.verdict(status, elsewhere(q, error), seen)
    if hits["runs"]:
        return q.verdict(Status.INCONCLUSIVE, f"{q.entry.label} ran the line, but nothing was tracing there", seen)
    return q.verdict(Status.UNREACHED, f"{q.entry.label} does not run this line", seen)


def _silent(q: Question, seen: Json) -> Verdict | None:
    """Differences that raise nothing: a gradient dropped, a result that staging changed, a tracer printed."""
    code = q.finding.code
    if code.startswith("OMN5") and not of_constants(code):
        abstract = q.see(JIT_GRAD)
        error = abstract.get("exception")
        if error and located(q, error) and about_tracers(error):
            return q.verdict(
                Status.CONFIRMED,
                "nothing is raised, but a differentiated value is turned into a Python number here, so its part of the "
                f"gradient is lost; with that argument abstract JAX raises {error['type']} on this line",
                seen,
                message=message_of(error),
                legacy=False,
            )
    if code == "OMN514" and any(w in str(seen.get("printed", "")) for w in ("Traced<", "JitTracer", "Tracer(")):
        return q.verdict(Status.CONFIRMED, "what was printed shows a tracer, not a value", seen, legacy=False)
    if code == "OMN513":
        eager = q.see(RECORD_EAGER)
        if state.differ(q.see(RECORD).get("result"), eager.get("result")):
            return q.verdict(
                Status.CONFIRMED,
                "nothing is raised, but staged and eager runs give different results",
                seen,
                legacy=False,
            )
    return None


def state_hazard(q: Question) -> Verdict:
    """STATE: an escaped tracer, one left behind, a value frozen at trace time."""
    seen = q.see(PLAIN)
    broken = broken_run(q, seen)
    if broken:
        return broken
    error = seen.get("exception")
    if error:
        return _state_exception(q, seen, error)
    hits = q.hits(seen)
    if not hits["runs"]:
        return not_reached(q, seen)
    left = state.left_behind(seen, q.site.written)
    if left and hits["traced"]:
        frozen = state.frozen(q)
        return q.verdict(
            Status.CONFIRMED,
            f"after the call {left['path']} still holds a tracer ({left['type']})" + (f"; {frozen}" if frozen else ""),
            seen,
            legacy=state.legacy(q, leak=True),
        )
    frozen, set_on = state.frozen(q), False
    if not frozen and q.finding.code == "OMN207":
        frozen, set_on = state.stopped_clock(q), True
    if frozen:
        before = state.legacy(q, leak=False, clock=set_on)
        return q.verdict(Status.CONFIRMED, f"nothing is raised, but {frozen}", seen, legacy=before)
    leak = state.leaked(q)
    if leak and hits["traced"]:
        return q.verdict(Status.CONFIRMED, f"JAX's leak checker: {leak}", seen, legacy=state.legacy(q, leak=True))
    if not hits["traced"]:
        return q.verdict(Status.INCONCLUSIVE, f"{q.entry.label} ran the line, but nothing was tracing there", seen)
    return state.harmless(q, seen)


def _state_exception(q: Question, seen: Json, error: Json) -> Verdict:
    hits = q.hits(seen)
    where = came_from(error)
    doubtful = bool(seen.get("unverified")) and not strict(error)
    run_away = any(escaped(link) for link in links(error))
    stored = hits["traced"] and hits["tracer"]
    alone = hits["traced"] and not any((seen.get("hits") or {}).get(r, {}).get("traced") for r in q.rivals)
    if not doubtful and (located(q, error) or (run_away and (stored or alone or named_in_message(q, error)))):
        how = None if located(q, error) else "this line stored the traced value that later escaped"
        return q.verdict(
            Status.CONFIRMED,
            how,
            seen,
            exception=error["type"],
            message=message_of(error),
            line=where[1] if where else None,
            legacy=legacy(q),
        )
    if seen.get("stage") == "import":
        return q.verdict(
            Status.INCONCLUSIVE,
            f"{q.entry.module.name} cannot be imported: {error['type']}: {message_of(error)[:200]}",
            seen,
        )
    return not_reached(q, seen)


def name_hazard(q: Question) -> Verdict:
    """INTERNAL when the finding does not say which name: only an exception on its line tells."""
    seen = q.see(PLAIN)
    found = broken_run(q, seen) or by_exception(q, seen)
    if found:
        return found
    if seen.get("exception") or not q.hits(seen)["runs"]:
        return not_reached(q, seen)
    return q.verdict(Status.INCONCLUSIVE, "the line ran and raised nothing", seen)


def judge(q: Question) -> Verdict:
    """The verdict of one entry on one finding."""
    code = q.finding.code
    how: Callable[[Question], Verdict]
    if code.startswith("OMN2"):
        how = state_hazard
    elif code.startswith("OMN3"):
        how = tolerance.tolerance
    elif code.startswith("OMN4"):
        how = name_hazard
    else:
        how = demand
    return how(q)


def better(a: Verdict | None, b: Verdict) -> Verdict:
    """The verdict that says more; of equals the first, but the last of calls that found no arguments.

    That one is of the function itself, the others are of what seems to lead to it.
    """
    order = [Status.CONFIRMED, Status.REFUTED, Status.CRASHED, Status.INCONCLUSIVE, Status.UNREACHED]
    if a is not None and (a.status, a.reached) == (b.status, b.reached) == (Status.UNREACHED, None):
        return b
    if a is None or order.index(b.status) < order.index(a.status):
        return b
    return a
