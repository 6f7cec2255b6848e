"""What an answer about one file depends on in other files, as hashes that change when any of it does."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from omnilint.cache import keys, records
from omnilint.cache.around import files_around
from omnilint.cache.layout import FACE, Layout, layout
from omnilint.index import imports
from omnilint.index.module import ModuleIndex
from omnilint.index.project import Project, file_of
from omnilint.sources.notebook import Notebook

if TYPE_CHECKING:
    from omnilint.analysis.session import Part, Session
    from omnilint.desk import Lookup, Task


class Dependencies:
    """The modules of a run by content, and the ways from one to another."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._own = {
            m.path: keys.digest(keys.of_source(m.source), m.name, m.package, m.is_package, project.root_of(m))
            for m in project.modules()
        }
        self._imports = {path: set(named.values()) for path, named in imports.edges(project).items()}
        self._reads: dict[str, set[str]] = {}
        self._around: dict[str, str] = {}
        self._closures: dict[tuple[int, tuple[str, ...]], str] = {}
        self._plan: dict[str, Any] = {}
        self._by_path = {m.path: m for m in project.modules()}
        self._layouts: dict[str, Layout] = {}
        self._faces: dict[str, str] = {}
        self._entered: dict[str, list[int]] = {}

    def own(self, path: str) -> str:
        """The module itself: its text, and the names that it goes by."""
        return self._own[path]

    def below(self, path: str) -> str:
        """The module and all that it can reach by import."""
        return self._closure(self._imports, [path])

    def around(self, module: ModuleIndex) -> str:
        """The test settings and conftest files that apply to a module."""
        folder = os.path.dirname(file_of(module.source))
        if folder not in self._around:
            own = []
            for file in files_around([folder]):
                there = self._project.by_file.get(file)
                if os.path.basename(file) == "__init__.py":
                    own.append(file)  # that it is there is all that counts
                elif there is not None:
                    own.append(self.below(there.path))
                else:
                    own.append(keys.of_files([file]))
            self._around[folder] = keys.digest(own)
        return self._around[folder]

    # -- the analysis -----------------------------------------------------------------------------------

    def learn(self, session: Session) -> None:
        """Take in which modules a module's top level reads, and which write to what is its."""
        ledger = session.it.ledger
        for path, asked in ledger.asked.items():
            self._reads.setdefault(path, set()).update(m.path for m in asked.values() if m is not None)
        for path, writers in ledger.touched.items():
            self._reads.setdefault(path, set()).update(writers)
        self._entered = _by_path(session.imports.looked_at)
        for name in ("hosts", "assumed", "conditional"):
            for m, d in getattr(session.work, name):
                self._plan.setdefault(m.path, []).append((name, d.qualname))

    def work(self, task: Task, starts: Sequence[str]) -> str:
        """What a part of the analysis is asked to do."""
        which = task[1] if task[0] == "generic" else [(path, self._plan.get(path)) for path in starts]
        return keys.digest(which)

    def seen(self, starts: Sequence[str], part: Part, lookups: Sequence[Lookup], record: Any) -> dict[str, Any]:
        """What an answer of the analysis was found by: kept with it, and asked of `today` the next time."""
        bodies = {path: sorted(self._layout(path).numbers(lines)) for path, lines in _by_path(part.looked_at).items()}
        told = {path for path in records.paths(record) if path in self._by_path}
        return {
            "bodies": bodies,
            "state": self._reached(starts, lookups, bodies),
            "lines": {path: [self._own[path], self._layout(path).runs()] for path in sorted(told)},
        }

    def today(self, starts: Sequence[str], value: Any) -> Mapping[str, Any] | None:
        """An answer that was kept, in today's lines; None when it may be another one today, and for what is none."""
        try:
            return None if value is None else self._today(starts, value)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            return None

    def _today(self, starts: Sequence[str], value: Mapping[str, Any]) -> Mapping[str, Any] | None:
        seen, bodies = value["seen"], value["seen"]["bodies"]
        if not self._own.keys() >= bodies.keys() | seen["lines"].keys():
            return None
        lookups = [(root, dotted, path) for root, dotted, path in value["lookups"]]
        if seen["state"] != self._reached(starts, lookups, bodies):
            return None
        stale = {path: runs for path, (own, runs) in seen["lines"].items() if own != self._own[path]}
        if not stale:
            return value
        visible = {path: self._visible(path, bodies.get(path, ())) for path in stale}

        def today(path: str, line: int) -> int | None:
            if path not in stale:
                return line
            return self._layout(path).moved(line, stale[path], visible[path])

        part = records.at_lines(value["part"], today)
        return None if part is None else {**value, "part": part}

    def _reached(self, starts: Sequence[str], lookups: Sequence[Lookup], bodies: Mapping[str, Sequence[int]]) -> str:
        """All that a part can have seen: its modules, what it followed imports to, what these read, what it entered."""
        found = [(root, dotted, self._project.find_from(root, dotted)) for root, dotted, _ in lookups]
        ways = sorted((root, dotted, None if m is None else m.path) for root, dotted, m in found)
        near = self._near(self._reads, [*starts, *(m.path for _, _, m in found if m is not None)])
        faces = sorted((path, self._face(path)) for path in near)
        return keys.digest(ways, faces, [(path, self._layout(path).inside(bodies[path])) for path in sorted(bodies)])

    def _layout(self, path: str) -> Layout:
        if path not in self._layouts:
            self._layouts[path] = layout(self._by_path[path])
        return self._layouts[path]

    def _face(self, path: str) -> str:
        if path not in self._faces:
            m = self._by_path[path]
            cells = self._own[path] if isinstance(m.source, Notebook) else None
            names = (m.name, m.package, m.is_package, self._project.root_of(m), m.source.file, m.source.kind, cells)
            self._faces[path] = keys.digest(names, self._layout(path).face(self._entered.get(path, ())))
        return self._faces[path]

    def _visible(self, path: str, bodies: Iterable[int]) -> set[int]:
        """The parts of a module that are as they were when an answer holds."""
        return {FACE, *bodies, *self._layout(path).numbers(self._entered.get(path, ()))}

    def _closure(self, ways: Mapping[str, set[str]], starts: Iterable[str]) -> str:
        begin = tuple(sorted(set(starts)))
        key = (id(ways), begin)
        if key not in self._closures:
            self._closures[key] = keys.digest(sorted((path, self._own[path]) for path in self._near(ways, begin)))
        return self._closures[key]

    @staticmethod
    def _near(ways: Mapping[str, set[str]], starts: Iterable[str]) -> set[str]:
        seen = set(starts)
        left = list(seen)
        while left:
            fresh = ways.get(left.pop(), set()) - seen
            seen |= fresh
            left += fresh
        return seen


def _by_path(marks: Iterable[tuple[str, int]]) -> dict[str, list[int]]:
    out: dict[str, list[int]] = {}
    for path, line in marks:
        out.setdefault(path, []).append(line)
    return out
