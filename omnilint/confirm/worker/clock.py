"""A clock that goes on by ten years between calls: what is frozen while tracing then shows, whatever the dtype."""

from __future__ import annotations

import datetime
import functools
import sys
import time
from collections.abc import Callable
from typing import Any

# 3705 days and some hours. float32 holds today's seconds since 1970 to within two minutes, results are compared to a
# thousandth, which a year is to the years; month, weekday, hour, minute and second are others then, too.
STEP = 3705 * 86400.0 + 5 * 3600 + 7 * 60 + 11

_SECONDS = ("time", "perf_counter", "monotonic", "process_time", "thread_time")


def move_on(home: Any, calls: list[Any]) -> None:
    """Replace the clocks of `time` and `datetime` by ones that the user's code sees go on with each recorded call.

    Those that a module took by name before (`from time import time` in a library) stay as they are.
    """

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

    class LaterDay(datetime.date):
        """The same class, but for what day it is."""

        @classmethod
        def today(cls) -> Any:
            return super().today() + datetime.timedelta(seconds=late(1))

    class Later(datetime.datetime):
        """The same class, but for what time it is."""

        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return super().now(tz) + datetime.timedelta(seconds=late(1))

        @classmethod
        def utcnow(cls) -> Any:
            return super().utcnow() + datetime.timedelta(seconds=late(1))

        @classmethod
        def today(cls) -> Any:
            return super().today() + datetime.timedelta(seconds=late(1))

    datetime.date = LaterDay  # type: ignore[misc]
    datetime.datetime = Later  # type: ignore[misc]
