"""One run of the analysis in parts: each starts from the modules as their imports leave them, none sees another.

A part is about the modules of one folder: they share what they call, and what was worked out for one serves the next.

So a part can be kept, or worked out in another process, and the order of the parts doesn't matter.
What one part must know of the others is said in facts: which transformed functions somebody calls,
and which functions somebody traces.
"""

from __future__ import annotations

import gc
import os
import sys
import time
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import TracebackType

from omnilint.analysis import engine, roots
from omnilint.analysis.code import looked_at
from omnilint.analysis.definitions import ClassVal, Transformed
from omnilint.analysis.engine import Analysis
from omnilint.analysis.interp import Interp
from omnilint.analysis.ledger import Asked
from omnilint.analysis.modules import ModuleState, state_of
from omnilint.analysis.objects import find
from omnilint.analysis.options import AnalysisOptions
from omnilint.hazards.claim import Draft
from omnilint.index.module import ModuleIndex
from omnilint.index.project import Project
from omnilint.model import Problem

# Modules of one part, at most: fewer are checked again when one of them changes, more are checked faster together.
TOGETHER = 16
Group = tuple[ModuleIndex, ...]


@dataclass
class Part:
    """What one part brought to light.

    `called` are the keys of the transformed functions of module level that it calls, `traced` the names of the
    functions that it traces, `entered` and `staged` numbers that stand for the functions it entered and traced,
    `asked` the imports that it followed, `looked_at` the functions whose code it saw (see `analysis.code`).
    """

    drafts: list[Draft] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    spent: list[tuple[str, str]] = field(default_factory=list)
    called: list[str] = field(default_factory=list)
    traced: list[str] = field(default_factory=list)
    entered: list[int] = field(default_factory=list)
    staged: list[int] = field(default_factory=list)
    asked: Asked = field(default_factory=dict)
    looked_at: list[tuple[str, int]] = field(default_factory=list)


class Session:
    """The analysis of a project's modules; within its `with` block parts can be asked for in any order."""

    def __init__(self, project: Project, options: AnalysisOptions) -> None:
        self.project = project
        self.options = options
        self.imports = Part()
        self.made: dict[str, Transformed] = {}
        self._collecting = False

    def __enter__(self) -> Session:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 12_000))
        self._collecting = gc.isenabled()
        gc.disable()  # what the analysis builds lives until it ends: looking for garbage cost a fifth of its time
        self.it = Interp(self.project)
        self.it.releases = self.options.releases
        if self.options.seconds is not None:
            self.it.deadline = time.process_time() + self.options.seconds
        self.work = roots.plan(self.project, self.options)
        self.groups = list(groups(self.work.modules))
        self._names = {f"{m.path}:{d.qualname}" for m, d in self.work.conditional}
        self._import()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._collecting:
            gc.enable()

    # -- parts --------------------------------------------------------------------------------------

    def own(self, group: Group) -> Part:
        """What the functions of these modules do, called from the outside."""
        it, paths = self.it, {m.path for m in group}

        def run(problems: list[Problem]) -> None:
            for m, d in self.work.hosts:
                if m.path in paths:
                    engine.attempt(it, problems, m.path, partial(engine.host, it, state_of(it, m), d.qualname))
            done = len(self.made)
            while done < len(it.transformed):
                made = it.transformed[done]
                done += 1
                if not made.met and made.kind != "plain":
                    engine.attempt(it, problems, made.links[0].unit.module.path, partial(engine.enter, it, made))
            for m, d in self.work.assumed:
                if m.path in paths:
                    assumed = partial(engine.assumed, it, state_of(it, m), d.qualname, False)
                    engine.attempt(it, problems, m.path, assumed)

        return self._part(run)

    def uncalled(self, parts: Iterable[Part]) -> list[str]:
        """Keys of the transformed functions that none of these parts calls."""
        called = {key for part in parts for key in part.called}
        return [key for key, made in self.made.items() if key not in called and made.kind != "plain"]

    def generic(self, key: str) -> Part:
        """What a transformed function that nobody calls does when it is called."""
        made = self.made[key]
        where = made.links[0].unit.module.path
        part = self._part(
            lambda problems: engine.attempt(self.it, problems, where, partial(engine.enter, self.it, made))
        )
        part.called = [other for other in part.called if other != key]
        return part

    def conditional(self, group: Group, traced: Collection[str]) -> Part:
        """What would go wrong in the functions of these modules but for those in `traced`, which somebody traces."""
        it, paths = self.it, {m.path for m in group}

        def run(problems: list[Problem]) -> None:
            for m, d in self.work.conditional:
                if m.path in paths and f"{m.path}:{d.qualname}" not in traced:
                    assumed = partial(engine.assumed, it, state_of(it, m), d.qualname, True)
                    engine.attempt(it, problems, m.path, assumed)

        return self._part(run)

    def _part(self, run: Callable[[list[Problem]], None]) -> Part:
        it = self.it
        part = Part()
        looked_at.clear()
        try:
            with self.project.recording() as part.asked:
                run(part.problems)
            self._collect(part)
            part.called = [key for key, made in self.made.items() if made.met]
            part.looked_at = sorted(looked_at)
        finally:
            it.ledger.restore(it)
        return part

    def _collect(self, part: Part) -> None:
        from omnilint.hazards.from_events import drafts_of

        it = self.it
        part.drafts = drafts_of(it)
        part.spent = sorted(set(it.spent))
        traced = {f"{c.module.path}:{c.qualname}" for c in it.traced_codes}
        entered = {f"{c.module.path}:{c.qualname}" for c in it.entered}
        part.traced = sorted(traced & self._names)
        part.entered = sorted({zlib.crc32(name.encode("utf-8", "surrogatepass")) for name in entered})
        part.staged = sorted({zlib.crc32(name.encode("utf-8", "surrogatepass")) for name in traced})

    # -- imports ------------------------------------------------------------------------------------

    def _import(self) -> None:
        """Run every module's top level, and all that its classes put off."""
        it, problems = self.it, self.imports.problems
        looked_at.clear()
        for m in self.work.modules:
            engine.attempt(it, problems, m.path, partial(state_of(it, m).get, ""))
        done = 0
        while done < len(it.modules):
            state = list(it.modules.values())[done]
            done += 1
            engine.attempt(it, problems, state.index.path, partial(state.get, ""))
            for value in list(state.scope.vars.values()):
                if isinstance(value, ClassVal) and value.state is state:
                    self._complete(state, value)
        self._collect(self.imports)
        self.imports.looked_at = sorted(looked_at)
        it.ledger.settle(it)
        numbers: dict[str, int] = {}
        for path, made in it.ledger.made:
            numbers[path] = numbers.get(path, 0) + 1
            self.made[f"{path}:{numbers[path]}"] = made
        it.ledger.restore(it)

    def _complete(self, state: ModuleState, cls: ClassVal) -> None:
        it, path = self.it, state.index.path
        for name in list(cls.lazy):
            it.ledger.begin(it, path, state.scope)
            engine.attempt(it, self.imports.problems, path, partial(find, cls, name))
            it.ledger.end(it)
            inner = cls.attrs.get(name)
            if isinstance(inner, ClassVal) and inner.state is state:
                self._complete(state, inner)


def groups(modules: Iterable[ModuleIndex]) -> Iterator[Group]:
    """Modules by folder, not too many at a time."""
    folders: dict[str, list[ModuleIndex]] = {}
    for m in modules:
        folders.setdefault(os.path.dirname(m.path), []).append(m)
    for members in folders.values():
        for i in range(0, len(members), TOGETHER):
            yield tuple(members[i : i + TOGETHER])


def merged(imports: Part, own: Iterable[Part], generic: Mapping[str, Part], conditional: Iterable[Part]) -> Analysis:
    """The parts as one answer, whatever their order of completion was."""
    from omnilint.hazards.from_events import findings_from

    parts = [imports, *own, *(generic[key] for key in _kept(generic)), *conditional]
    out = Analysis(findings_from(draft for part in parts for draft in part.drafts))
    told = dict.fromkeys(p for part in parts for p in part.problems)
    spent = sorted({place for part in parts for place in part.spent})
    stopped = (Problem("budget", f"analysis of `{name}` stopped at its budget", path) for path, name in spent)
    out.problems = list(dict.fromkeys((*told, *stopped)))
    out.functions = len({number for part in parts for number in part.entered})
    out.traced = len({number for part in parts for number in part.staged})
    return out


def _kept(generic: Mapping[str, Part]) -> list[str]:
    """A transformed function that another one calls has a caller after all; of two that call each other, the first."""
    order = {key: n for n, key in enumerate(generic)}
    callers: dict[str, set[str]] = {}
    for key, part in generic.items():
        for other in part.called:
            callers.setdefault(other, set()).add(key)
    return [
        key
        for key in generic
        if not any(order[caller] < order[key] or key not in callers.get(caller, ()) for caller in callers.get(key, ()))
    ]
