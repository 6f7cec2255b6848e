"""Which modules of a run import which, in all the ways that there are."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from omnilint.index.module import ModuleIndex
from omnilint.index.project import Project

Edges = dict[str, dict[str, str]]


def edges(project: Project) -> Edges:
    """For each module (by path), the dotted names that it imports and the modules of the run that these name.

    Importing `a.b.c` names `a` and `a.b` too; a package names what lies below it and is imported by anybody:
    that may be reached as an attribute without an import in sight.
    """
    named = {m.path: dict(_named(project, m)) for m in project.modules()}
    imported = {path for targets in named.values() for path in targets.values()}
    below = _by_package(project)
    for m in project.modules():
        root = project.root_of(m)
        folders = {m.name} if m.is_package else set()
        folders |= {dotted for dotted in _asked(m) if dotted not in named[m.path]}  # without `__init__.py`
        for folder in folders:
            for child in below.get((root, folder), ()):
                if child.path in imported:
                    named[m.path][f"{folder}.*{child.path}"] = child.path
    return named


def _named(project: Project, module: ModuleIndex) -> Iterator[tuple[str, str]]:
    root = project.root_of(module)
    for dotted in sorted(_asked(module)):
        found = project.find_from(root, dotted)
        if found is not None:
            yield dotted, found.path


def _asked(module: ModuleIndex) -> set[str]:
    asked: set[str] = set()
    for dotted in {*module.imports.values(), *module.stars}:
        parts = dotted.split(".")
        asked.update(sys.intern(".".join(parts[:i])) for i in range(1, len(parts) + 1))
    return asked


def _by_package(project: Project) -> dict[tuple[str, str], list[ModuleIndex]]:
    """Modules by (import root, dotted name of the folder that they lie in)."""
    out: dict[tuple[str, str], list[ModuleIndex]] = {}
    for m in project.modules():
        root = project.root_of(m)
        parent = m.name.rpartition(".")[0]
        if parent:
            out.setdefault((root, parent), []).append(m)
    return out
