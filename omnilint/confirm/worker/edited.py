"""Files as if they held other text: repairs are tried without being written."""

from __future__ import annotations

import importlib.machinery
import os
from typing import Any

_TEXTS: dict[str, str] = {}


def read(file: str) -> Any:
    """What a source file holds, or is said to hold: as text, for which no encoding that it names counts."""
    told = _TEXTS.get(os.path.realpath(file))
    if told is not None:
        return told
    with open(file, "rb") as f:
        return f.read()


def install(texts: Any) -> None:
    """Have these files imported with these texts from now on, in this process; nothing is written."""
    if not texts:
        return
    _TEXTS.update({os.path.realpath(file): text.lstrip("\ufeff") for file, text in texts.items()})
    real = importlib.machinery.SourceFileLoader.get_code

    def get_code(self: Any, fullname: str) -> Any:
        if os.path.realpath(self.path) not in _TEXTS:
            return real(self, fullname)
        return compile(read(self.path), self.path, "exec", dont_inherit=True)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
