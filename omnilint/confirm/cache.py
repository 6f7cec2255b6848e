"""What runs showed, kept by content: the same code, request, worker and interpreter need not run again."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from omnilint.cache.store import default_folder

__all__ = ["Cache", "default_folder", "digest", "stamp", "worker_digest"]

_DAYS = 30


@functools.cache
def worker_digest() -> str:
    """A hash of the worker's own code: another worker may see other things."""
    found = hashlib.sha256()
    for file in sorted((Path(__file__).parent / "worker").glob("*.py")):
        found.update(file.read_bytes())
    return found.hexdigest()


def stamp(executable: str) -> str | None:
    """What changes when packages of an environment are installed or removed; None when that can't be told."""
    folders = sorted(Path(executable).parent.parent.glob("lib*/python*/site-packages"))
    if not folders:
        return None
    try:
        seen = [(str(f), f.stat().st_mtime_ns) for f in folders] + [(executable, os.stat(executable).st_mtime_ns)]
    except OSError:
        return None
    return repr(seen)


def digest(*parts: Any) -> str:
    """A key for what is JSON in these parts."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Cache:
    """JSON objects by key in a folder; every failure of the file system means "not there"."""

    folder: Path

    def _file(self, key: str) -> Path:
        return self.folder / "confirm" / key[:2] / f"{key}.json"

    def get(self, key: str) -> dict[str, Any] | None:
        """What was put under the key."""
        try:
            with open(self._file(key), encoding="utf-8") as f:
                found = json.load(f)
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def put(self, key: str, value: dict[str, Any]) -> None:
        """Keep an object; the file is there whole or not at all."""
        file = self._file(key)
        with contextlib.suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=file.parent)
            with os.fdopen(handle, "w", encoding="utf-8") as f:
                f.write(json.dumps(value))  # json.dump goes the slow way
            os.replace(name, file)

    def prune(self) -> None:
        """Remove what nobody wrote for a month; looks once a day at most."""
        mark = self.folder / "confirm" / "pruned"
        now = time.time()
        with contextlib.suppress(OSError):
            if mark.exists() and now - mark.stat().st_mtime < 86400:
                return
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()
            for file in mark.parent.glob("*/*"):
                if now - file.stat().st_mtime > _DAYS * 86400:
                    file.unlink()
