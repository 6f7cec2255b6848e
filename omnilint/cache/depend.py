"""What an answer about one file depends on in other files, as hashes that change when any of it does."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from omnilint.cache import keys
from omnilint.cache.around import files_around
from omnilint.index import imports
from omnilint.index.module import ModuleIndex
from omnilint.index.project import Project, file_of

if TYPE_CHECKING:
    from omnilint.analysis.session import Session
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

    def own(self, path: str) -> str:
        """The module itself: its text, and the names that it goes by."""
        return self._own[path]

    def below(self, path: str) -> str:
        """The module and all that it can reach by import."""
        return self._closure(self._imports, [path])

    def found(self, lookups: Iterable[Lookup]) -> str:
        """What these imports lead to today."""
        out = []
        for root, dotted, _ in sorted(lookups, key=lambda x: x[:2]):
            module = self._project.find_from(root, dotted)
            out.append((root, dotted, None if module is None else self._own[module.path]))
        return keys.digest(out)

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
        for name in ("hosts", "assumed", "conditional"):
            for m, d in getattr(session.work, name):
                self._plan.setdefault(m.path, []).append((name, d.qualname))

    def work(self, task: Task, starts: Sequence[str]) -> str:
        """What a part of the analysis is asked to do."""
        which = task[1] if task[0] == "generic" else [(path, self._plan.get(path)) for path in starts]
        return keys.digest(which)

    def reached(self, starts: Sequence[str], lookups: Sequence[Lookup]) -> str:
        """All that a part can have seen: its modules, what it followed imports to, and what these read."""
        found = [self._project.find_from(root, dotted) for root, dotted, _ in lookups]
        return keys.digest(
            self.found(lookups), self._closure(self._reads, [*starts, *(m.path for m in found if m is not None)])
        )

    def _closure(self, ways: Mapping[str, set[str]], starts: Iterable[str]) -> str:
        begin = tuple(sorted(set(starts)))
        key = (id(ways), begin)
        if key not in self._closures:
            seen, left = set(begin), list(begin)
            while left:
                fresh = ways.get(left.pop(), set()) - seen
                seen |= fresh
                left += fresh
            self._closures[key] = keys.digest(sorted((path, self._own[path]) for path in seen))
        return self._closures[key]
