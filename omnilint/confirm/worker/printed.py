"""What the user's code prints and logs."""

from __future__ import annotations

import logging
import re
import sys
from typing import Any

from .errors import Home

_MOST = 40000  # characters kept
_LOGGED = 400


class _Noted:
    """A stream that also keeps what is written to it: all, or what the user's code writes itself."""

    def __init__(self, stream: Any, kept: list[str], home: Any = None) -> None:
        self._stream = stream
        self._kept = kept
        self._home = home

    def write(self, text: Any) -> Any:
        caller = sys._getframe(1)
        if self._home is None or self._home.file(caller.f_code.co_filename) is not None:
            self._kept.append(str(text))
        return self._stream.write(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Printed:
    """Notes what is printed to both streams and given to loggers, from `install` on; `reset` when a call begins."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.out: list[str] = []
        self.err: list[str] = []
        self.logged: list[str] = []

    def install(self) -> None:
        """Take the place of both streams, and hear every record of a logger."""
        sys.stdout = _Noted(sys.stdout, self.out)
        sys.stderr = _Noted(sys.stderr, self.err, self.home)
        handle = logging.Logger.handle

        def heard(logger: Any, record: Any) -> Any:
            if self.home.file(record.pathname) is not None and len(self.logged) < _LOGGED:
                try:
                    self.logged.append(f"{record.levelname} {record.name}: {record.getMessage()}")
                except Exception:  # arguments that don't fit the message
                    self.logged.append(f"{record.levelname} {record.name}: {record.msg}")
            return handle(logger, record)

        logging.Logger.handle = heard  # type: ignore

    def reset(self) -> None:
        """Nothing was printed."""
        for kept in (self.out, self.err, self.logged):
            kept.clear()

    def told(self) -> Any:
        """By stream, the lines; of addresses in them only that they are there."""
        streams = {"stdout": self._lines(self.out), "stderr": self._lines(self.err), "logging": list(self.logged)}
        return {name: [re.sub(r"\b0x[0-9a-f]+", "0x", x) for x in lines] for name, lines in streams.items() if lines}

    @staticmethod
    def _lines(kept: list[str]) -> list[str]:
        return "".join(kept)[:_MOST].splitlines()
