"""A clock that goes on by months between calls: what is frozen while tracing then shows, whatever the dtype."""

from __future__ import annotations

import datetime
import functools
import sys
import time
from collections.abc import Callable
from typing import Any

# float32 holds today's seconds since 1970 to within two minutes, and results are compared to a thousandth.
STEP = 1e7

_SECONDS = ("time", "perf_counter", "monotonic", "process_time", "thread_time")


def move_on(home: Any, calls: list[Any]) -> None:
    """Replace the clocks of `time` and `datetime` by ones that the user's code sees go on with each recorded call."""

    def late(depth: int) -> float:
        asked_by = sys._getframe(depth + 1).f_code.co_filename
        return STEP * len(calls) if home.file(asked_by) else 0.0

    def seconds(real: Callable[[], float]) -> Callable[[], float]:
        @functools.wraps(real)
        def clock() -> float:
            return real() + late(1)

        return clock

    def nanoseconds(real: Callable[[], int]) -> Callable[[], int]:
        @functools.wraps(real)
        def clock() -> int:
            return real() + int(late(1)) * 10**9

        return clock

    for name in _SECONDS:
        setattr(time, name, seconds(getattr(time, name)))
        setattr(time, name + "_ns", nanoseconds(getattr(time, name + "_ns")))

    class Later(datetime.datetime):
        """The same class, but for what time it is."""

        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return super().now(tz) + datetime.timedelta(seconds=late(1))

        @classmethod
        def utcnow(cls) -> Any:
            return super().utcnow() + datetime.timedelta(seconds=late(1))

    datetime.datetime = Later  # type: ignore[misc]
