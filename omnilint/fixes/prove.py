"""The proof of a repair: the edited code is run in memory on the same inputs, and has to give what it gave before."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence

from omnilint.confirm import names
from omnilint.confirm.hinting import HintError
from omnilint.confirm.interpreter import ConfirmError, choose
from omnilint.confirm.known import Known
from omnilint.confirm.literal import Entry
from omnilint.confirm.observe import Observer
from omnilint.confirm.options import ConfirmOptions
from omnilint.confirm.places import by_path, site
from omnilint.confirm.plan import entries
from omnilint.confirm.reach import Reach
from omnilint.fixes import defects, moved_call
from omnilint.fixes.comparison import TRACED, Comparison
from omnilint.fixes.repair import Proof
from omnilint.fixes.rewrite import spans_of
from omnilint.fixes.sides import Side, sides
from omnilint.fixes.text import apply
from omnilint.index.module import ModuleIndex
from omnilint.index.project import Project
from omnilint.model import Applicability, Edit, Finding, Report, Status
from omnilint.sources.kinds import PYTHON

MOST_ENTRIES = 3
SWITCH = "OMN406"


class Prover:
    """Proves repairs under one interpreter, which is started with the first of them.

    `project` holds the modules of the first report, where they are known already.
    """

    def __init__(self, pythons: Sequence[str], options: ConfirmOptions, project: Project | None = None) -> None:
        self.pythons = pythons
        self.options = options
        self._report: Report | None = None
        self._reach: Reach | None = Reach(project) if project is not None else None
        self._kept: Observer | None = None
        self._made: Sequence[Finding] = ()

    def __call__(
        self,
        findings: Sequence[Finding],
        report: Report,
        before: Mapping[str, str],
        after: Mapping[str, str],
        last: Finding | None = None,
    ) -> Proof:
        """Whether the repair of these findings together is proven; texts are by path, before and after it.

        `last` is told where it isn't: what the last of several rounds repairs.
        """
        if not all(report.sources[path].kind == PYTHON for path in after):
            return Proof(reason="only Python files can be run")
        try:
            observer = self._observer(report)
        except ConfirmError as error:
            return Proof(reason=str(error))
        found: list[Proof] = []
        self._made = findings
        named = _with_names(findings, report, before)
        for finding in findings:
            proof = self._prove(finding, report, observer, before, after)
            if not proof.verified and proof.failed is None and named and not finding.code.startswith("OMN4"):
                proof = self._prove(finding, report, observer, before, after, named)
            if proof.failed is not None:
                culprit = last or finding
                where = f"{culprit.place.path}:{culprit.place.line}"
                bundle = defects.keep(culprit, before, after, proof.failed)
                told = f"the repair of {culprit.code} at {where} fails its proof: {proof.failed}; it was not made; "
                return Proof(failed=f"{told}please report it with {bundle}")
            if not proof.verified and finding.code == SWITCH:
                proof = _of_switches([finding], observer)
            found.append(proof)
        if all(p.verified for p in found):
            return Proof(verified=True)
        return next(p for p in found if not p.verified)

    def _observer(self, report: Report) -> Observer:
        if self._report is report and self._kept is not None:
            return self._kept
        if self._reach is None or self._report is not None:
            project = Project()
            exists = {s.file for s in report.sources.values() if s.file}
            for source in report.sources.values():
                if source.kind == PYTHON:
                    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
                        project.add(source, exists)
            self._reach = Reach(project)
        self._report = report
        files = [m.source.file or m.path for m in self._reach.project.modules()]
        worker = self.options.pool.worker(choose(self.pythons, files)[0], self.options)
        self.options.announce(worker)
        limits, importing, cache = self.options.limits, self.options.importing, self.options.kept_verdicts
        self._kept = Observer(worker, self._reach, limits, [], importing=importing, cache=cache)
        return self._kept

    def _prove(
        self,
        finding: Finding,
        report: Report,
        observer: Observer,
        before: Mapping[str, str],
        after: Mapping[str, str],
        named: Mapping[str, str] | None = None,
    ) -> Proof:
        """One finding's proof; with `named`, compared with the code whose names are repaired, and nothing else is."""
        assert self._reach is not None
        modules = by_path(self._reach.project)
        files = {path: os.path.realpath(report.sources[path].file or path) for path in {*before, *after}}
        old = {files[path]: text for path, text in before.items()}
        new = {**old, **{files[path]: text for path, text in after.items()}}
        first = {**old, **{files[path]: text for path, text in (named or {}).items()}}
        both = sides(first, new, report, files, self._made)
        best: Proof | None = None
        verified: Proof | None = None
        tried = 0
        for asked in _askable(finding, report):
            at = site(asked, modules)
            if at is None or at.module.source.file is None:
                continue
            try:
                planned = entries(asked, at, self._reach, Known(self.options.inputs))
            except HintError as error:
                return Proof(reason=str(error))
            for entry in planned:
                if tried == MOST_ENTRIES:
                    break
                tried += 1
                if named:
                    entry = moved_call.after(entry, old, first)
                proof = Comparison(observer, entry, both, finding.code, self._made).proof()
                if proof.failed is not None and self._fails_beside(entry, finding, report, observer, first, new):
                    proof = Proof(reason=f"{entry.label} still fails where another finding is: {proof.failed}")
                if proof.failed is not None:
                    return proof
                if proof.verified and (verified is not None or _is_safe(finding)):
                    return proof
                verified = proof if proof.verified else verified
                best = best or proof
        if verified is not None:
            return verified
        if finding.code.startswith("OMN4") and (
            alone := self._by_itself(finding, observer, modules, sides(old, new, report, files, self._made))
        ):
            return alone
        return best or Proof(reason="no call was found that runs it: add one with literal arguments, such as a test")

    def _fails_beside(
        self,
        entry: Entry,
        finding: Finding,
        report: Report,
        observer: Observer,
        old: Mapping[str, str],
        new: Mapping[str, str],
    ) -> bool:
        """Whether the repaired code asks a tracer for its value, or fails as before, where other findings stay."""
        path, symbol = finding.place.path, finding.symbol
        if all(f in self._made for f in report.findings if f.place.path == path and f.symbol == symbol):
            return False
        before = observer.run(entry, TRACED, texts=dict(old), watch=[])
        after = observer.run(moved_call.after(entry, old, new), TRACED, texts=dict(new), watch=[])
        kinds = [(seen.get("exception") or {}).get("type") for seen in (before, after)]
        asks = any(word in str(kinds[1]) for word in ("Tracer", "Concret"))
        return kinds[0] is not None and (asks or kinds[0] == kinds[1])

    def _by_itself(
        self,
        finding: Finding,
        observer: Observer,
        modules: Mapping[str, ModuleIndex],
        both: tuple[Side, Side],
    ) -> Proof | None:
        """Proven where the edited statements run when the module is imported in part: others may be broken too.

        What was only taken out must have failed before: then it had no effect.
        """
        module = modules.get(finding.place.path)
        if module is None or module.source.file is None:
            return None
        entry = Entry(module, {"kind": "import", "in_part": True}, f"import {module.name} in part", "import")
        comparison = Comparison(observer, entry, both, finding.code, self._made)
        proof = comparison.proof()
        return proof if proof.verified and (both[1].watch or comparison.had_no_effect(module)) else None


def _is_safe(finding: Finding) -> bool:
    """Whether its repair means the same wherever the code worked: one call is enough to see that it does."""
    return finding.fix is None or finding.fix.applicability is Applicability.SAFE


def _with_names(findings: Sequence[Finding], report: Report, before: Mapping[str, str]) -> Mapping[str, str]:
    """The code with its names repaired alone, by path: it runs where a name that is gone ended the code before."""
    edits: dict[str, list[Edit]] = {}
    for finding in findings:
        if finding.code.startswith("OMN4") and finding.fix is not None:
            for edit in finding.fix.edits:
                edits.setdefault(edit.place.path, []).append(edit)
    return {p: apply(before[p], spans_of(report.sources[p], own)) for p, own in edits.items()}


def _of_switches(findings: Sequence[Finding], observer: Observer) -> Proof:
    """Taking out a switch changes nothing where JAX itself says that it has none of this name."""
    for finding in findings:
        verdict = names.switch(finding, observer)
        if verdict is None or verdict.status is not Status.CONFIRMED:
            return Proof(reason=verdict.reason if verdict is not None else "JAX wasn't asked")
    return Proof(verified=True)


def _askable(finding: Finding, report: Report) -> Iterator[Finding]:
    """The finding as its place says; one at module level also as if it stood in the functions that use the name."""
    if finding.symbol or not finding.code.startswith("OMN4"):
        yield finding
        return
    source = report.sources[finding.place.path]
    tree = ast.parse(source.text)
    line = finding.place.line
    bound = {
        (a.asname or a.name).partition(".")[0]
        for s in ast.walk(tree)
        if isinstance(s, (ast.Import, ast.ImportFrom)) and s.lineno <= line <= (s.end_lineno or s.lineno)
        for a in s.names
    }
    for node in tree.body:
        named = isinstance(node, (ast.FunctionDef, ast.ClassDef))
        if named and any(isinstance(n, ast.Name) and n.id in bound for n in ast.walk(node)):
            yield dataclasses.replace(finding, symbol=node.name)  # type: ignore[attr-defined]
    yield finding
