"""JSON documents by key in a folder: written whole or not at all, and anything odd about one is a miss."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from omnilint.errors import Failure

DAYS = 30
PARTS = ("check", "confirm")
_DAY = 86_400
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# omnilint's cache; `omnilint clean` removes it.\n"


@dataclass(frozen=True)
class Store:
    """One folder of documents; every failure of the file system means "not there"."""

    folder: Path

    def get(self, name: str) -> dict[str, Any] | None:
        """What was put under the name; None when there is nothing, or nothing that can be read."""
        try:
            with open(self._file(name), encoding="utf-8") as f:
                found = json.load(f)
        except (OSError, ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None

    def put(self, name: str, document: dict[str, Any]) -> None:
        """Keep a document. A reader in another process sees the old one or the new one, never a part."""
        file = self._file(name)
        with contextlib.suppress(OSError):
            self._prepare()
            handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=".writing-")
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as f:
                    json.dump(document, f, separators=(",", ":"))
                os.replace(temporary, file)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)
                raise

    def prune(self) -> None:
        """Remove what was written more than a month ago; looks once a day at most."""
        mark, now = self.folder / "check" / "pruned", time.time()
        with contextlib.suppress(OSError):
            if now - mark.stat().st_mtime < _DAY:
                return
        with contextlib.suppress(OSError):
            for file in mark.parent.iterdir():
                if now - file.stat().st_mtime > DAYS * _DAY:
                    file.unlink()
            mark.touch()

    def _file(self, name: str) -> Path:
        return self.folder / "check" / f"{name}.json"

    def _prepare(self) -> None:
        folder = self.folder / "check"
        if folder.is_dir():
            return
        # In a folder that holds other things, only our part of it is marked: git must go on seeing the rest.
        shared = self.folder.is_dir() and any(p.name not in PARTS for p in self.folder.iterdir())
        folder.mkdir(parents=True)
        for name, text in ((".gitignore", "*\n"), ("CACHEDIR.TAG", _TAG)):
            ((folder if shared else self.folder) / name).write_text(text, encoding="utf-8")


def default_folder() -> Path | None:
    """`OMNILINT_CACHE_DIR`, else the user's cache folder; None when `OMNILINT_NO_CACHE` is set or there is no home."""
    if os.environ.get("OMNILINT_NO_CACHE"):
        return None
    chosen = os.environ.get("OMNILINT_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "omnilint"
    except RuntimeError:
        return None


def _is_marked(folder: Path) -> bool:
    for place in (folder, folder / "check"):
        try:
            if (place / "CACHEDIR.TAG").read_text(encoding="utf-8") == _TAG:
                return True
        except (OSError, ValueError):
            continue
    return False


def clean(folder: Path, ours: bool = False) -> int:
    """Remove what omnilint keeps in a cache folder; gives the number of files removed.

    Only our parts are touched, and only of a folder that carries our mark or is known to be `ours`. Raises Failure
    for another one, and when it can't be removed.
    """
    if not folder.is_dir() or not any((folder / part).is_dir() for part in PARTS):
        return 0
    if not ours and not _is_marked(folder):
        raise Failure(f"{folder}: not a cache of omnilint (it has no CACHEDIR.TAG of ours); name another folder")
    number = 0
    try:
        for part in PARTS:
            if (folder / part).is_dir():
                number += sum(len(files) for _, _, files in os.walk(folder / part))
                shutil.rmtree(folder / part)
        for name in (".gitignore", "CACHEDIR.TAG"):
            if number and (folder / name).is_file():
                (folder / name).unlink()
        if not any(folder.iterdir()):
            folder.rmdir()
    except OSError as error:
        raise Failure(f"{folder}: can't be removed ({error.strerror}); mend its permissions") from None
    return number
