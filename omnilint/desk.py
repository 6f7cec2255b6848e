"""One task of a run, in this process or in a worker: a step on a file, or a part of the analysis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from omnilint import problems
from omnilint.analysis.options import AnalysisOptions
from omnilint.index.module import ModuleIndex
from omnilint.index.project import Project
from omnilint.model import Finding, Problem, Source

if TYPE_CHECKING:
    from omnilint.analysis.session import Part, Session
    from omnilint.api.target import Target
    from omnilint.targeting import Targets

# ("names", path), ("tolerance", path), ("own", group), ("generic", key) or ("conditional", group, traced names).
Task = tuple[Any, ...]
# (import root, dotted name, path of the module that was found)
Lookup = tuple[str, str, "str | None"]


@dataclass
class Answer:
    """What came of a task; `lookups` are the imports that it followed, `failed` says that we crashed."""

    findings: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    part: Part | None = None
    lookups: list[Lookup] = field(default_factory=list)
    failed: bool = False


@dataclass
class Desk:
    """All that tasks need to know of a run."""

    project: Project
    modules: dict[str, ModuleIndex]
    targets: Targets | None
    options: AnalysisOptions
    session: Session | None = None

    def do(self, task: Task) -> Answer:
        """Work on a task; our own failure is an answer too."""
        return _DOERS[task[0]](self, *task[1:])

    def target_of(self, path: str) -> Target | None:
        """The JAX releases that a module is judged for, by its shown path; None where nothing here uses JAX."""
        if self.targets is None:
            return None
        module = self.modules.get(path)
        return self.targets.of(module.source.file if module is not None else None)

    def target_for(self, source: Source) -> Target | None:
        """The same for any file."""
        return None if self.targets is None else self.targets.of(source.file)

    def open(self) -> Session:
        """The session of the analysis, with all imports done."""
        from omnilint.analysis.session import Session

        if self.session is None:
            self.session = Session(self.project, self.options)
            self.session.__enter__()
        return self.session

    def close(self) -> None:
        """End the session, if there is one."""
        if self.session is not None:
            self.session.__exit__(None, None, None)
            self.session = None


def attempt(step: str, path: str | None, work: Callable[[], list[Finding]]) -> Answer:
    """One step on one file; when it fails the other files are checked all the same."""
    try:
        return Answer(work())
    except Exception as error:
        return Answer(problems=[problems.of_crash(path, step, error)], failed=True)


def _names(desk: Desk, path: str) -> Answer:
    from omnilint.hazards import internal

    def work() -> list[Finding]:
        return internal.find(desk.modules[path], desk.target_of(path), desk.project)

    return attempt("the check of JAX names", path, work)


def _tolerance(desk: Desk, path: str) -> Answer:
    from omnilint.hazards import tolerance

    return attempt("the check of tolerances", path, lambda: tolerance.find(desk.modules[path], desk.project))


def _part(desk: Desk, work: Callable[[Session], Part]) -> Answer:
    answer = Answer()

    def run() -> list[Finding]:
        answer.part = work(desk.open())
        answer.lookups, answer.part.asked = lookups(answer.part.asked), {}
        return []

    told = attempt("the analysis", None, run)
    answer.problems, answer.failed = told.problems, told.failed
    return answer


def lookups(asked: dict[tuple[str, str], ModuleIndex | None]) -> list[Lookup]:
    """Imports that were followed, as plain data."""
    return [(root, dotted, None if m is None else m.path) for (root, dotted), m in asked.items()]


_DOERS: dict[str, Callable[..., Answer]] = {
    "names": _names,
    "tolerance": _tolerance,
    "own": lambda desk, i: _part(desk, lambda s: s.own(s.groups[i])),
    "generic": lambda desk, key: _part(desk, lambda s: s.generic(key)),
    "conditional": lambda desk, i, traced: _part(desk, lambda s: s.conditional(s.groups[i], traced)),
}
