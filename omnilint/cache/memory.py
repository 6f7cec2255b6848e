"""What earlier runs in this folder found out, piece by piece, and what this run adds to it."""

from __future__ import annotations

import os
import time
from typing import Any

from omnilint.analysis.tables import extension
from omnilint.cache import keys
from omnilint.cache.store import DAYS, Store
from omnilint.index.module import ModuleIndex, index_module
from omnilint.index.outline import Outline, imported
from omnilint.index.project import Project, file_of, module_identity
from omnilint.model import Source

_DAY = 86_400


class Memory:
    """Answers by key; without a store it remembers nothing. An answer that nobody asks for is dropped after a month."""

    def __init__(self, store: Store | None) -> None:
        self._store = store
        self._today = int(time.time() // _DAY)
        self._entries: dict[str, list[Any]] = {}
        self._changed = False
        self._name = ""
        if store is not None:
            self._name = "parts-" + keys.digest(keys.salt(), os.getcwd(), extension())
            found = (store.get(self._name) or {}).get("entries")
            if isinstance(found, dict):
                self._entries = {k: v for k, v in found.items() if isinstance(v, list) and len(v) == 2}

    @property
    def active(self) -> bool:
        """Whether anything is kept at all."""
        return self._store is not None

    def get(self, key: str) -> Any:
        """What was put under the key, None for nothing."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        if entry[0] != self._today:
            entry[0] = self._today
            self._changed = True
        return entry[1]

    def put(self, key: str, value: Any) -> None:
        """Keep an answer, which must be JSON."""
        if self._store is not None:
            self._entries[key] = [self._today, value]
            self._changed = True

    def save(self) -> None:
        """Write what is new."""
        if self._store is None or not self._changed:
            return
        fresh = {k: v for k, v in self._entries.items() if isinstance(v[0], int) and self._today - v[0] < DAYS}
        self._store.put(self._name, {"entries": fresh})
        self._store.prune()


def outlined(project: Project, source: Source, exists: set[str], memory: Memory) -> ModuleIndex:
    """The module of a source, taken in by the project; raises what indexing raises.

    When its imports are known from an earlier run, it is parsed only when somebody needs more.
    """
    if not memory.active:
        return project.add(source, exists)
    root, name, package, is_package = module_identity(file_of(source), exists)
    key = keys.digest("outline", keys.of_source(source), name, package, is_package)
    known = memory.get(key)
    try:
        module: ModuleIndex = Outline(source, name, package, is_package, known)
    except (KeyError, TypeError, ValueError):
        module = index_module(source, name, package, is_package)
        memory.put(key, imported(module))
    project.insert(module, root)
    return module
