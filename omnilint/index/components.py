"""Which modules of a run can have to do with each other: what no import connects is analysed apart."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from omnilint.index.module import ModuleIndex
from omnilint.index.project import Project

Edges = dict[str, dict[str, str]]


def edges(project: Project) -> Edges:
    """For each module (by path), the dotted names that it imports and the modules of the run that these name.

    Importing `a.b.c` names `a` and `a.b` too; a package names all that lies below it, which may be
    reached as an attribute without an import in sight.
    """
    below = _by_package(project)
    return {m.path: dict(_named(project, m, below)) for m in project.modules()}


def _named(
    project: Project, module: ModuleIndex, below: dict[tuple[str, str], list[ModuleIndex]]
) -> Iterator[tuple[str, str]]:
    root = project.root_of(module)
    asked: set[str] = set()
    for dotted in {*module.imports.values(), *module.stars}:
        parts = dotted.split(".")
        asked.update(sys.intern(".".join(parts[:i])) for i in range(1, len(parts) + 1))
    for dotted in sorted(asked):
        found = project.find_from(root, dotted)
        if found is not None:
            yield dotted, found.path
        else:  # a folder without `__init__.py`
            for child in below.get((root, dotted), ()):
                yield f"{dotted}.*{child.path}", child.path
    if module.is_package:
        for child in below.get((root, module.name), ()):
            yield f"{child.name}.*{child.path}", child.path


def _by_package(project: Project) -> dict[tuple[str, str], list[ModuleIndex]]:
    """Modules by (import root, dotted name of the folder that they lie in)."""
    out: dict[tuple[str, str], list[ModuleIndex]] = {}
    for m in project.modules():
        root = project.root_of(m)
        parent = m.name.rpartition(".")[0]
        if parent:
            out.setdefault((root, parent), []).append(m)
    return out


def components(project: Project, named: Edges) -> list[list[ModuleIndex]]:
    """The modules of the run in groups that no import connects, each in the order of the run."""
    leader: dict[str, str] = {m.path: m.path for m in project.modules()}

    def find(path: str) -> str:
        while leader[path] != path:
            leader[path] = leader[leader[path]]
            path = leader[path]
        return path

    for path, targets in named.items():
        for target in targets.values():
            leader[find(target)] = find(path)
    groups: dict[str, list[ModuleIndex]] = {}
    for m in project.modules():
        groups.setdefault(find(m.path), []).append(m)
    return list(groups.values())
