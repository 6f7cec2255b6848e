"""The JAX that interpreters have, read off their site-packages: nothing is run or imported."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from omnilint.api import history
from omnilint.api.target import Target, TargetError

INSTALLED = "installed"
_METADATA = re.compile(r"jax-(\d+(?:\.\d+)*)[^-]*(?:-[^-]+)*\.(?:dist|egg)-info$")


def installed_target(interpreters: Iterable[tuple[str, str]]) -> Target:
    """The JAX of interpreters, given as (executable, how it was chosen); several make a range.

    Raises TargetError where one has no JAX, or one that isn't known.
    """
    found: dict[str, str] = {}
    for executable, chosen in interpreters:
        version = installed_version(Path(executable))
        if version is None:
            raise TargetError(f"{executable} ({chosen}) has no JAX; name another with --python, or write the version")
        if history.index_of(version) < 0:
            raise TargetError(f"{executable} has JAX {version}, which is older than {history.releases()[0]}")
        found.setdefault(version, executable)
    versions = sorted(found, key=history.version_key)
    ends = list(dict.fromkeys((versions[0], versions[-1])))
    shown = " and ".join(os.path.relpath(found[v]) if _is_below(found[v]) else found[v] for v in ends)
    return Target.parse(",".join(ends), f"installed for {shown}")


def _is_below(path: str) -> bool:
    return not os.path.relpath(path).startswith(os.pardir)


def installed_version(executable: Path) -> str | None:
    """The version in the metadata of the jax that an interpreter would import; None when it has none."""
    for folder in site_packages(executable):
        try:
            names = sorted(p.name for p in folder.iterdir() if p.name.startswith("jax-"))
        except OSError:
            continue
        for name in names:
            m = _METADATA.match(name)
            if m:
                return m.group(1)
    return None


def site_packages(executable: Path) -> Iterator[Path]:
    """The folders in which an interpreter looks for packages, as its place in the file system shows them."""
    prefix = executable.parent.parent
    real = executable.resolve()
    series = re.match(r"python(3\.\d+)", real.name)
    folder = f"python{series.group(1)}" if series else "python3*"
    yield from _below(prefix, folder)
    settings = dict(_settings(prefix / "pyvenv.cfg"))
    if settings.get("include-system-site-packages", "true").lower() == "true" and real.parent.parent != prefix:
        yield from _below(real.parent.parent, folder)


def _settings(file: Path) -> Iterator[tuple[str, str]]:
    """What a virtual environment's pyvenv.cfg says; nothing for an interpreter outside of one."""
    if file.is_file():
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            key, found, value = line.partition("=")
            if found:
                yield key.strip().lower(), value.strip()


def _below(prefix: Path, folder: str) -> Iterator[Path]:
    for lib in ("lib", "lib64"):
        for kind in ("site-packages", "dist-packages"):
            yield from sorted((prefix / lib).glob(f"{folder}/{kind}"))
    yield prefix / "Lib" / "site-packages"  # Windows
    yield prefix / "lib" / "python3" / "dist-packages"  # Debian
