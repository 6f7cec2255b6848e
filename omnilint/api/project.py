"""The JAX releases that a project says it runs on: its lock files, declared dependencies and requirement files."""

from __future__ import annotations

import ast
import configparser
import fnmatch
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from omnilint.api import conda, history
from omnilint.api.fold import values
from omnilint.api.requirement import ODD, of_tag, requirements
from omnilint.api.specifiers import CLAUSE, fits
from omnilint.api.target import Target
from omnilint.api.walk import walk_module

_Reader = Callable[[str], Iterator[str]]
# A folder that holds one of these is the top of a project.
_TOPS = {".git", "pyproject.toml"}
_ENDINGS = (".lock", ".toml", ".cfg", ".py", ".txt", ".in", ".yml", ".yaml")
_INCLUDE = re.compile(r"(?m)^\s*(?:-[rc]\s*|--(?:requirement|constraint)(?:\s+|=))[\"']?([^\s\"'#]+)")


@dataclass(frozen=True)
class Said:
    """What the metadata of a project says of JAX, None for nothing, and what of it was passed over, in words."""

    target: Target | None
    notes: tuple[str, ...] = ()


def target_of(folder: Path) -> Target | None:
    """What the metadata of the project that holds `folder` says of JAX; None when it says nothing.

    A lock file names one release; a lower bound means a range from there to the upper bound or the newest release.
    """
    return said_of([folder])[folder].target


def said_of(folders: Iterable[Path]) -> dict[Path, Said]:
    """What the projects that hold the folders say, by folder; no folder is looked into twice."""
    told: dict[Path, Said] = {}

    def ask(folder: Path) -> Said:
        if folder not in told:
            names = _names(folder)
            own = _said_in(folder, names)
            at_top = own.target is not None or folder == folder.parent or not _TOPS.isdisjoint(names)
            above = Said(None) if at_top else ask(folder.parent)
            told[folder] = own if at_top else Said(above.target, (*own.notes, *above.notes))
        return told[folder]

    return {folder: ask(folder) for folder in folders}


def metadata_files(folders: Iterable[Path]) -> Iterator[Path]:
    """The files that `said_of` may read for these folders, each once."""
    seen: set[Path] = set()
    for folder in folders:
        for place in (folder, *folder.parents):
            if place in seen:
                break
            seen.add(place)
            names = _names(place)
            for file, read in _readable(place, names):
                yield from _files(file, read)
            if not _TOPS.isdisjoint(names):
                break


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _readable(folder: Path, names: list[str]) -> Iterator[tuple[Path, _Reader]]:
    """The files of a folder that may name JAX, with what reads them, the most telling first."""
    likely = [n for n in names if n.endswith(_ENDINGS) or n in ("Pipfile", "requirements")]
    for pattern, read in _READERS if likely else ():
        if "/" not in pattern:
            found = fnmatch.filter(likely, pattern)
        else:
            found = [str(f.relative_to(folder)) for f in folder.glob(pattern)] if "requirements" in likely else []
        for name in sorted(found):
            yield folder / name, read


def _said_in(folder: Path, names: list[str]) -> Said:
    """What the files of one folder say: the most telling one counts, and those that contradict it are named."""
    chosen: Target | None = None
    notes: list[str] = []
    for file, read in _readable(folder, names):
        try:
            specs = _at_once(
                [list(_reader_of(f, file, read)(f.read_text(encoding="utf-8-sig"))) for f in _files(file, read)]
            )
        except (OSError, ValueError, SyntaxError, AttributeError, TypeError, configparser.Error):
            continue  # a broken file is for the tools that own it to report
        given = [(spec, _from_spec(spec, file.name)) for spec in specs]
        found = [t for _, t in given if t is not None]
        shown = file.relative_to(folder)
        if chosen is None:
            notes += [f"{shown}: {_unread(spec)}" for spec, t in given if t is None]
            chosen = replace(_joined(found, file.name), folder=str(file.parent)) if found else None
        elif found and not _agree(chosen, other := _joined(found, file.name)):
            notes.append(f"{shown} says {other} instead")
    return Said(chosen, tuple(dict.fromkeys(notes)))


def _unread(spec: str) -> str:
    """What to say of a requirement that names no release."""
    if spec.startswith(ODD):
        return f"`{spec.removeprefix(ODD)}` isn't understood"
    written = f"jax{spec}" if spec[:1] in "=<>~!" else f"jax {spec}"
    impossible = any(history.version_key(version) for _, version in CLAUSE.findall(spec))
    return f"`{written}` lets no release in" if impossible else f"`{written}` isn't understood"


def _agree(one: Target, other: Target) -> bool:
    """Whether one of two targets lies within the other: a lock file says more than the range that it was made for."""
    a, b = set(one.indices), set(other.indices)
    return a <= b or b <= a


def _reader_of(file: Path, first: Path, read: _Reader) -> _Reader:
    """What reads a file: those that another one names are lists of requirements."""
    return read if file == first else _requirements


def _files(file: Path, read: _Reader) -> list[Path]:
    """A file, and those that it takes requirements from."""
    if read is _requirements:
        return _with_included(file)
    if read not in (_pyproject, _setup_cfg):
        return [file]
    try:
        named = _dynamic(file.read_text(encoding="utf-8-sig"), read)
    except (OSError, ValueError, AttributeError, TypeError, configparser.Error):
        return [file]
    others = [f for name in named if (file.parent / name).is_file() for f in _with_included(file.parent / name)]
    return list(dict.fromkeys([file, *others]))


def _dynamic(text: str, read: _Reader) -> list[str]:
    """The files that setuptools takes a project's requirements from."""
    if read is _setup_cfg:
        parser = configparser.ConfigParser(interpolation=None)
        parser.read_string(text)
        wanted = parser.get("options", "install_requires", fallback="").strip()
        return re.split(r"[\s,]+", wanted.removeprefix("file:").strip()) if wanted.startswith("file:") else []
    dynamic = tomllib.loads(text).get("tool", {}).get("setuptools", {}).get("dynamic", {})
    tables = [dynamic.get("dependencies", {}), *dynamic.get("optional-dependencies", {}).values()]
    files = [table.get("file", []) for table in tables]
    return [name for some in files for name in ([some] if isinstance(some, str) else some)]


def _with_included(file: Path) -> list[Path]:
    """A requirements file and those that it includes by `-r` or `-c`, each once; what can't be read is left out."""
    found: dict[Path, Path] = {}
    waiting = [file]
    while waiting:
        now = waiting.pop()
        try:
            if not now.is_file():  # a device would never end
                continue
            text, key = now.read_text(encoding="utf-8-sig"), now.resolve()
        except (OSError, ValueError, RuntimeError):
            continue
        if key not in found:
            found[key] = now
            included: list[str] = _INCLUDE.findall(text)
            waiting += [now.parent / name for name in reversed(included) if "://" not in name]
    return list(found.values()) or [file]


def _at_once(specs: list[list[str]]) -> list[str]:
    """The requirements of files that include one another: all hold at once, unless a file has a choice of them."""
    if all(len(some) < 2 for some in specs):
        both = ",".join(spec for some in specs for spec in some)
        if _from_spec(both, "") is not None:
            return [both]
    return [spec for some in specs for spec in some]


def _joined(targets: list[Target], origin: str) -> Target:
    """One target that spans all: a file may ask for several releases, each for other Pythons or machines."""
    versions = sorted({v for t in targets for v in t.versions}, key=history.version_key)
    ends = dict.fromkeys((versions[0], versions[-1]))
    return Target.parse(",".join(ends), origin)


def _from_spec(spec: str, origin: str) -> Target | None:
    """The releases that a requirement lets in, from the oldest to the newest; None when it says nothing usable."""
    clauses = [(op, version) for op, version in CLAUSE.findall(spec) if history.version_key(version)]
    if not clauses:
        return None
    exact = next((v for op, v in clauses if op in ("==", "===") and "*" not in v), None)
    if exact is not None and history.index_of(exact) >= 0:
        return Target.parse(exact, origin)
    fitting = [r for r in history.releases() if all(fits(history.version_key(r), *c) for c in clauses)]
    if not fitting:
        return _newer_than_known(clauses, origin)
    low, high = (_as_written(r, clauses) for r in (fitting[0], fitting[-1]))
    return Target.parse(low if low == high else f"{low},{high}", origin)


def _as_written(release: str, clauses: list[tuple[str, str]]) -> str:
    """A release, as the requirement has it: `0.9` for 0.9.0."""
    key = history.version_key(release)
    same = (v for op, v in clauses if op in (">=", "~=", "<=") and fits(key, "==", v.rstrip(".*")))
    return next(same, release)


def _newer_than_known(clauses: list[tuple[str, str]], origin: str) -> Target | None:
    """A lower bound that lies beyond the newest release known is taken at its word."""
    bound = next((v for op, v in clauses if op in (">=", ">", "~=")), None)
    beyond = bound is not None and history.version_key(bound) > history.version_key(history.releases()[-1])
    return Target.parse(bound.rstrip(".*"), origin) if bound is not None and beyond else None


def _lock(text: str) -> Iterator[str]:
    data = tomllib.loads(text)
    for package in data.get("package", data.get("packages", [])):
        if isinstance(package, dict) and package.get("name") == "jax" and "version" in package:
            yield f"=={package['version']}"


def _pyproject(text: str) -> Iterator[str]:
    data = tomllib.loads(text)
    project = data.get("project", {})
    yield from requirements([d for d in project.get("dependencies", []) if isinstance(d, str)])
    groups: list[Any] = [
        *project.get("optional-dependencies", {}).values(),
        *data.get("dependency-groups", {}).values(),
    ]
    for group in groups:
        yield from requirements([d for d in group if isinstance(d, str)])
    tool = data.get("tool", {})
    poetry = tool.get("poetry", {})
    tables = [poetry, *poetry.get("group", {}).values(), tool.get("pixi", {})]
    for table in tables:
        for key in ("dependencies", "dev-dependencies", "pypi-dependencies"):
            yield from _table_entry(table.get(key, {}).get("jax"))
    yield from _table_entry({k: v for k, v in _source(tool).items() if k != "version"})
    flit = tool.get("flit", {}).get("metadata", {})
    for group in (flit.get("requires", []), flit.get("dev-requires", []), *flit.get("requires-extra", {}).values()):
        yield from requirements([d for d in group if isinstance(d, str)])
    for environment in tool.get("hatch", {}).get("envs", {}).values():
        yield from requirements([d for d in environment.get("dependencies", []) if isinstance(d, str)])
    for group in tool.get("pdm", {}).get("dev-dependencies", {}).values():
        yield from requirements([d for d in group if isinstance(d, str)])


def _source(tool: dict[str, Any]) -> dict[str, Any]:
    """Where uv takes JAX from, if not from the index."""
    source = tool.get("uv", {}).get("sources", {}).get("jax", {})
    return source if isinstance(source, dict) else {}


def _table_entry(entry: Any) -> Iterator[str]:
    """The constraints in a table of dependencies: `jax = "^0.4.30"`, `jax = { version = "…" }`, or a list of such."""
    for item in entry if isinstance(entry, list) else [entry]:
        spec = item.get("version") if isinstance(item, dict) else item
        if spec is None and isinstance(item, dict):
            key = next((k for k in ("tag", "rev", "branch") if item.get(k)), "")
            spec = of_tag(str(item.get(key, "")))
            if key and spec is None:
                yield f"{ODD}jax @ {key} {item[key]}"
        if isinstance(spec, str):
            for choice in re.split(r"\|\|?", spec):
                yield ",".join(_poetry(clause.strip()) for clause in choice.split(","))


def _poetry(spec: str) -> str:
    """A caret, tilde or bare version in the operators of PEP 440: `^0.4.20` and `~0.4.20` allow 0.4.x from there."""
    if re.match(r"~\s*\d", spec):
        # Up to the next change of the second part, or of the first where it stands alone.
        version = spec[1:].strip()
        return f">={version},=={'.'.join(map(str, history.version_key(version)[:2]))}.*"
    if spec[:1] == "^":
        # Up to the next change of the first part that isn't zero.
        key = history.version_key(spec[1:])
        fixed = next((i for i, n in enumerate(key) if n), len(key) - 1) + 1
        return f">={spec[1:]},=={'.'.join(map(str, key[:fixed]))}.*"
    return "==" + spec if spec[:1].isdigit() else spec


def _tables(text: str) -> Iterator[str]:
    """pixi.toml and Pipfile: tables of dependencies at the top."""
    data = tomllib.loads(text)
    for key in ("dependencies", "pypi-dependencies", "packages", "dev-packages"):
        yield from _table_entry(data.get(key, {}).get("jax"))


def _pipfile_lock(text: str) -> Iterator[str]:
    data = json.loads(text)
    for section in ("default", "develop"):
        yield from _table_entry(data.get(section, {}).get("jax"))


def _setup_cfg(text: str) -> Iterator[str]:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(text)
    yield from requirements(parser.get("options", "install_requires", fallback="").splitlines())


def _setup_py(text: str) -> Iterator[str]:
    tree = ast.parse(text)
    scope = walk_module(tree, "").scope
    read: set[int] = set()
    for node in ast.walk(tree):  # what holds a text comes before it
        if id(node) in read:
            continue
        if isinstance(node, ast.JoinedStr | ast.BinOp | ast.Call):
            # `f"jax=={VERSION}"` and the like, with what the module says of the names in it.
            texts = [v for v in values(node, scope) if isinstance(v, str)]
            whole = texts or isinstance(node, ast.JoinedStr)
            # A text of which a part can't be told says nothing; a list that is added to another does.
            read.update(map(id, ast.walk(node) if whole else _sides(node)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts = [node.value]
        else:
            continue
        yield from requirements([t for t in texts if len(t) < 80])


def _sides(node: ast.expr) -> list[ast.expr]:
    """The texts that an expression puts together with something else."""
    sides = [node.left, node.right] if isinstance(node, ast.BinOp) else []
    return [side for side in sides if isinstance(side, ast.Constant)]


def _requirements(text: str) -> Iterator[str]:
    yield from requirements(text.splitlines())


_READERS: tuple[tuple[str, _Reader], ...] = (
    ("uv.lock", _lock), ("poetry.lock", _lock), ("pdm.lock", _lock), ("pylock.toml", _lock), ("pylock.*.toml", _lock),
    ("Pipfile.lock", _pipfile_lock), ("pixi.lock", conda.locked), ("conda-lock.yml", conda.locked),
    ("pyproject.toml", _pyproject), ("setup.cfg", _setup_cfg), ("setup.py", _setup_py),
    ("requirements.txt", _requirements), ("requirements/*.txt", _requirements), ("requirements*.txt", _requirements),
    ("requirements*.in", _requirements), ("requirements/*.in", _requirements), ("constraints*.txt", _requirements),
    ("pixi.toml", _tables), ("Pipfile", _tables),
    ("environment*.yml", conda.declared), ("environment*.yaml", conda.declared),
)  # fmt: skip
