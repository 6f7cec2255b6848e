"""The progress line: late, rare, and gone before anything else is written."""

from __future__ import annotations

import io

from omnilint.progress import EVERY, FIRST_AFTER, Line, silent


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_quick_run_shows_nothing() -> None:
    stream, clock = io.StringIO(), Clock()
    line = Line(stream, clock)
    clock.now = FIRST_AFTER / 2
    line("reading", 1, 9)
    line.clear()
    assert stream.getvalue() == ""


def test_a_long_run_shows_its_step_now_and_then() -> None:
    stream, clock = io.StringIO(), Clock()
    line = Line(stream, clock)
    clock.now = FIRST_AFTER
    line("reading", 1, 9)
    line("reading", 2, 9)
    clock.now += EVERY
    line("analysing", 0, 0)
    assert stream.getvalue() == "\rreading 1/9\ranalysing  "


def test_the_line_is_cleared_whole() -> None:
    stream, clock = io.StringIO(), Clock()
    line = Line(stream, clock)
    clock.now = FIRST_AFTER
    line("reading", 10, 99)
    line.clear()
    line.clear()
    assert stream.getvalue() == "\rreading 10/99\r             \r"


def test_silence_takes_the_same_arguments() -> None:
    assert silent("reading", 1, 2) is None  # type: ignore[func-returns-value]
