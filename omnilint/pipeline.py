"""The steps of a run in their order: sources, index, hazards, analysis, selection, confirm."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from omnilint import baseline, changes, problems, sources, targeting
from omnilint.analysis import tables
from omnilint.analysis.options import AnalysisOptions
from omnilint.analysis.roots import jax_modules
from omnilint.cache.memory import Memory, outlined
from omnilint.cache.results import Results
from omnilint.cache.store import Store
from omnilint.compiled import with_room
from omnilint.config import Settings
from omnilint.config import tables as own_tables
from omnilint.desk import Desk
from omnilint.errors import ConfigError
from omnilint.index.module import ModuleIndex
from omnilint.index.project import Project
from omnilint.memory import without_collector
from omnilint.model import Finding, Problem, Report, Source
from omnilint.progress import Progress, silent
from omnilint.selection import Selection, selection
from omnilint.settle import judged, settle
from omnilint.sources.kinds import TEXT, Skip
from omnilint.sources.notebook import Notebook, in_cells, problem_in_cells
from omnilint.sources.read import decode
from omnilint.unmatched import unmatched

if TYPE_CHECKING:
    from omnilint.confirm import ConfirmOptions

NO_RULE = "no rule is on there"


def check(
    paths: Sequence[str],
    settings: Settings,
    *,
    stdin: bytes | None = None,
    stdin_filename: str | None = None,
    force_exclude: bool = False,
    confirm: ConfirmOptions | None = None,
    diff_base: str | None = None,
    prune_baseline: bool = False,
    progress: Progress = silent,
    edited: Mapping[str, bytes] | None = None,
    cache: Store | None = None,
    jobs: int = 1,
) -> Report:
    """Check what lies below `paths` (and `stdin`, when given) and say what was found and what was in the way.

    Never runs or imports what it reads, unless `confirm` says how to. With `diff_base` only
    findings that have to do with lines changed since that revision are reported; `prune_baseline`
    takes what is found no more out of the baseline's file. `edited` holds, by shown path, bytes that stand
    for what the files hold. `cache` keeps what is found, for the next run; up to `jobs` processes share
    the work. Raises Failure (ConfigError for a setting that can't be used).
    """
    started = time.perf_counter()
    chosen = selection(settings)
    if confirm is None and not chosen.rules(confirm=False):
        raise ConfigError("every rule that is selected needs --confirm to find something; give that, or select others")
    tables.extend(own_tables.read(settings.extend_tables) if settings.extend_tables else {})
    known = baseline.read(settings.baseline) if settings.baseline else None
    changed = changes.since(diff_base, next(iter(paths), stdin_filename or ".")) if diff_base else None
    report = Report()
    found = sources.discover(paths, settings.exclude, use_gitignore=settings.gitignore, force_exclude=force_exclude)
    if stdin is not None and stdin_filename and force_exclude and sources.excluded(stdin_filename, settings.exclude):
        found.skipped[stdin_filename] = sources.EXCLUDED
        stdin = None
    texts = list(_read(found, stdin, stdin_filename, report, progress, edited or {}))
    if not texts and not report.problems and not force_exclude:
        message = "no Python file, notebook or configuration file was found; give a path that holds some"
        report.problems.append(Problem("nothing-to-check", message, ", ".join(paths) or None))
    report.sources = {source.path: source for source in texts}
    report.summary.skipped |= {s.path: NO_RULE for s in texts if not chosen.looks_at(s.file)}
    if not force_exclude:  # a hook names the files of one change, which patterns needn't match
        report.summary.unmatched = list(unmatched(settings, found, [s.file for s in texts if s.file]))
    if confirm is not None:
        from omnilint.confirm import start_early

        start_early(texts, settings.python, confirm)
    # With confirm, what is found depends on what runs.
    results = Results(cache, settings, texts) if cache and confirm is None and not edited else None
    project: Project | None = None
    if results is None or not results.restore(report):
        memory = Memory(cache)
        before = len(report.problems)
        project, modules = _index(texts, report, memory, progress)
        targets = targeting.choose(settings, report)
        report.targets = targeting.used(targets, report, project) if targets is not None else []
        span = targets.span if targets is not None else ()
        options = AnalysisOptions(assume_traced=_assumed(modules, settings), releases=span)
        desk = Desk(project, modules, targets, options)
        findings = _find(texts, desk, report, memory, jobs, progress)
        memory.save()
        if confirm is not None and any(map(chosen.reports, ("OMN601", "OMN602"))):
            from omnilint.confirm import compile_findings

            findings += compile_findings(findings, project, report, settings.python, progress, confirm)
        report.findings, report.suppressed = settle(findings, report.sources, modules, chosen, confirm is not None)
        _repair(report, desk)
        if results is not None:
            results.keep(report, before)
    if known is not None:
        judges = partial(judged, chosen=chosen, confirm=confirm is not None)
        gone = known.gone(report.findings, report.checked, judges)
        report.summary.gone = [entry[:3] for entry in sorted(gone.elements())]
        if prune_baseline and gone:
            known.known -= gone
            known.save()
            report.summary.pruned = True
        report.findings, told = known.split(report.findings, report.sources)
        report.summary.known = len(told)
    if changed is not None:
        if edited or stdin is not None:
            changed = changed.follow(texts)
        near = [f for f in report.findings if changed.touch(f, report.sources)]
        report.summary.elsewhere = len(report.findings) - len(near)
        report.findings = near
    if confirm is not None and project is not None:
        from omnilint.confirm import confirm_findings
        from omnilint.confirm.steady import steady
        from omnilint.fixes.offers import prove_offers

        asked, modules_of = confirm, project

        def proofs() -> None:
            if asked.proving_fixes:
                prove_offers(report, modules_of, settings.python, asked, progress)

        confirm_findings(report, project, settings.python, progress, confirm, then=proofs)
        report.findings = [steady(f) for f in report.findings]
    _count_in_cells(report)
    _forgive(report, chosen)
    report.summary.seconds = time.perf_counter() - started
    return report


def _read(
    found: sources.Discovery,
    stdin: bytes | None,
    stdin_filename: str | None,
    report: Report,
    progress: Progress,
    edited: Mapping[str, bytes],
) -> Iterable[Source]:
    report.problems += found.problems
    report.summary.skipped |= found.skipped
    results: list[Source | Problem] = []
    if stdin is not None:
        results.append(sources.read_stdin(edited.get(stdin_filename or sources.STDIN, stdin), stdin_filename))
    unsaved = {r.file for r in results if isinstance(r, Source)}  # an editor's buffer stands for its file
    for n, file in enumerate(found.files):
        progress("reading", n, len(found.files))
        if file.file in unsaved:
            continue
        try:
            raw = edited.get(file.path)
            results.append(sources.read(file) if raw is None else decode(raw, file.path, file.kind, file.file))
        except Skip as skip:
            report.summary.skipped[file.path] = str(skip)
    for result in results:
        if isinstance(result, Problem):
            report.problems.append(result)
        else:
            yield result


@with_room
@without_collector
def _index(
    texts: Sequence[Source], report: Report, memory: Memory, progress: Progress
) -> tuple[Project, dict[str, ModuleIndex]]:
    """The project, and its modules by shown path; what is known of a module's imports isn't read again."""
    project, modules = Project(), {}
    exists = {s.file for s in texts if s.file}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Python warns of in the code it parses is for other tools to say
        for n, source in enumerate(texts):
            progress("parsing", n, len(texts))
            if source.kind == TEXT:
                continue
            try:
                modules[source.path] = outlined(project, source, exists, memory)
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                report.problems.append(problems.of_parsing(source, error))
    summary = report.summary
    summary.files = len(texts)
    summary.text_files = sum(s.kind == TEXT for s in texts)
    summary.python_files = summary.files - summary.text_files
    summary.jax_files = len(jax_modules(project))
    summary.lines = sum(s.text.count("\n") for s in texts)
    return project, modules


@with_room
@without_collector
def _find(
    texts: Sequence[Source], desk: Desk, report: Report, memory: Memory, jobs: int, progress: Progress
) -> list[Finding]:
    from omnilint.inspection import inspect

    found = inspect(texts, desk, report.summary.jax_files, memory, jobs, progress)
    report.problems += found.problems
    summary = report.summary
    summary.cut_short, summary.functions, summary.traced = found.cut_short, found.functions, found.traced
    return found.findings


def _repair(report: Report, desk: Desk) -> None:
    """Give each finding its repair, where there is one."""
    if not report.findings:
        return
    from omnilint.api.target import Target
    from omnilint.fixes.registry import attach

    def indices(path: str) -> range:
        return (desk.target_of(path) or Target.newest()).indices

    try:
        report.findings = attach(report.findings, desk.project, report.sources, indices)
    except Exception as error:
        report.problems.append(problems.of_crash(None, "the search for repairs", error))


def _assumed(modules: dict[str, ModuleIndex], settings: Settings) -> tuple[str, ...]:
    """Paths of the modules whose public functions are traced by their users."""
    return tuple(
        path
        for path, module in modules.items()
        if module.source.file and any(p.match(module.source.file) for p in settings.traced)
    )


def _count_in_cells(report: Report) -> None:
    notebooks = {path: source for path, source in report.sources.items() if isinstance(source, Notebook)}
    if notebooks:
        for findings in (report.findings, report.suppressed):
            findings[:] = [in_cells(f, notebooks) for f in findings]
        report.problems = [
            problem_in_cells(p, n) if p.path and (n := notebooks.get(p.path)) else p for p in report.problems
        ]


def _forgive(report: Report, chosen: Selection) -> None:
    """Problems whose META code the user ignores are skipped files: still told, but no failure."""
    rest: list[Problem] = []
    for problem in report.problems:
        code = problems.CODES.get(problem.kind)
        if code and problem.path and chosen.ignores(code, os.path.abspath(problem.path)):
            report.summary.skipped[problem.path] = f"{code} ignored: {problem.message}"
        else:
            rest.append(problem)
    report.problems = rest
