"""XLA: what the project jits is compiled and run on each backend that is there; failures become findings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from omnilint.confirm import bundle
from omnilint.confirm.backends import insist, same
from omnilint.confirm.families import about_tracers, first_words
from omnilint.confirm.gather import kept
from omnilint.confirm.hinting import HintError
from omnilint.confirm.host import Worker, WorkerDied
from omnilint.confirm.interpreter import ConfirmError, choose
from omnilint.confirm.known import Known
from omnilint.confirm.literal import Entry
from omnilint.confirm.observe import COMPILE, Observer
from omnilint.confirm.options import ConfirmOptions
from omnilint.confirm.places import by_path, real_file, site
from omnilint.confirm.plan import entries
from omnilint.confirm.reach import Reach
from omnilint.confirm.search import jitted
from omnilint.confirm.specs import show_call
from omnilint.index.module import Definition, FunctionNode, ModuleIndex
from omnilint.index.project import Project
from omnilint.model import Confidence, Finding, Place, Problem, Report, Status, Verdict
from omnilint.progress import Progress, silent

FAILS, DIFFERS = "OMN601", "OMN602"
MOST_FUNCTIONS = 150

# Not the backend's fault: too large for this machine, or a kernel that is written for another kind of backend.
# Nor is a backend to blame that isn't there.
_EXCUSED = re.compile(
    r"RESOURCE_EXHAUSTED|[Oo]ut of memory|Only interpret mode is supported"
    r"|Unable to initialize backend|Unknown backend|no platforms that are instances of"
)

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Target:
    """A function that the project jits."""

    module: ModuleIndex
    definition: Definition

    @property
    def finding(self) -> Finding:
        """A finding at its name, as far as it is known before anything ran."""
        node = self.definition.node
        line = self.module.lines[node.lineno - 1] if node.lineno <= len(self.module.lines) else ""
        column = line.find(node.name, node.col_offset) + 1 or node.col_offset + 1
        place = Place(self.module.path, node.lineno, column, node.lineno, column + len(node.name))
        return Finding(FAILS, "", place, symbol=self.definition.qualname, statement=line.strip())


def targets(project: Project, known_bad: frozenset[tuple[str, str]]) -> Iterator[Target]:
    """The jitted functions and methods of the project, but for those that are known not to trace (path, symbol)."""
    for module in project.modules():
        if module.source.kind != "python" or module.source.file is None:
            continue
        for definition in module.definitions.values():
            node = definition.node
            if not isinstance(node, ast.FunctionDef) or definition.in_function or "@" in definition.qualname:
                continue
            if (module.path, definition.qualname) not in known_bad and jitted(module, node):
                yield Target(module, definition)


def compile_findings(
    findings: Sequence[Finding],
    project: Project,
    report: Report,
    pythons: Sequence[str] = (),
    progress: Progress = silent,
    options: ConfirmOptions | None = None,
) -> list[Finding]:
    """OMN601 and OMN602 findings, with their verdicts, under each interpreter and on each backend.

    `findings` are those of the other rules: a function that doesn't trace has no program. Runs code.
    """
    options = options or ConfirmOptions()
    bad = frozenset(
        (f.place.path, f.symbol.partition(".<")[0]) for f in findings if f.code.startswith(("OMN1", "OMN2", "OMN5"))
    )
    chosen = list(targets(project, bad))[:MOST_FUNCTIONS]
    if not chosen:
        return []
    found: dict[tuple[str, str, str], Finding] = {}
    try:
        for interpreter in choose(pythons, [m.source.file or m.path for m in project.modules()]):
            worker = options.pool.worker(interpreter, options)
            insist(worker, options)
            options.announce(worker)
            if (told := f"{worker.python}, jax {worker.jax}") not in report.confirmed_with:
                report.confirmed_with.append(told)
            for platform, there in _backends(worker, options):
                for finding in _Sweep(there, platform, project, chosen, options, progress).findings():
                    key = (finding.code, finding.place.path, finding.symbol)
                    old = found.get(key)
                    found[key] = finding if old is None else _both(old, finding)
    except ConfirmError as e:
        report.problems.append(Problem("confirm", str(e)))
    return list(found.values())


def _both(a: Finding, b: Finding) -> Finding:

    return replace(a, verdicts=(*a.verdicts, *b.verdicts))


def _backends(worker: Worker, options: ConfirmOptions) -> Iterator[tuple[str, Worker]]:
    """(platform, worker that uses it) of each backend to compile on."""
    if options.backend != "all":
        yield (options.platforms or "cpu").partition(",")[0], worker
        return
    yield "cpu", worker
    if not worker.hello.get("accelerator"):
        return
    everything = options.pool.worker(worker.interpreter, options, "any")
    try:
        told = everything.ask({"op": "backends", "home": [], "seconds": 120.0})
    except WorkerDied:
        return
    for platform in told.get("backends", {}):
        if platform != "cpu":
            yield platform, options.pool.worker(worker.interpreter, options, f"{platform},cpu")


class _Sweep:
    """All targets under one interpreter on one backend."""

    def __init__(
        self,
        worker: Worker,
        platform: str,
        project: Project,
        chosen: Sequence[Target],
        options: ConfirmOptions,
        progress: Progress,
    ) -> None:
        self.worker, self.platform, self.options, self.progress = worker, platform, options, progress
        self.project, self.chosen = project, chosen
        self.reach = Reach(project)
        self.known = Known(options.inputs, kept(project))
        self.observer = Observer(worker, self.reach, options.limits, [], importing=options.importing)
        self.observer.cache = options.kept_verdicts
        self.covered: set[tuple[str, int]] = set()
        self.seen: dict[tuple[str, int], tuple[Entry, Json]] = {}

    def findings(self) -> Iterator[Finding]:
        """A finding for each program that fails, and for each that differs."""
        planned = {id(t): self._entries(t) for t in self.chosen}
        real = {e.key: e for found in planned.values() for e in found if e.source != "search"}
        self._run(list(real.values()))
        left = [t for t in self.chosen if self._spot(t) not in self.covered]
        self._run([e for t in left for e in planned[id(t)] if e.source == "search"][: 2 * MOST_FUNCTIONS])
        for target in self.chosen:
            known = self.seen.get(self._spot(target))
            if known is not None:
                finding = self._finding(target, *known)
                if finding is not None:
                    yield finding

    def _entries(self, target: Target) -> list[Entry]:
        at = site(target.finding, by_path(self.project))
        if at is None:
            return []
        try:
            found = entries(target.finding, at, self.reach, self.known)
        except HintError:
            return []
        real = [e for e in found if e.source != "search"][:2]
        return (
            real + [e for e in found if e.source == "search" and e.spec["qualname"] == target.definition.qualname][-1:]
        )

    @staticmethod
    def _spot(target: Target) -> tuple[str, int]:
        return real_file(target.module), target.definition.first_line

    def _run(self, wanted: list[Entry]) -> None:
        homes: dict[str, list[Entry]] = {}
        for e in wanted:
            homes.setdefault(self.project.root_of(e.module), []).append(e)
        for group in homes.values():
            self.progress(f"compiling on {self.platform}", 0, len(wanted))
            self.observer.each(group, COMPILE)
            for e in group:
                self._note(e, self.observer.run(e, COMPILE))

    def _note(self, entry: Entry, told: Json) -> None:
        if not same(self.platform, told.get("backend")):
            return  # a proof on another backend is none for this one
        for file, line in told.get("clean") or ():
            if file is not None:
                self.covered.add((file, line))
        programs = list(told.get("programs") or ())
        if "died" in told:
            stage = told.get("stage") or {}
            if stage.get("stage") in ("compile", "run") and str(told["died"]).startswith("died of SIG"):
                programs.append({**stage, "step": stage["stage"], "died": told["died"]})
        for program in programs:
            error = program.get("error") or {}
            if _EXCUSED.search(str(error.get("message", ""))) or about_tracers(error):
                continue
            spot = (program.get("file"), program.get("line"))
            if spot[0] is not None and spot not in self.seen:
                self.covered.add(spot)
                self.seen[spot] = (entry, {**program, "chosen": told.get("chosen")})

    def _finding(self, target: Target, entry: Entry, program: Json) -> Finding | None:

        source = _source(entry, program)
        differs = program["step"] == "differs"
        if differs and source == "search" and not _one_sided(program["worst"]):
            return None
        error = program.get("error") or {}
        name, node = target.definition.qualname, target.definition.node
        assert isinstance(node, FunctionNode)
        if differs:
            what = f"`{name}` gives {_pair(program['worst'])}: more than the dtype's rounding explains"
            confidence = Confidence.CERTAIN
        else:
            how = program["died"] if "died" in program else f"{error['type']}: {_gist(error['message'])}"
            verb = {"lower": "can't lower it", "compile": "fails to compile it", "run": "fails to run it"}
            what = f"`{name}` traces, and the {self.platform} backend {verb[program['step']]} ({how})"
            confidence = Confidence.CERTAIN
        case = bundle.Case(
            code=DIFFERS if differs else FAILS,
            what=what,
            entry=entry,
            program=program,
            platform=self.platform,
            worker=self.worker,
            modules=tuple(self.reach.closure(target.module)),
            project=self.project,
            target=name,
            jitted_here=bool(node.decorator_list),
            module=target.module,
            parameters=node.args,
        )
        folder = bundle.write(case)
        advice = "report it to the backend's authors, with that, rather than work around staging"
        verdict = Verdict(
            Status.CRASHED if "died" in program else Status.CONFIRMED,
            exception=error.get("type"),
            message=first_words(str(error["message"])) if error else None,
            inputs=_label(entry, program),
            reached=True,
            python=self.worker.python,
            jax=self.worker.jax,
            backend=self.platform,
            reason=f"{folder} reproduces it: {advice}",
            source=source,
        )
        message = f"{what}; {_advice(differs)}"
        return replace(
            target.finding,
            code=case.code,
            message=message,
            confidence=confidence,
            verdicts=(verdict,),
            data={"bundle": folder, "backend": self.platform},
        )


def _advice(differs: bool) -> str:
    if differs:
        return "write it so that nothing large cancels, or report it to XLA's authors"
    return "report it to the backend's authors; staging isn't what to work around"


def _source(entry: Entry, program: Json) -> str:
    origins, chosen = entry.spec.get("origins"), program.get("chosen")
    if not origins:
        return entry.source
    return str(origins[chosen if chosen is not None and chosen < len(origins) else 0])


def _label(entry: Entry, program: Json) -> str:
    arguments = entry.spec.get("assignments")
    if not arguments:
        return entry.label
    return show_call(entry.label, arguments[program.get("chosen") or 0])


def _gist(message: str) -> str:
    return " ".join(str(message).split())[:160]


def _numbers(leaf: Json | None) -> list[float]:
    return list((leaf or {}).get("numbers") or ())


def _one_sided(worst: Json) -> bool:
    """Whether one of the two runs agrees with a 64-bit one and the other doesn't: then no cancellation is to blame."""
    if worst.get("reference") is None:
        return worst.get("share") == float("inf")
    compiled, eager, exact = (_numbers(worst.get(k)) for k in ("compiled", "eager", "reference"))
    if not exact or not len(compiled) == len(eager) == len(exact):
        return False
    scale = max(map(abs, exact)) or 1.0
    off = [max(abs(a - b) for a, b in zip(side, exact, strict=True)) / scale for side in (compiled, eager)]
    return min(off) < 1e-3 <= max(off)


def _pair(worst: Json) -> str:
    """The two results in words, at the place where they differ most, and what 64 bits give."""
    compiled, eager, exact = (_numbers(worst.get(k)) for k in ("compiled", "eager", "reference"))
    i = max(range(min(len(compiled), len(eager))), key=lambda n: abs(compiled[n] - eager[n]), default=None)
    if i is None:
        return "different results compiled and eagerly"
    told = f"{compiled[i]:.7g} compiled and {eager[i]:.7g} eagerly"
    told += f" ({exact[i]:.7g} in 64 bits)" if i < len(exact) else ""
    return told + (f", {worst['ulps']:.3g} ulps apart" if worst.get("ulps") is not None else "")
