"""Whether 64-bit mode is on where a module runs: the module, what it imports, its conftest files, test settings."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Set

from omnilint.index.module import ModuleIndex
from omnilint.index.project import Project
from omnilint.rounding import spots

SETTINGS = ("pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml", "noxfile.py", "Makefile", ".env", ".envrc")
ROOT_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg")
# Where tests are run from, below a project's root: what they set holds for all of its modules.
WORKFLOWS = (".github/workflows", "scripts", "ci", ".ci")
# One of these stands where a module switches.
_SWITCHES = ("enable_x64", "jax_enable_x64", "JAX_ENABLE_X64")
_ENV = re.compile(r"JAX_ENABLE_X64\W{1,6}(1|true|on)\b", re.IGNORECASE)
_ENV_OFF = re.compile(r"JAX_ENABLE_X64\W{1,6}(0|false|off)\b", re.IGNORECASE)
# Levels of folders above a file that are searched for conftest.py and settings, and of imports that are followed.
LEVELS = 8
IMPORTS = 3


def state(module: ModuleIndex, project: Project, packages: frozenset[str]) -> str:
    """ "off" (JAX's default), "on", or "unknown" when a switch was seen but not when it acts.

    `packages` switch it on when imported.
    """
    found = {_state(module, packages, True)}
    switching = _switching(project, packages)
    if switching:
        found |= {switching[at] for at in _reachable(module, project, switching.keys(), IMPORTS)}
    found |= _surroundings(module, project)
    return "on" if "on" in found else "unknown" if "unknown" in found else "off"


def _switching(project: Project, packages: frozenset[str]) -> dict[int, str]:
    """The modules of the project, by identity, whose import does something to the mode."""
    key = ("64-bit switches", "")
    if key not in project.kept:
        states = {id(m): _state(m, packages, False) for m in project.modules()}
        project.kept[key] = {at: mode for at, mode in states.items() if mode != "off"}
    found: dict[int, str] = project.kept[key]
    return found


def _reachable(module: ModuleIndex, project: Project, wanted: Set[int], levels: int) -> set[int]:
    """Which of these modules are imported, so many levels deep: by the module, by what it imports, and so on."""
    key = ("64-bit reach", f"{levels} {module.path}")
    if key not in project.kept:
        imported = _imported(module, project)
        found = imported.keys() & wanted
        if levels > 1:
            found = found.union(*(_reachable(m, project, wanted, levels - 1) for m in imported.values()))
        project.kept[key] = found
    known: set[int] = project.kept[key]
    return known


def _imported(importer: ModuleIndex, project: Project) -> dict[int, ModuleIndex]:
    key = ("64-bit imports", importer.path)
    if key not in project.kept:
        found: dict[int, ModuleIndex] = {}
        dotted = {*importer.imports.values(), *importer.stars}
        # Importing a.b.c runs the `__init__` of a and a.b as well.
        parents = {d[:i] for d in dotted for i, c in enumerate(d) if c == "."}
        for name in dotted | parents:
            module = project.find(importer, name)
            if module is not None:
                found[id(module)] = module
        project.kept[key] = found
    known: dict[int, ModuleIndex] = project.kept[key]
    return known


def _state(module: ModuleIndex, packages: frozenset[str], inside: bool) -> str:
    """What importing a module does to the mode; `inside`: its functions count too, since they may run before a test."""
    if module.roots & packages:
        return "on"
    lines = spots.lines_with(_SWITCHES, module.source.text)
    if not lines:
        return "off"
    states = {_at_top(statement, module) for statement in module.tree.body}
    if "on" in states:
        return "on"
    if "unknown" in states or (inside and any(map(_switches, spots.nodes_on(module.tree.body, lines)))):
        return "unknown"
    return "off"


def _at_top(statement: ast.stmt, module: ModuleIndex) -> str:
    """What a module-level statement does to the mode when the module is imported."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return "off"
    certain = isinstance(statement, (ast.Expr, ast.Assign))
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called = module.definitions.get(node.func.id)
            if called is not None and any(map(_switches, spots.nodes_of(called.node))):
                return "unknown"
        value = _switch_value(node)
        if value is not None:
            return "off" if value == "off" else value if certain else "unknown"
    return "off"


def _switches(node: ast.AST) -> bool:
    return _switch_value(node) in ("on", "unknown")


def _switch_value(node: ast.AST) -> str | None:
    """The mode that a node sets, None when it sets none. A `with enable_x64():` is no switch: it ends by itself."""
    match node:
        case ast.Call(ast.Attribute(_, "update"), [ast.Constant("jax_enable_x64"), value]):
            return _truth(value)
        case ast.Call(ast.Attribute(ast.Name(owner), "enable_x64"), arguments) if owner not in ("jax", "experimental"):
            return _truth(arguments[0]) if arguments else "on"
        case ast.Call(ast.Attribute(_, "setdefault" | "setenv"), [ast.Constant("JAX_ENABLE_X64"), value]):
            return _truth(value)
        case ast.Call(ast.Attribute(_, "update"), [ast.Dict(keys, values)]):
            return next((_truth(v) for k, v in zip(keys, values, strict=True) if _names_mode(k)), None)
        case ast.Call(ast.Attribute(_, "update"), [], keywords) if any(k.arg == "JAX_ENABLE_X64" for k in keywords):
            return next(_truth(k.value) for k in keywords if k.arg == "JAX_ENABLE_X64")
        case ast.Assign([ast.Subscript(_, ast.Constant("JAX_ENABLE_X64"))], value):
            return _truth(value)
        case ast.Assign([ast.Attribute(_, "jax_enable_x64")], value):
            return _truth(value)
    return None


def _names_mode(key: ast.expr | None) -> bool:
    return isinstance(key, ast.Constant) and key.value == "JAX_ENABLE_X64"


def _truth(value: ast.expr) -> str:
    if isinstance(value, ast.Constant):
        return "off" if str(value.value).lower() in ("0", "false", "off", "", "none") else "on"
    return "unknown"


def _surroundings(module: ModuleIndex, project: Project) -> set[str]:
    """What conftest files and test settings say that apply to a module, from its folder up to its project's root."""
    if module.source.file is None:
        return set()
    return _of_folder(os.path.dirname(module.source.file), project, LEVELS)


def _of_folder(folder: str, project: Project, levels: int) -> set[str]:
    key = ("64-bit settings", f"{levels} {folder}")
    if key not in project.kept:
        found = {_text_state(text) for text in _settings(folder, project)}
        top = any(os.path.exists(os.path.join(folder, mark)) for mark in ROOT_MARKS)
        if top:
            found |= {_text_state(_read(file)) for file in workflow_files(folder)}
        if not top and levels > 1 and folder != os.path.dirname(folder):
            found |= _of_folder(os.path.dirname(folder), project, levels - 1)
        project.kept[key] = found
    known: set[str] = project.kept[key]
    return known


def _settings(folder: str, project: Project) -> Iterator[str]:
    for name in ("conftest.py", *SETTINGS):
        file = os.path.join(folder, name)
        known = project.by_file.get(file)
        if known is not None:
            yield known.source.text
        elif os.path.isfile(file) and os.path.getsize(file) < 1_000_000:
            yield _read(file)


def workflow_files(root: str) -> Iterator[str]:
    """The workflows and scripts below a project's root that may set the mode for its tests."""
    for name in WORKFLOWS:
        folder = os.path.join(root, name)
        for file in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            path = os.path.join(folder, file)
            if file.endswith((".yml", ".yaml", ".sh")) and os.path.isfile(path) and os.path.getsize(path) < 1_000_000:
                yield path


def _read(file: str) -> str:
    try:
        with open(file, encoding="utf-8") as f:
            return f.read()
    except (OSError, ValueError):
        return ""


def _text_state(text: str) -> str:
    if "x64" not in text.lower():
        return "off"
    if _ENV.search(text):
        return "unknown" if _ENV_OFF.search(text) else "on"
    if "JAX_ENABLE_X64" in text and not _ENV_OFF.search(text):
        return "unknown"
    return "on" if re.search(r"jax_enable_x64\W{1,4}True", text) else "unknown" if "jax_enable_x64" in text else "off"
