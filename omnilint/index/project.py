"""The modules of one run and how they import each other: src layouts, packages, scripts, namespaces."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from omnilint.index.module import ModuleIndex, index_module
from omnilint.model import Source

_LIBRARIES = frozenset(sys.stdlib_module_names) | {"numpy", "scipy", "jaxlib"}


def module_identity(file: str, exists: set[str]) -> tuple[str, str, str, bool]:
    """(import root folder, dotted name, package, is package) of a file, by the `__init__.py` beside it.

    `exists` holds the absolute paths of the files of the run, so that no other file is looked at.
    """
    folder, base = os.path.split(file)
    stem = base.rsplit(".", 1)[0]
    parts: list[str] = []
    while os.path.join(folder, "__init__.py") in exists or os.path.exists(os.path.join(folder, "__init__.py")):
        parent, leaf = os.path.split(folder)
        if parent == folder:
            break
        parts.insert(0, leaf)
        folder = parent
    package = ".".join(parts)
    if stem == "__init__":
        return folder, package or stem, package, True
    return folder, ".".join([*parts, stem]), package, False


def file_of(source: Source) -> str:
    """The absolute path that a source stands for, whether it was read from there or not."""
    return source.file or os.path.abspath(source.path)


def _above(root: str, dotted: str) -> Iterator[str]:
    """Folders that hold a package without `__init__.py` that a file below `root` may name."""
    first = dotted.partition(".")[0]
    folder, leaf = os.path.split(root)
    while leaf:
        if leaf == first:
            yield folder
        folder, leaf = os.path.split(folder)


@dataclass(slots=True)
class Project:
    """All indexed modules of a run, found by file and by import from another module.

    `kept` is for what a later step works out of a module once, under the step's name and the module's path.
    """

    by_file: dict[str, ModuleIndex] = field(default_factory=dict)
    roots: dict[str, str] = field(default_factory=dict)
    kept: dict[tuple[str, str], Any] = field(default_factory=dict)
    asked: dict[tuple[str, str], ModuleIndex | None] | None = None
    _cache: dict[tuple[str, str], ModuleIndex | None] = field(default_factory=dict)

    def add(self, source: Source, exists: set[str]) -> ModuleIndex:
        """Index `source` as a module of the project; raises what `index_module` raises."""
        file = file_of(source)
        root, name, package, is_package = module_identity(file, exists)
        module = index_module(source, name, package, is_package)
        self.insert(module, root)
        return module

    def insert(self, module: ModuleIndex, root: str) -> None:
        """Take in a module whose import root is known."""
        file = file_of(module.source)
        self.by_file[file] = module
        self.roots[file] = root

    @contextmanager
    def recording(self) -> Iterator[dict[tuple[str, str], ModuleIndex | None]]:
        """Note what is asked for in here: (import root, dotted name) → the module that was found."""
        before, self.asked = self.asked, {}
        try:
            yield self.asked
        finally:
            self.asked = before

    def modules(self) -> Iterator[ModuleIndex]:
        """All modules, in the order in which they were added."""
        yield from self.by_file.values()

    def root_of(self, module: ModuleIndex) -> str:
        """The folder that must be on `sys.path` for `module.name` to be importable."""
        return self.roots[file_of(module.source)]

    def find(self, importer: ModuleIndex, dotted: str) -> ModuleIndex | None:
        """The module of this run that `import dotted` inside `importer` would load, if it is one."""
        return self.find_from(self.root_of(importer), dotted)

    def find_from(self, root: str, dotted: str) -> ModuleIndex | None:
        """The module that `import dotted` would load in a module of this import root."""
        key = (root, dotted)
        if key not in self._cache:
            installed = self._is_installed(root, dotted.partition(".")[0])
            roots = [root, *self._other_roots(root), *_above(root, dotted)]
            self._cache[key] = None if installed else self._search(roots, dotted)
        if self.asked is not None:
            self.asked[key] = self._cache[key]
        return self._cache[key]

    def _is_installed(self, root: str, name: str) -> bool:
        """A folder that happens to be called like a library doesn't stand for it."""
        if name == "jax":
            own = (os.path.join(root, "jax", "numpy", "__init__.py"), os.path.join(root, "jax", "numpy.py"))
            return not any(file in self.by_file for file in own)
        return name in _LIBRARIES

    def _other_roots(self, first: str) -> Iterable[str]:
        seen = {first}
        for root in self.roots.values():
            if root not in seen:
                seen.add(root)
                yield root

    def _search(self, roots: Iterable[str], dotted: str) -> ModuleIndex | None:
        tail = dotted.replace(".", os.sep)
        if not tail:
            return None
        for i, root in enumerate(roots):
            for candidate in (os.path.join(root, tail, "__init__.py"), os.path.join(root, tail + ".py")):
                found = self.by_file.get(candidate)
                # A single-word module of a foreign root is a script beside other scripts, not an import.
                if found is not None and (i == 0 or found.is_package or "." in dotted):
                    return found
        return None
