"""The JAX releases that a project says it runs on: its lock files, declared dependencies and requirement files."""

from __future__ import annotations

import ast
import configparser
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from omnilint.api import history
from omnilint.api.target import Target, TargetError

_REQUIREMENT = re.compile(
    r"^\s*[\"']?jax(?:\[[^\]]*\])?\s*(?P<spec>(?:\(?\s*(?:===|==|~=|>=|<=|!=|>|<)\s*[\w.*+!-]+\s*\)?\s*,?\s*)*)"
    r"\s*(?P<marker>;.*)?(?:\s+#.*|\s+--.*)?[\"']?\s*\\?$"
)
_CLAUSE = re.compile(r"(===|==|~=|>=|<=|!=|>|<)\s*([\w.*+!-]+)")
_CONDA = re.compile(r"^\s*-\s*[\"']?(?:[\w-]+::)?jax\s*(?P<spec>[=<>!~][^\"'#]*)?[\"']?\s*(#.*)?$")


def target_of(folder: Path) -> Target | None:
    """What the metadata of the project that holds `folder` says of JAX; None when it says nothing.

    A lock file names one release; a lower bound means a range from there to the upper bound or the newest release.
    """
    for place in (folder, *folder.parents):
        found = _target_in(place)
        if found is not None:
            return found
        if (place / ".git").exists() or (place / "pyproject.toml").is_file():
            return None
    return None


def _target_in(folder: Path) -> Target | None:
    for pattern, read in _READERS:
        for file in sorted(folder.glob(pattern)):
            try:
                text = file.read_text(encoding="utf-8")
                specs = list(read(text))
            except (OSError, ValueError, SyntaxError, configparser.Error):
                continue  # a broken file is for the tools that own it to report
            for spec in specs:
                target = _from_spec(spec, file.name)
                if target is not None:
                    return target
    return None


def _from_spec(spec: str, origin: str) -> Target | None:
    low: str | None = None
    high: str | None = None
    releases = history.releases()
    for op, version in _CLAUSE.findall(spec):
        wanted = version.rstrip(".*")
        key = history.version_key(wanted)
        if not key:
            continue
        if op in ("==", "==="):
            inside = [r for r in releases if history.version_key(r)[: len(key)] == key] if "*" in version else [wanted]
            low, high = (inside[0], inside[-1]) if inside else (None, None)
        elif op in (">=", ">", "~="):
            newer = [r for r in releases if history.version_key(r) > key] if op == ">" else []
            low = newer[0] if newer else wanted
            if op == "~=":
                inside = [r for r in releases if history.version_key(r)[: len(key) - 1] == key[:-1]]
                high = inside[-1] if inside else high
        elif op in ("<", "<="):
            older = [r for r in releases if _below(history.version_key(r), key, op == "<=")]
            high = older[-1] if older else None
    if low is None and high is None:
        return None
    low = low or releases[0]
    high = high or releases[-1]
    if history.index_of(low) < 0:
        low = releases[0]
    if history.version_key(low) > history.version_key(high):
        high = low
    try:
        return Target.parse(low if history.index_of(low) == history.index_of(high) else f"{low},{high}", origin)
    except TargetError:
        return None


def _below(key: tuple[int, ...], bound: tuple[int, ...], inclusive: bool) -> bool:
    return key <= bound if inclusive else key < bound


def _requirement(line: str) -> str | None:
    """The version part of a requirement on jax; "" for one without bounds, None for any other line."""
    m = _REQUIREMENT.match(line)
    return None if m is None else m.group("spec")


def _some(lines: Iterator[str] | list[str]) -> Iterator[str]:
    for line in lines:
        spec = _requirement(line)
        if spec:
            yield spec


def _lock(text: str) -> Iterator[str]:
    data = tomllib.loads(text)
    for package in data.get("package", data.get("packages", [])):
        if isinstance(package, dict) and package.get("name") == "jax" and "version" in package:
            yield f"=={package['version']}"


def _pyproject(text: str) -> Iterator[str]:
    data = tomllib.loads(text)
    project = data.get("project", {})
    yield from _some([d for d in project.get("dependencies", []) if isinstance(d, str)])
    groups: list[Any] = [
        *project.get("optional-dependencies", {}).values(),
        *data.get("dependency-groups", {}).values(),
    ]
    for group in groups:
        yield from _some([d for d in group if isinstance(d, str)])
    poetry = data.get("tool", {}).get("poetry", {}).get("dependencies", {}).get("jax")
    if isinstance(poetry, dict):
        poetry = poetry.get("version")
    if isinstance(poetry, str):
        yield _poetry(poetry)


def _poetry(spec: str) -> str:
    """A caret or bare version in the operators of PEP 440: `^0.4.20` allows 0.4.x, as `~=0.4.20` does."""
    if spec[:1] == "^":
        return "~=" + spec[1:]
    return "==" + spec if spec[:1].isdigit() else spec


def _setup_cfg(text: str) -> Iterator[str]:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(text)
    yield from _some(parser.get("options", "install_requires", fallback="").splitlines())


def _setup_py(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 80:
            yield from _some([node.value])


def _requirements(text: str) -> Iterator[str]:
    yield from _some(text.splitlines())


def _conda(text: str) -> Iterator[str]:
    for line in text.splitlines():
        m = _CONDA.match(line)
        spec = (m.group("spec") or "").strip() if m else ""
        if spec:
            yield "=" + spec if re.match(r"=[^=]", spec) else spec


_READERS: tuple[tuple[str, Callable[[str], Iterator[str]]], ...] = (
    ("uv.lock", _lock), ("poetry.lock", _lock), ("pdm.lock", _lock), ("pylock.toml", _lock),
    ("pyproject.toml", _pyproject), ("setup.cfg", _setup_cfg), ("setup.py", _setup_py),
    ("requirements.txt", _requirements), ("requirements/*.txt", _requirements), ("requirements*.txt", _requirements),
    ("environment.yml", _conda), ("environment.yaml", _conda),
)  # fmt: skip
