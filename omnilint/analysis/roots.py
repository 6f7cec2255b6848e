"""Where the analysis starts: modules that have to do with JAX, and the functions worth entering."""

from __future__ import annotations

import ast
import fnmatch
from dataclasses import dataclass, field

from omnilint.analysis import tables
from omnilint.analysis.options import AnalysisOptions
from omnilint.index.module import Definition, ModuleIndex
from omnilint.index.project import Project

_SHAPE_WORDS = frozenset(("shape", "ndim", "size", "len"))


@dataclass(slots=True)
class Work:
    """What to run: module top levels, host functions, decorated functions, functions taken as traced."""

    modules: list[ModuleIndex] = field(default_factory=list)
    hosts: list[tuple[ModuleIndex, Definition]] = field(default_factory=list)
    decorated: list[tuple[ModuleIndex, Definition]] = field(default_factory=list)
    assumed: list[tuple[ModuleIndex, Definition]] = field(default_factory=list)
    conditional: list[tuple[ModuleIndex, Definition]] = field(default_factory=list)


def jax_modules(project: Project) -> list[ModuleIndex]:
    """Modules that import JAX, a library on top of it, or a module of the run that does."""
    modules = list(project.modules())
    chosen = {m.path for m in modules if m.roots & tables.jax_roots()}
    imports = {m.path: _imported(project, m) for m in modules}
    grew = True
    while grew:
        grew = False
        for m in modules:
            if m.path not in chosen and any(path in chosen for path in imports[m.path]):
                chosen.add(m.path)
                grew = True
    return [m for m in modules if m.path in chosen]


def _imported(project: Project, module: ModuleIndex) -> set[str]:
    out: set[str] = set()
    for dotted in {*module.imports.values(), *module.stars}:
        for name in (dotted, dotted.rpartition(".")[0]):
            found = project.find(module, name) if name else None
            if found is not None:
                out.add(found.path)
    return out


def plan(project: Project, options: AnalysisOptions) -> Work:
    """Choose the functions to enter."""
    work = Work(modules=jax_modules(project))
    tracing = _tracing_names(project, work.modules)
    for m in work.modules:
        words = tables.transform_words() | tracing[m.path]
        assumed = any(_matches(m.path, glob) for glob in options.assume_traced)
        kernels = _kernels(m)
        for d in m.definitions.values():
            if d.in_function or isinstance(d.node, ast.ClassDef) or "@" in d.qualname or _is_meant_to_fail(d):
                continue
            if d.qualname in kernels:
                continue  # it gets references, from nobody but its kernel call
            if d.node.decorator_list:
                work.decorated.append((m, d))
            mentions = d.identifiers & words
            if mentions:
                work.hosts.append((m, d))
            public = not d.node.name.startswith("_") or d.node.name == "__call__"
            if assumed and public and not _in_tests(m):
                work.assumed.append((m, d))
            elif d.identifiers & _SHAPE_WORDS and not mentions and not _is_test(m, d) and d.node.name != "__init__":
                work.conditional.append((m, d))
    return work


def _kernels(m: ModuleIndex) -> set[str]:
    """Names of what the module makes kernels of, itself or below a partial of its own name."""
    if "pallas_call" not in m.identifiers:
        return set()
    names: set[str] = set()
    assigned: list[tuple[str, ast.expr]] = []
    for node in ast.walk(m.tree):
        if isinstance(node, ast.Call) and node.args and ast.unparse(node.func).endswith("pallas_call"):
            names |= _names(node.args[0])
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            assigned.append((node.targets[0].id, node.value))
    for name, value in assigned:
        if name in names and isinstance(value, ast.Call):
            names |= _names(value)
    return names


def _names(node: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _is_meant_to_fail(d: Definition) -> bool:
    return any("xfail" in (t := ast.unparse(x)) or "expectedFailure" in t for x in d.node.decorator_list)


def _is_test(m: ModuleIndex, d: Definition) -> bool:
    return d.node.name.startswith(("test", "trigger", "main")) or "test" in m.path.rpartition("/")[2]


def _in_tests(m: ModuleIndex) -> bool:
    """Is it a module of tests? Nobody traces these."""
    *folders, file = m.path.replace("\\", "/").split("/")
    stem = file.partition(".")[0]
    return stem.startswith("test_") or stem.endswith("_test") or stem == "conftest" or "tests" in folders


def _matches(path: str, glob: str) -> bool:
    if glob in (".", "./", "*", "**"):
        return True
    glob = glob.rstrip("/")
    return fnmatch.fnmatch(path, glob) or fnmatch.fnmatch(path, glob + "/*") or fnmatch.fnmatch(path, "*/" + glob)


def _assigned(m: ModuleIndex) -> dict[str, set[str]]:
    """Names that the module's top level assigns, with what the values mention."""
    out: dict[str, set[str]] = {}
    for s in m.tree.body:
        if not isinstance(s, (ast.Assign, ast.AnnAssign)) or s.value is None or isinstance(s.value, ast.Constant):
            continue
        mentions = {n.id for n in ast.walk(s.value) if isinstance(n, ast.Name)}
        mentions |= {n.attr for n in ast.walk(s.value) if isinstance(n, ast.Attribute)}
        for t in s.targets if isinstance(s, ast.Assign) else [s.target]:
            if isinstance(t, ast.Name):
                out[t.id] = mentions
    return out


def _tracing_names(project: Project, modules: list[ModuleIndex]) -> dict[str, set[str]]:
    """For each module, the names of its own and imported functions and classes that apply transforms."""
    words = tables.transform_words()
    own: dict[str, set[str]] = {}
    for m in modules:
        own[m.path] = {
            d.qualname.partition(".")[0] for d in m.definitions.values() if not d.in_function and d.identifiers & words
        }
    assigned = {m.path: _assigned(m) for m in modules}
    seen = {m.path: set(own[m.path]) for m in modules}
    for m in modules:
        seen[m.path] |= {n for n, mentions in assigned[m.path].items() if mentions & words}
    for _ in range(4):
        changed = False
        for m in modules:
            names = seen[m.path]
            before = len(names)
            for bound, dotted in m.imports.items():
                module, _, leaf = dotted.rpartition(".")
                found = project.find(m, module) if module else None
                if found is not None and leaf in seen.get(found.path, ()):
                    names.add(bound)
                whole = project.find(m, dotted)
                if whole is not None:
                    names |= seen.get(whole.path, set())
            for star in m.stars:
                whole = project.find(m, star)
                if whole is not None:
                    names |= seen.get(whole.path, set())
            for d in m.definitions.values():
                if not d.in_function and d.identifiers & names:
                    names.add(d.qualname.partition(".")[0])
            names |= {n for n, mentions in assigned[m.path].items() if mentions & names}
            changed = changed or len(names) != before
        if not changed:
            break
    return seen
