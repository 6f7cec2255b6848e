"""What an answer depends on, as short hashes: the program itself, the settings, the files of a run."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from omnilint import __version__, knowledge
from omnilint.analysis.tables import extension
from omnilint.config import Settings
from omnilint.model import Source
from omnilint.sources.globs import Patterns
from omnilint.sources.notebook import Notebook


def digest(*parts: Any) -> str:
    """A hash of what is JSON in these parts."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()[:40]


@functools.cache
def salt() -> str:
    """A hash of what decides besides the input: omnilint's version and code, its rules and tables, Python, LibCST."""
    seen: list[tuple[str, int, int]] = []
    for top in (Path(__file__).parent.parent, knowledge.folder()):
        for folder, folders, files in os.walk(top):
            folders[:] = [f for f in folders if f != "__pycache__"]
            for name in files:
                found = os.stat(os.path.join(folder, name))
                seen.append((os.path.join(folder, name), found.st_size, found.st_mtime_ns))
    libcst = importlib.util.find_spec("libcst")
    origin = libcst.origin if libcst is not None else None
    parser = os.stat(origin).st_mtime_ns if origin else 0
    return digest(__version__, sys.version, sorted(seen), origin, parser)


def of_settings(settings: Settings) -> str:
    """A hash of the settings that decide what is found and reported, not of how it is shown."""
    said = {
        "select": settings.select,
        "extend": settings.extend_select,
        "ignore": settings.ignore,
        "below": settings.below and of_settings(settings.below),
        "per_file": [(_plain(patterns), words) for patterns, words in settings.per_file_ignores],
        "severity": settings.severity,
        "tables": extension(),
        "traced": [_plain(patterns) for patterns in settings.traced],
        "target": (settings.target_jax, settings.from_jax, settings.origins.get("target_jax", "")),
    }
    return digest(said)


def _plain(patterns: Patterns) -> tuple[str, bool, list[str]]:
    return patterns.base, patterns.others, [p.text for p in patterns.patterns]


def of_source(source: Source) -> str:
    """A hash of a source's name and text; of a notebook's cells too."""
    cells = (source.starts, source.numbers) if isinstance(source, Notebook) else ()
    return digest(source.path, source.file, source.kind, source.digest, cells)


def of_files(files: Iterable[Path | str]) -> str:
    """A hash of the names and bytes of files, as far as they can be read."""
    return digest(list(_contents(files)))


def _contents(files: Iterable[Path | str]) -> Iterator[tuple[str, str]]:
    for file in files:
        try:
            with open(file, "rb") as f:
                yield str(file), hashlib.sha256(f.read()).hexdigest()
        except OSError:
            yield str(file), ""
