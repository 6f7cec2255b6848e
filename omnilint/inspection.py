"""From modules to findings: every step on every file and part, from memory where the answer is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from omnilint import crew, problems
from omnilint.cache import keys, records
from omnilint.cache.depend import Dependencies
from omnilint.cache.memory import Memory
from omnilint.desk import Answer, Desk, Task, attempt
from omnilint.model import Finding, Problem, Source
from omnilint.progress import Progress

if TYPE_CHECKING:
    from omnilint.analysis.session import Part

# Fewer lines than this are checked sooner than a worker process has started.
WORTHWHILE = 6_000


@dataclass
class Inspection:
    """What the steps found, in the order of the files; `cut_short` says where the analysis met its budget."""

    findings: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    cut_short: list[Problem] = field(default_factory=list)
    functions: int = 0
    traced: int = 0


def inspect(
    texts: Sequence[Source], desk: Desk, jax_files: int, memory: Memory, jobs: int, progress: Progress
) -> Inspection:
    """Take every step on every file. The answer is the same whatever is in memory, and however many work on it."""
    out = Inspection()
    told: list[Problem] = []
    inspector = _Inspector(desk, memory, jobs, told, progress)
    for answer in [_switches(memory, desk, source) for source in texts]:
        out.findings += answer.findings
        out.problems += answer.problems
    names = inspector.names()
    tolerances = inspector.tolerances()
    for path in desk.modules:
        for answer in (names[path], tolerances[path]):
            out.findings += answer.findings
            out.problems += answer.problems
    if jax_files:  # else the interpreter needn't even be loaded
        inspector.analyse(out)
    out.problems += told
    return out


def _switches(memory: Memory, desk: Desk, source: Source) -> Answer:
    from omnilint.hazards import switches

    target = desk.target_for(source)

    def work() -> Answer:
        return attempt("the search for dead switches", source.path, lambda: list(switches.find(source, target)))

    key = keys.digest("switches", keys.of_source(source), repr(target)) if memory.active else ""
    return _remembered(memory, key, work)


def _remembered(memory: Memory, key: str, work: Callable[[], Answer]) -> Answer:
    known = _read(memory.get(key))
    if known is None:
        known = work()
        _write(memory, key, known)
    return known


def _read(value: Any) -> Answer | None:
    """The answer in a remembered value; None for none, and for anything that isn't one."""
    if value is None:
        return None
    try:
        return Answer(
            records.findings(value["findings"]),
            [records.problem(p) for p in value["problems"]],
            None if value.get("part") is None else records.part(value["part"]),
            [(root, dotted, path) for root, dotted, path in value["lookups"]],
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _write(memory: Memory, key: str, answer: Answer, seen: Callable[[Any], Any] = lambda record: None) -> None:
    if answer.failed or not memory.active:
        return
    try:
        value = {
            "findings": [records.of_finding(f) for f in answer.findings],
            "problems": [records.of_problem(p) for p in answer.problems],
            "part": None if answer.part is None else records.of_part(answer.part),
            "lookups": [list(x) for x in answer.lookups],
        }
        value["seen"] = seen(value["part"])
    except TypeError:
        return  # a finding with data that can't be kept is worked out again
    memory.put(key, value)


class _Inspector:
    def __init__(self, desk: Desk, memory: Memory, jobs: int, told: list[Problem], progress: Progress) -> None:
        self.desk, self.memory, self.jobs, self.told, self.progress = desk, memory, jobs, told, progress
        self.depend = Dependencies(desk.project) if memory.active else None

    # -- steps on files -------------------------------------------------------------------------------

    def names(self) -> dict[str, Answer]:
        """The check of JAX names, by path: it depends on what a module imports, all the way down."""

        def key(path: str) -> str:
            assert self.depend is not None
            return keys.digest("names", path, repr(self.desk.target_of(path)), self.depend.below(path))

        return self._on_files("names", key)

    def tolerances(self) -> dict[str, Answer]:
        """The check of tolerances, by path: it depends on what a module imports too, and on test settings."""

        def key(path: str) -> str:
            assert self.depend is not None
            around = self.depend.around(self.desk.modules[path])
            return keys.digest("tolerance", path, self.depend.below(path), around)

        return self._on_files("tolerance", key)

    def _on_files(self, step: str, key: Callable[[str], str]) -> dict[str, Answer]:
        answers: dict[str, Answer] = {}
        named = {path: key(path) for path in self.desk.modules} if self.depend is not None else {}
        for path, name in named.items():
            known = _read(self.memory.get(name))
            if known is not None:
                answers[path] = known
        missing = [path for path in self.desk.modules if path not in answers]
        done = self._share([(step, path) for path in missing], missing)
        for path, answer in zip(missing, done, strict=True):
            answers[path] = answer
            if path in named:
                _write(self.memory, named[path], answer)
        return answers

    def _share(self, tasks: Sequence[Task], paths: Iterable[str]) -> list[Answer]:
        lines = sum(self.desk.modules[p].source.text.count("\n") for p in paths)
        jobs = self.jobs if lines >= WORTHWHILE else 1
        if jobs > 1:
            self.progress("checking", 0, 0)
            return crew.share(self.desk, tasks, jobs, self.told)
        out: list[Answer] = []
        for n, task in enumerate(tasks):
            self.progress("checking", n, len(tasks))
            out.append(self.desk.do(task))
        return out

    # -- the analysis -----------------------------------------------------------------------------------

    def analyse(self, out: Inspection) -> None:
        """The parts of the analysis, put together."""
        self.progress("importing", 0, 0)

        def begin() -> list[Finding]:
            self.desk.open()
            return []

        answer = attempt("the analysis", None, begin)
        if self.desk.session is None or answer.failed:
            out.problems += answer.problems
            return
        from omnilint.analysis.session import merged

        session = self.desk.session
        if self.depend is not None:
            self.depend.learn(session)
        try:
            every = range(len(session.groups))
            own = self._parts([("own", i) for i in every])
            uncalled = session.uncalled(a.part for a in own if a.part)
            generic = self._parts([("generic", key) for key in uncalled])
            traced = {name for a in (*own, *generic) if a.part for name in a.part.traced}
            conditional = self._parts([("conditional", i, self._relevant(i, traced)) for i in every])
        finally:
            self.desk.close()
        for answer in (*own, *generic, *conditional):
            out.problems += answer.problems
        by_key = {key: a.part for key, a in zip(uncalled, generic, strict=True) if a.part}
        analysis = merged(session.imports, _those(own), by_key, _those(conditional))
        out.cut_short = [p for p in analysis.problems if p.kind == "budget"]
        out.problems += [p for p in analysis.problems if p.kind != "budget"]
        out.findings += [*analysis.findings, *map(problems.cut_short, out.cut_short)]
        out.functions, out.traced = analysis.functions, analysis.traced

    def _relevant(self, i: int, traced: set[str]) -> tuple[str, ...]:
        assert self.desk.session is not None
        paths = {m.path for m in self.desk.session.groups[i]}
        names = (f"{m.path}:{d.qualname}" for m, d in self.desk.session.work.conditional if m.path in paths)
        return tuple(sorted(traced.intersection(names)))

    def _parts(self, tasks: Sequence[Task]) -> list[Answer]:
        answers: dict[int, Answer] = {}
        named: dict[int, str] = {}
        starts = {n: self._starts(task) for n, task in enumerate(tasks)}
        for n, task in enumerate(tasks):
            if self.depend is not None:
                told = (*task[:1], *task[2:], self.desk.options.releases)
                named[n] = keys.digest(*told, self.depend.work(task, starts[n]))
                known = _read(self.depend.today(starts[n], self.memory.get(named[n])))
                if known is not None:
                    answers[n] = known
        missing = [n for n in range(len(tasks)) if n not in answers]
        paths = {p for n in missing for p in starts[n]}
        for n, answer in zip(missing, self._share([tasks[n] for n in missing], paths), strict=True):
            answers[n] = answer
            if self.depend is not None and answer.part is not None:
                _write(self.memory, named[n], answer, partial(self.depend.seen, starts[n], answer.part, answer.lookups))
        return [answers[n] for n in range(len(tasks))]

    def _starts(self, task: Task) -> list[str]:
        session = self.desk.session
        assert session is not None
        return [task[1].rpartition(":")[0]] if task[0] == "generic" else [m.path for m in session.groups[task[1]]]


def _those(answers: Iterable[Answer]) -> list[Part]:
    return [a.part for a in answers if a.part]
