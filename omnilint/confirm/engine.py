"""All findings of a report under all interpreters: group, ask, judge, stamp."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from omnilint.confirm import names, ran, verdicts
from omnilint.confirm.backends import insist
from omnilint.confirm.cache import digest, worker_digest
from omnilint.confirm.gather import gathered
from omnilint.confirm.hinting import HintError
from omnilint.confirm.host import Worker
from omnilint.confirm.interpreter import ConfirmError, choose
from omnilint.confirm.known import Known
from omnilint.confirm.literal import Entry
from omnilint.confirm.observe import FOLD, PLAIN, Observer
from omnilint.confirm.options import ConfirmOptions
from omnilint.confirm.places import Site, by_path, site
from omnilint.confirm.plan import entries
from omnilint.confirm.reach import Reach
from omnilint.confirm.variants import variants
from omnilint.index.project import Project
from omnilint.model import Confidence, Finding, Problem, Report, Source, Status, Verdict
from omnilint.progress import Progress, silent

_MOST_REPEATS = 3  # calls tried to repeat alone what the user's run met


def start_early(sources: Sequence[Source], pythons: Sequence[str], options: ConfirmOptions) -> None:
    """Have the workers import JAX while the code is analysed, unless the last run on the same code kept all answers."""
    files = [s.file or s.path for s in sources]
    cache = options.kept_verdicts
    if cache is not None and cache.get(_whole(sources, pythons, options)) is not None:
        return
    with contextlib.suppress(ConfirmError):  # told when they are needed
        for interpreter in choose(pythons, files):
            options.pool.start_early(interpreter, options)


def _whole(sources: Sequence[Source], pythons: Sequence[str], options: ConfirmOptions) -> str:
    """The key of a whole run."""
    told = [options.backend, options.importing, options.command, options.proving_fixes, worker_digest()]
    return digest("run", sorted((s.file or s.path, s.digest) for s in sources), list(pythons), told)


def confirm_findings(
    report: Report,
    project: Project,
    pythons: Sequence[str] = (),
    progress: Progress = silent,
    options: ConfirmOptions | None = None,
    then: Callable[[], None] | None = None,
) -> None:
    """Give each finding of `report` one verdict per interpreter, in place; problems are added to the report.

    `pythons` are the values of `--python` (none: an environment that is active or near the files,
    else this interpreter). `then` is called when all are given, while the workers still run.
    """
    options = options or ConfirmOptions()
    try:
        _confirm(report, project, pythons, progress, options)
        if then is not None:
            then()
        if options.kept_verdicts is not None and report.sources:
            options.kept_verdicts.put(_whole(list(report.sources.values()), pythons, options), {"asked": True})
    finally:
        options.pool.close()


def _confirm(
    report: Report, project: Project, pythons: Sequence[str], progress: Progress, options: ConfirmOptions
) -> None:
    if not any(_can_be_asked(f) for f in report.findings):
        return
    try:
        interpreters = choose(pythons, [m.source.file or m.path for m in project.modules()])
    except ConfirmError as e:
        report.problems.append(Problem("confirm", str(e)))
        return
    if options.kept_verdicts is not None:
        options.kept_verdicts.prune()
    for number, interpreter in enumerate(interpreters):
        try:
            worker = options.pool.worker(interpreter, options)
            insist(worker, options)
            if (told := f"{worker.python}, jax {worker.jax}") not in report.confirmed_with:
                report.confirmed_with.append(told)
            options.announce(worker)
            known = gathered(worker.interpreter, report.findings, project, options)
            answers = Answers(worker, report.findings, project, options, known)
            for i, verdict in answers:
                finding = report.findings[i]
                report.findings[i] = replace(finding, verdicts=(*finding.verdicts, verdict))
                place = f"{finding.place.path}:{finding.place.line}"
                all_done = number * len(report.findings) + i + 1
                progress(f"confirming {place}", all_done, len(interpreters) * len(report.findings))
        except ConfirmError as e:
            problem = Problem("confirm", str(e))
            if problem not in report.problems:  # the compiled programs may have met it before
                report.problems.append(problem)


def _can_be_asked(finding: Finding) -> bool:
    return not finding.code.startswith(("OMN6", "OMN9"))  # the former were found by running


class Answers:
    """The verdicts of one interpreter, one after the other, each with its finding's number."""

    def __init__(
        self, worker: Worker, findings: Sequence[Finding], project: Project, options: ConfirmOptions, known: Known
    ) -> None:
        self.worker = worker
        self.known = known
        self.own_run = options.command is not None
        self.findings = list(findings)
        modules = by_path(project)
        self._planned: dict[int, list[Entry]] = {}
        self.sites = [site(f, modules) for f in findings]
        self.reach = Reach(project)
        watches = [_watch(i, s) for i, s in enumerate(self.sites) if s is not None]
        self.observer = Observer(
            worker, self.reach, options.limits, watches, importing=options.importing, cache=options.kept_verdicts
        )

    def _entries(self, number: int) -> list[Entry]:
        """The entries of a finding, worked out once."""
        if number not in self._planned:
            at = self.sites[number]
            assert at is not None
            self._planned[number] = entries(self.findings[number], at, self.reach, self.known)
        return self._planned[number]

    def _first_searches(self) -> list[verdicts.Question]:
        """Findings that no call of the project answers, and that functions without side effects may have."""
        found = []
        for number, finding in enumerate(self.findings):
            at = self.sites[number]
            if at is None or finding.code[:4] not in ("OMN1", "OMN5") or at.module.source.kind != "python":
                continue
            if at.module.source.file is None:
                continue
            try:
                first = self._entries(number)[:1]
            except HintError:
                continue
            if first and first[0].spec["kind"] == "synth":
                found.append(verdicts.Question(finding, at, str(number), first[0], self.observer))
        return found

    def ahead(self) -> None:
        """Run what can share a process: importing and warming up once is most of the cost of a small function."""
        asked = self._first_searches()
        homes: dict[str, list[verdicts.Question]] = {}
        for q in asked:
            homes.setdefault(self.reach.project.root_of(q.site.module), []).append(q)
        for group in homes.values():
            self.observer.together([(q.entry, q.more()) for q in group], PLAIN, then=FOLD)
            # Answers to the first that were kept leave the second to be asked.
            failed = [q for q in group if self.observer.has(q.entry, PLAIN, q.more()) and q.see(PLAIN).get("exception")]
            self.observer.together([(q.pinned(), q.more()) for q in failed], FOLD)

    def __iter__(self) -> Iterator[tuple[int, Verdict]]:
        self.ahead()
        for number, finding in enumerate(self.findings):
            if _can_be_asked(finding):
                yield number, replace(self.answer(number), python=self.worker.python, jax=self.worker.jax)

    def answer(self, number: int) -> Verdict:
        """The finding's verdict; an unreadable hint of the user's costs this one only."""
        try:
            return self._answer(number)
        except HintError as e:
            return Verdict(Status.INCONCLUSIVE, reason=str(e))

    def _answer(self, number: int) -> Verdict:
        """The best verdict that any of the finding's entries gives."""
        finding, at = self.findings[number], self.sites[number]
        if at is None:
            return names.switch(finding, self.observer) or Verdict(
                Status.INCONCLUSIVE, reason="only Python modules can be run"
            )
        if finding.code.startswith("OMN4"):
            found = names.resolve(finding, at, self.observer)
            if found is not None:
                return found
        if at.module.source.file is None or at.module.source.kind != "python":
            return Verdict(
                Status.INCONCLUSIVE, reason="only Python files can be imported: save this as one to confirm it"
            )
        best: Verdict | None = None
        met = ran.failed(finding, at, self.known)
        if met is not None and self.own_run:
            return replace(met, legacy=self._legacy(number, met))
        untraced, broken = False, 0
        for entry in self._entries(number):
            if entry.source == "search" and best is not None and not self._worth(finding, entry, best, untraced):
                continue
            q = verdicts.Question(finding, at, str(number), entry, self.observer, self._rivals(number))
            found = self._judged(q)
            broken += found.reached is None and found.status is not Status.UNREACHED
            untraced = untraced or bool(found.reached and found.status is Status.INCONCLUSIVE)
            best = verdicts.better(best, found)
            if best.status is Status.CONFIRMED or broken == 2:
                break
        if met is not None and (best is None or best.status is not Status.CONFIRMED):
            return met
        if best is None or best.status not in (Status.CONFIRMED, Status.REFUTED):
            without = ran.passed(finding, at, self.known)
            best = verdicts.better(best, without) if without is not None else best
        return best or Verdict(
            Status.UNREACHED,
            reason="no call was found that runs this line: add one with literal arguments, for example a test",
        )

    @staticmethod
    def _judged(q: verdicts.Question) -> Verdict:
        """The verdict of one call; of the same with other values that the code asks for, while the line isn't run."""
        found = verdicts.judge(q)
        if found.status is Status.UNREACHED and found.reached is False and q.entry.spec.get("choices"):
            for entry in variants(q.entry, q.pinned()):
                other = verdicts.judge(replace(q, entry=entry))
                if other.status is not Status.UNREACHED:
                    return other
        return found

    def _legacy(self, number: int, met: Verdict) -> bool | None:
        """What folding does to a failure that the user's run met: known when one call alone fails the same way."""
        finding, at = self.findings[number], self.sites[number]
        assert at is not None
        for entry in self._entries(number)[:_MOST_REPEATS]:
            found = verdicts.judge(verdicts.Question(finding, at, str(number), entry, self.observer))
            if (found.status, found.exception, found.line) == (Status.CONFIRMED, met.exception, met.line):
                return found.legacy
        return None

    @staticmethod
    def _worth(finding: Finding, entry: Entry, best: Verdict, untraced: bool) -> bool:
        """Whether a made-up call can still say more than the project's own calls did.

        When one of these cleared the line, a call that is traced for sure may still have it fail. Not when one ran
        it untraced and only this call would trace it, unless the finding says no more than that tracing it would
        fail. What a factory made has not run in any of these, even if its line did.
        """
        if best.status is Status.REFUTED:
            return bool(entry.spec.get("known"))
        if entry.spec.get("inner"):
            return True
        own = entry.spec.get("known") or not entry.spec.get("jit")  # what is traced there, the code traces itself
        return bool(not untraced or own or finding.confidence is Confidence.CONDITIONAL)

    def _rivals(self, number: int) -> tuple[str, ...]:
        """Other STATE findings, which could have caused the same escaped tracer."""
        return tuple(str(i) for i, f in enumerate(self.findings) if i != number and f.code.startswith("OMN2"))


def _watch(number: int, at: Site) -> dict[str, object]:
    place = at.place
    return {
        "id": str(number),
        "file": place.file,
        "first": place.first,
        "last": place.last,
        "names": list(at.names)[:40],
        "operand": at.operand,
    }
