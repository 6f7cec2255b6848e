"""The loop: choose repairs, make them in memory, check again, keep what brings nothing new; until nothing changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from omnilint import problems
from omnilint.errors import Failure
from omnilint.fixes.rewrite import Unfixable, edited, spans_of
from omnilint.fixes.text import Spans, apply
from omnilint.model import Applicability, Edit, Finding, Problem, Report, Source

# Passes that change something, and all checks of everything: what fails is tried again alone.
MOST_PASSES, MOST_CHECKS = 100, 300

_OPEN = "it can't be proven"

Check = Callable[[Mapping[str, bytes]], Report]
Key = tuple[str, tuple[Edit, ...]]
# The path and name of a function; a line where what stands there belongs to none.
Symbol = tuple[str, str]


@dataclass(frozen=True)
class Proof:
    """What running the repaired code said: `verified`, or `failed` with what is to be reported; else not decided."""

    verified: bool = False
    failed: str | None = None
    reason: str | None = None


class Prover(Protocol):
    """Judges findings' repairs made together."""

    def __call__(
        self,
        findings: Sequence[Finding],
        report: Report,
        before: Mapping[str, str],
        after: Mapping[str, str],
        last: Finding | None = None,
    ) -> Proof:
        """What their proof says; texts before (of all that was repaired so far) and after are by path.

        `last` is told where it fails: what the last of several rounds repairs.
        """


@dataclass(frozen=True)
class Group:
    """Findings of one function, repaired together or not at all."""

    symbol: Symbol
    findings: tuple[Finding, ...]

    def edits(self) -> dict[str, list[Edit]]:
        """All edits by path, each once."""
        found: dict[str, dict[Edit, None]] = {}
        for f in self.findings:
            for edit in f.fix.edits if f.fix else ():
                found.setdefault(edit.place.path, {})[edit] = None
        return {path: list(edits) for path, edits in found.items()}

    @property
    def key(self) -> Key:
        """Identity across passes, as long as the code around stays the same."""
        return "\0".join(f.fingerprint for f in self.findings), tuple(e for es in self.edits().values() for e in es)

    @property
    def fingerprints(self) -> frozenset[str]:
        """Identity wherever its lines come to stand."""
        return frozenset(f.fingerprint for f in self.findings)


@dataclass
class Outcome:
    """What was repaired, what not and why, and the files' bytes before and after."""

    report: Report
    fixed: list[Finding] = field(default_factory=list)
    before: dict[str, bytes] = field(default_factory=dict)
    after: dict[str, bytes] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)
    defects: list[Problem] = field(default_factory=list)
    disproven: set[frozenset[str]] = field(default_factory=set)

    def knows(self, fingerprints: frozenset[str]) -> bool:
        """Whether a repair of some of these findings failed its proof: it isn't tried again where its lines moved."""
        return any(failed <= fingerprints for failed in self.disproven)

    def add(self, group: Group, verified: bool | None) -> None:
        """Count the findings of a group as repaired."""
        for f in group.findings:
            assert f.fix is not None
            self.fixed.append(replace(f, fix=replace(f.fix, verified=verified)))

    def changed(self) -> list[str]:
        """The paths whose bytes differ, in order."""
        return sorted(p for p in self.after if self.after[p] != self.before[p])

    def drop(self, paths: Collection[str]) -> None:
        """Take back what could not be written."""
        kept = [f for f in self.fixed if f.fix is None or not any(e.place.path in paths for e in f.fix.edits)]
        if len(kept) < len(self.fixed):
            self.reasons["the file can't be written"] += len(self.fixed) - len(kept)
        self.fixed = kept
        self.after = {path: raw for path, raw in self.after.items() if path not in paths}


class Repairs:
    """One run of the loop; `read` gives a source's bytes, `check` the report on given bytes.

    With `only`, nothing but the findings of this function is repaired.
    """

    def __init__(
        self,
        check: Check,
        read: Callable[[Source], bytes],
        unsafe: bool,
        prove: Prover | None = None,
        only: Symbol | None = None,
    ) -> None:
        self.check = check
        self.read = read
        self.unsafe = unsafe
        self.prove = prove
        self.only = only
        self.refused: dict[Key, str] = {}
        self.alone: set[Key] = set()
        self.proven: set[Key] = set()

    def run(self, out: Outcome | None = None) -> Outcome:
        """Repair as long as something can be, from where `out` is; gives what came of it."""
        out = Outcome(self.check({})) if out is None else out
        for _ in self.rounds(out):
            pass
        out.reasons = self._why_not(out.report)
        return out

    def rounds(self, out: Outcome) -> Iterator[Sequence[Group]]:
        """Repair as long as something can be; gives what each round made."""
        passes = 0
        for _ in range(MOST_CHECKS):
            groups = self._choose(out)
            if not groups or passes == MOST_PASSES:
                return
            if made := self._attempt(out, groups):
                passes += 1
                yield made

    def _wanted(self, finding: Finding) -> bool:
        if finding.fix is None or not finding.fix.edits:
            return False
        if self.only is not None and symbol_of(finding) != self.only:
            return False
        wanted = finding.fix.applicability
        return wanted is Applicability.SAFE or (self.unsafe and wanted is Applicability.UNSAFE)

    def _choose(self, out: Outcome) -> list[Group]:
        """Groups that don't get into each other's way: in the order of paths and places; the rest waits."""
        report = out.report
        by_symbol: dict[Symbol, list[Finding]] = {}
        for f in report.findings:
            if self._wanted(f):
                by_symbol.setdefault(symbol_of(f), []).append(f)
        chosen: list[Group] = []
        taken: dict[str, Spans] = {}
        waiting: list[Group] = []
        for symbol, findings in by_symbol.items():
            group = self._compatible(symbol, findings, report, taken)
            if group is None or group.key in self.refused or out.knows(group.fingerprints):
                continue
            if group.key in self.alone:
                waiting.append(group)
                continue
            chosen.append(group)
            for path, edits in group.edits().items():
                for span in spans_of(report.sources[path], edits):
                    taken.setdefault(path, Spans()).add(span)
        return chosen or waiting[:1]

    def _compatible(
        self, symbol: Symbol, findings: Sequence[Finding], report: Report, taken: Mapping[str, Spans]
    ) -> Group | None:
        """The findings of a function whose repairs fit together; the first come first, the others wait for a pass."""
        own: dict[str, Spans] = {}
        kept: list[Finding] = []
        for f in findings:
            assert f.fix is not None
            mine = {
                path: spans_of(report.sources[path], [e for e in f.fix.edits if e.place.path == path])
                for path in {e.place.path for e in f.fix.edits}
            }
            others = [(t, spans) for path, spans in mine.items() for t in (taken.get(path), own.get(path)) if t]
            if any(t.clashes(span) for t, spans in others for span in spans):
                continue
            for path, spans in mine.items():
                for span in spans:
                    own.setdefault(path, Spans()).add(span)
            kept.append(f)
        return Group(symbol, tuple(kept)) if kept else None

    def _attempt(self, out: Outcome, groups: Sequence[Group]) -> Sequence[Group]:
        """Make what can be made of these groups together; gives nothing when files didn't come to change."""
        made = dict(out.after)
        good = self._made(out, groups, [], made)
        if not good:
            return []
        try:
            report = self.check(made)
        except Exception as error:  # whichever repair it is that our own check can't read
            if len(good) == 1:
                self._broken(out, good[0], "the check of a repair", error)
            self.alone.update(g.key for g in good)
            return []
        worse = _news(out.report, report)
        idle = [g for g in good if not _helps(g, out.report, report)]
        if idle and not worse:
            for group in idle:
                self.refused[group.key] = "it would not be enough"
            return []
        if not worse:
            return good if self._keep(out, good, made, report) else []
        paths = {path for path, _, _ in worse}
        for group in [g for g in good if paths & set(g.edits())] or good:
            if len(good) == 1:
                _, code, symbol = worse[0]
                self.refused[group.key] = f"it would bring {code} in {symbol or 'the module'}"
            self.alone.add(group.key)
        return []

    def _made(self, out: Outcome, groups: Sequence[Group], beside: list[Group], made: dict[str, bytes]) -> list[Group]:
        """The groups that can be made together with those of `beside`; `made` takes in the bytes.

        All at once, and in halves where that can't be: one after the other, each would write and parse the file anew.
        """
        edits: dict[str, list[Edit]] = {}
        for group in (*beside, *groups):
            for path, own in group.edits().items():
                edits.setdefault(path, []).extend(own)
        touched = {path for group in groups for path in group.edits()}
        try:
            made.update({path: self._bytes(out, path, edits[path]) for path in sorted(touched)})
        except (Unfixable, OSError) as why:
            if len(groups) == 1:
                self.refused[groups[0].key] = self._culprit(out, groups[0]) or str(why)
                return []
        except Exception as error:  # a mistake of ours costs one repair, not the run
            if len(groups) == 1:
                self._broken(out, groups[0], "the making of a repair", error)
                return []
        else:
            return list(groups)
        half = len(groups) // 2
        first = self._made(out, groups[:half], beside, made)
        return [*first, *self._made(out, groups[half:], [*beside, *first], made)]

    def _culprit(self, out: Outcome, group: Group) -> str | None:
        """Which of a function's repairs can't be made even alone, so that none of them is."""
        for f in group.findings if len(group.findings) > 1 else ():
            assert f.fix is not None
            try:
                for path in dict.fromkeys(e.place.path for e in f.fix.edits):
                    self._bytes(out, path, [e for e in f.fix.edits if e.place.path == path])
            except (Unfixable, OSError) as why:
                return f"of the same function the repair of {f.code} at line {f.place.line} can't be made: {why}"
        return None

    def _broken(self, out: Outcome, group: Group, step: str, error: Exception) -> None:
        """Refuse what we fail at, and tell it as a defect of ours; what ends every run is raised on."""
        if isinstance(error, Failure):
            raise error
        problem = problems.of_crash(group.findings[0].place.path, step, error)
        self.refused[group.key] = problem.message
        if problem not in out.defects:
            out.defects.append(problem)

    def _bytes(self, out: Outcome, path: str, edits: Sequence[Edit]) -> bytes:
        source = out.report.sources[path]
        if path not in out.before:
            out.before[path] = self.read(source)
        return edited(out.after.get(path, out.before[path]), source, edits)

    def _keep(self, out: Outcome, groups: Sequence[Group], made: dict[str, bytes], report: Report) -> bool:
        """Take the groups over, after their proof when one is asked for."""
        proven = [self._proven(out, group) for group in groups] if self.prove is not None else []
        if not all(proven):
            self._together(out, [g for g, done in zip(groups, proven, strict=True) if not done])
            return False  # once more, without those that aren't
        for group in groups:
            out.add(group, verified=True if self.prove is not None else None)
        out.after = {**{p: out.before[p] for p in made}, **made}
        out.report = report
        return True

    def _together(self, out: Outcome, open_ones: Sequence[Group]) -> None:
        """Prove an imported name's repair with those of a function that uses it: each leaves it broken by itself."""
        for names in (g for g in open_ones if all(f.code.startswith("OMN4") and not f.symbol for f in g.findings)):
            for group in open_ones:
                if group is names or not set(group.edits()) & set(names.edits()):
                    continue
                both = Group(group.symbol, (*names.findings, *group.findings))
                if not _decided(self.refused.get(names.key)) and self._proven(out, both):
                    for part in (names, group):
                        self.proven.add(part.key)
                        self.refused.pop(part.key, None)

    def _proven(self, out: Outcome, group: Group) -> bool:
        """Whether a group's repairs by themselves are proven; what fails is a defect of ours."""
        assert self.prove is not None
        if group.key in self.proven:
            return True
        sources = out.report.sources
        after = {p: apply(sources[p].text, spans_of(sources[p], edits)) for p, edits in group.edits().items()}
        before = {p: sources[p].text for p in {*out.after, *after}}
        try:
            proof = self.prove(group.findings, out.report, before, after)
        except Exception as error:
            self._broken(out, group, "the proof of a repair", error)
            return False
        if proof.verified:
            self.proven.add(group.key)
        elif proof.failed is not None:
            self.disprove(out, [group], proof.failed)
        else:
            self.refused[group.key] = f"{_OPEN}: {proof.reason}"
        return proof.verified

    def disprove(self, out: Outcome, groups: Sequence[Group], why: str) -> None:
        """Refuse what fails a proof, now and where its lines come to stand, and tell it as a defect of ours."""
        for group in groups:
            self.refused[group.key] = "its proof failed"
            out.disproven.add(group.fingerprints)
        out.defects.append(Problem("repair", why))

    def _why_not(self, report: Report) -> Counter[str]:
        """Why what is left was not repaired, in words, with how many findings each holds for."""
        found: Counter[str] = Counter()
        refused = {fingerprint: why for key, why in self.refused.items() for fingerprint in key[0].split("\0")}
        for f in report.findings:
            if f.fix is None:
                found[str(f.data.get("unfixed", "it needs a person"))] += 1
            elif f.fingerprint in refused:
                found[refused[f.fingerprint]] += 1
            elif f.fix.applicability is Applicability.UNSAFE and not self.unsafe:
                found["the repair is unsafe (--unsafe-fixes)"] += 1
            elif f.fix.applicability is Applicability.DISPLAY:
                found["the repair is only shown"] += 1
            else:
                found["it got into the way of another repair"] += 1
        return found


def symbol_of(finding: Finding) -> Symbol:
    """The function that a finding is repaired with."""
    return finding.place.path, finding.symbol or f"line {finding.place.line}"


def _decided(why: str | None) -> bool:
    """Whether a repair was refused for more than that it can't be proven by itself."""
    return why is not None and not why.startswith(_OPEN)


def _helps(group: Group, before: Report, after: Report) -> bool:
    """Whether the findings of a group are fewer, or others, than they were."""

    def key(f: Finding) -> tuple[str, str, str, str]:
        return f.code, f.place.path, f.symbol, f.message

    own = {key(f) for f in group.findings}
    old, new = Counter(map(key, before.findings)), Counter(map(key, after.findings))
    return any(new[told] < old[told] for told in own)


def _news(before: Report, after: Report) -> list[tuple[str, str, str]]:
    """(path, code, symbol) of what is found more often than before: a repair must not bring that."""

    def counts(report: Report) -> Counter[tuple[str, str, str]]:
        return Counter((f.place.path, f.code, f.symbol) for f in report.findings)

    new = counts(after) - counts(before)
    return sorted(new) + [(p.path or "", p.kind, "") for p in after.problems if p not in before.problems]
