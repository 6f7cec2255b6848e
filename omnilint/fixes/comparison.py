"""One call, before and after a repair: what the runs of both say."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Sequence
from typing import Any

from omnilint.confirm.literal import Entry
from omnilint.confirm.observe import Observer
from omnilint.confirm.places import real_file
from omnilint.fixes import left, moved_call, same
from omnilint.fixes.found import Found
from omnilint.fixes.repair import Proof
from omnilint.fixes.sides import Side
from omnilint.index.module import ModuleIndex
from omnilint.model import Applicability, Finding, of_constants

Json = dict[str, Any]
EAGER: Json = {"prove": True, "eager": True}
FOLDED: Json = {"prove": True, "fold": True, "record": True}
TRACED: Json = {"prove": True}
EAGERLY = "run eagerly"
NOT_EVALUATED = "the repaired expression isn't evaluated with these inputs"
TOO_MUCH = "what it may leave behind is too much to compare"
OTHER_THING = "callers get another thing of the same value"
SAFE = Applicability.SAFE


class Comparison:
    """One call, before and after the repair."""

    def __init__(
        self, observer: Observer, entry: Entry, sides: tuple[Side, Side], code: str, made: Sequence[Finding]
    ) -> None:
        self.observer = observer
        self.entry = entry
        self.old, self.new = sides
        self.code = code
        # What may become another thing of the same value, by what is repaired with it: numbers, that have to be
        # arrays once they are traced, and what edited functions give, which callers get from the host.
        self.arrays = any(f.code.startswith("OMN5") for f in made)
        self.host = any(f.code.startswith("OMN1") and f.fix and f.fix.applicability is not SAFE for f in made)

    def _run(self, mode: Json, side: Side, plain: bool = False) -> Json:
        """A run of one side; with probes around the edited expressions, unless it is to be `plain`."""
        repaired = side is self.new
        entry = moved_call.after(self.entry, self.old.texts, self.new.texts) if repaired else self.entry
        texts, more = side.probed.texts, {"probes": side.probed.request()}
        if plain:
            texts, more = side.texts, {}
        functions, bound = side.edited
        run = self.observer.run
        return run(entry, mode, texts=dict(texts), watch=side.watch, functions=functions, bound=bound, **more)

    def proof(self) -> Proof:
        """What the runs say."""
        eager = self._run(EAGER, self.old)
        if self.entry.spec["kind"] == "synth":
            self.entry = self.entry.pinned(eager)
        traced = self._run(TRACED, self.new)
        problem = _problem(traced)
        if problem is not None and _problem(self._run(TRACED, self.new, plain=True)) is None:
            return Proof(reason=f"{self.entry.label} can't be run with probes in it: {problem}")
        if problem is not None:
            return self._unrunnable(eager, traced, problem)
        skipped = traced.get("skipped") or ()
        watch = self.new.watch
        if any(w["file"] == file and w["first"] <= line <= w["last"] for w in watch for file, line, _ in skipped):
            return Proof(reason=f"{self.entry.label} fails on an edited line")
        missed = self.new.missed(traced)
        if self.code.startswith("OMN3") and missed is not None:
            return Proof(reason=f"{self.entry.label} doesn't make the comparison")
        if missed is not None:
            return Proof(reason=f"{self.entry.label} {missed}")
        if not self.new.evaluates(traced):
            return Proof(reason=NOT_EVALUATED)
        if self.code.startswith("OMN3"):  # the comparison was made, and held
            return Proof(verified=True)
        if self.code.startswith(self._MEANT_TO_DIFFER):
            return Proof(reason="the results were wrong before, and are meant to differ")
        if self.entry.source == "import" and not self.code.startswith("OMN4"):
            return Proof(reason="nothing calls it")
        references = [(EAGERLY, eager)]
        if of_constants(self.code):
            references.append(("with trace-time folding", self._run(FOLDED, self.old)))
        return self._compared(traced, references)

    def had_no_effect(self, module: ModuleIndex) -> bool:
        """Whether each statement that the repair takes out was one that failed, when the rest was imported."""
        file = real_file(module)
        before = self.old.texts.get(file, module.source.text)
        failed = {line for where, line, _ in self._run(TRACED, self.old).get("skipped") or () if where == file}
        lines = _taken_out(before, self.new.texts.get(file, before))
        return all(n.lineno in failed for n in ast.parse(before).body if n.lineno in lines)

    # What was wrong silently gives other results when it is mended: there is nothing to compare those with.
    _MEANT_TO_DIFFER = ("OMN513", "OMN515", "OMN2")

    def _compared(self, traced: Json, references: Sequence[tuple[str, Json]]) -> Proof:
        """All that the runs gave: the call itself, what is jitted in it, and each edited function."""
        found, agreed, evaluated, differing = Found(), 0, False, list[str]()
        for how, seen in references:
            if _problem(seen) is not None or (seen.get("proof") is None and self.entry.source != "import"):
                continue
            evaluated |= self.old.evaluates(seen)
            if (why := found.difference(seen, traced, self._as_jitted(how))) is None:
                agreed += 1
            else:
                differing.append(f"{why}, compared with the code before, {how}")
                if self.host and Found().difference(seen, traced, same.became_host) is None:
                    return Proof(reason=f"{OTHER_THING}: {differing[0]}")
        eager = references[0][1]
        alone = self._called_alone(found) and not left.anything(eager) and not left.anything(traced)
        if not differing and _problem(eager) is None and not alone:
            repaired = self._run(EAGER, self.new)
            if (problem := _problem(repaired)) is not None:
                return Proof(failed=f"{self.entry.label} ends with {problem}, run eagerly")
            if (why := found.uneven(eager, repaired)) is not None:
                return Proof(reason=why)
            why = found.difference(eager, repaired, same.became_array if self.arrays else None)
            if why is not None and self.host and Found().difference(eager, repaired, same.became_host) is None:
                return Proof(reason=f"{OTHER_THING}: {why}, both run eagerly")
            why = why or found.in_calls(eager, repaired, self._fine)
            if why is not None:
                agreed = 0
                differing.append(f"{why}, both run eagerly")
            elif (proof := self._left(EAGER, eager, repaired, "both run eagerly")) is not None:
                return proof
        if differing:
            again = self._run({**EAGER, "again": 1}, self.old)
            if agreed or Found().difference(again, eager) or Found().in_calls(again, eager):
                return Proof(reason=f"the results don't agree, but not because of the repair alone: {differing[0]}")
            return Proof(failed=differing[0])
        if not agreed:
            if self.code.startswith("OMN4"):  # names that this JAX doesn't have: there is nothing to compare with
                return Proof(verified=True)
            return Proof(reason=f"before the repair {self.entry.label} doesn't run in any way: nothing to compare with")
        if not evaluated and not self._failed_before(eager):
            return Proof(reason=f"before the repair, {NOT_EVALUATED}")
        if not found.compared and not self._failed_before(eager):
            return Proof(reason=f"{self.entry.label} gives nothing to compare, and no edited function does in it")
        if (why := found.when_traced(eager, traced, self._fine)) is not None and self._newly(eager):
            return Proof(reason=why)
        if of_constants(self.code):
            folded, refolded = references[-1][1], self._run(FOLDED, self.new)
            if _problem(folded) is None and _problem(refolded) is None:
                if (proof := self._left(FOLDED, folded, refolded, "with trace-time folding")) is not None:
                    return proof
                if (why := left.tracer(folded, refolded, traced)) is not None:
                    return Proof(reason=why)
            staged, was = refolded.get("equations"), folded.get("equations")
            if staged is not None and was is not None and staged > was:
                return Proof(failed=f"it stages out {staged} operations, and {was} before")
        return Proof(verified=True)

    def _left(self, mode: Json, before: Json, after: Json, how: str) -> Proof | None:
        """What follows from what both runs leave behind; None when that is the same, as far as it can be."""
        fine = same.became_array if self.arrays else None
        if left.difference(before, after, fine) is None and left.printed(before, after) is None:
            return None if left.whole(before) and left.whole(after) else Proof(reason=TOO_MUCH)
        first, second = (self._run({**mode, "again": n}, self.old) for n in (1, 2))  # of which neither searches
        why, said = left.difference(first, after, fine, second), left.printed(first, after, second)
        if why is None and said is None:
            return None
        held = self.host and left.difference(first, after, self._fine, second) is None
        told = self.host or left.printed(first, after, second, rounded=True) is None
        if (why is None or held) and told:
            return Proof(reason=f"{OTHER_THING}: {why or said}, {how}")
        return Proof(failed=f"it leaves something else behind: {why or said}, {how}")

    def _called_alone(self, found: Found) -> bool:
        """Whether what was compared already is what the one edited function gave: it is the function called."""
        spec = self.entry.spec
        if spec["kind"] != "synth" or spec.get("inner") or not found.compared or found.let_pass:
            return False
        return [f["id"] for f in self.old.edited.functions] == [f"{real_file(self.entry.module)}\0{spec['qualname']}"]

    def _as_jitted(self, how: str) -> same.Fine | None:
        """What jitting alone may do to what a call gives, which the two eager runs then have to agree in."""
        if self.arrays:
            return same.became_array
        return same.became_weak if how == EAGERLY else None

    def _fine(self, a: Json, b: Json) -> bool:
        """What may become of what an edited function gives."""
        return (self.arrays and same.became_array(a, b)) or (self.host and same.became_host(a, b))

    def _newly(self, eager: Json) -> bool:
        """Whether a trace gave the same as an eager run before the repair."""
        traced = self._run(TRACED, self.old)
        return _problem(traced) is not None or Found().when_traced(eager, traced) is None

    def _failed_before(self, seen: Json) -> bool:
        """Whether the statements of the module that are other now all failed, when the rest was imported in part."""
        file = real_file(self.entry.module)
        failed = {line for where, line, _ in seen.get("skipped") or () if where == file}
        before = self.old.texts.get(file, self.entry.module.source.text)
        lines = _taken_out(before, self.new.texts.get(file, before), ("delete", "replace"))
        body = ast.parse(before).body
        changed = [n for n in body if any(n.lineno <= line <= (n.end_lineno or n.lineno) for line in lines)]
        return bool(changed) and all(n.lineno in failed for n in changed)

    def _unrunnable(self, eager: Json, traced: Json, problem: str) -> Proof:
        """The edited code raises: the repair's fault only where the edit stands, or where nothing was raised before."""
        error = traced.get("exception") or {}
        frames = error.get("quoted") or error.get("frames") or []
        inside = bool(frames) and any(
            frames[-1][0] == w["file"] and w["first"] <= frames[-1][1] <= w["last"] for w in self.new.watch
        )
        told = f"{self.entry.label} ends with {problem}"
        if self.code.startswith("OMN3"):
            return Proof(reason=f"{told}: the tolerance is still too tight")
        if _problem(eager) is None and (inside or _problem(self._run(TRACED, self.old)) is None):
            return Proof(failed=told)
        if _problem(eager) is None and _problem(self._run(EAGER, self.new)) is not None:
            return Proof(failed=f"{told}, eagerly too")
        return Proof(reason=told)


def _problem(seen: Json) -> str | None:
    """How a run came to no result."""
    if "died" in seen or "timeout" in seen:
        return "a process that died" if "died" in seen else "no answer in time"
    error = seen.get("exception")
    if not error:
        return None
    words = str(error.get("message", "")).strip().splitlines()
    return f"{error.get('type')}: {words[0][:160]}" if words else str(error.get("type"))


def _taken_out(before: str, after: str, tags: Sequence[str] = ("delete",)) -> set[int]:
    """The numbers of lines that were there before only; with `replace` among the tags also of those that changed."""
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    return {n + 1 for tag, first, last, _, _ in matcher.get_opcodes() if tag in tags for n in range(first, last)}
