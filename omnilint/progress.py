"""How long work shows that it is alive: one line on a terminal's standard error, gone when it is done."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

# What is being done, how much of it is done, how much there is (0: unknown).
Progress = Callable[[str, int, int], None]

FIRST_AFTER = 0.5
EVERY = 0.1


def silent(step: str, done: int, total: int) -> None:
    """Progress that nobody sees."""


class Line:
    """Progress as a single line that overwrites itself; quick runs never show it."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream or sys.stderr
        self._clock = clock
        self._next = clock() + FIRST_AFTER
        self._width = 0

    def __call__(self, step: str, done: int, total: int) -> None:
        now = self._clock()
        if now < self._next:
            return
        self._next = now + EVERY
        text = f"{step} {done}/{total}" if total else step
        self._stream.write("\r" + text.ljust(self._width))
        self._stream.flush()
        self._width = len(text)

    def clear(self) -> None:
        """Take the line away, before anything else is written."""
        if self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
            self._width = 0
