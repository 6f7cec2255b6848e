"""Whether this omnilint is compiled (`OMNILINT_COMPILE=1 pip install .`), and what that asks of the machine's stack."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

COMPILED = not __file__.endswith(".py")
# Compiled functions call each other on the machine's stack, up to 700 bytes a call that Python counts: room for 12,000
# such calls (the most that the analysis allows), and as many that Python doesn't count.
STACK = 64 << 20


def with_room(work: Callable[P, R]) -> Callable[P, R]:
    """Run `work` with a stack that is large enough for deeply nested code, where the system lets it grow."""
    if sys.platform == "win32" or not COMPILED:
        return work
    import resource

    @wraps(work)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
        unlimited = resource.RLIM_INFINITY
        wanted = STACK if hard == unlimited else min(STACK, hard)
        if soft == unlimited or soft >= wanted:
            return work(*args, **kwargs)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))
        try:
            return work(*args, **kwargs)
        finally:
            with suppress(OSError, ValueError):  # programs that are started later get what they always get
                resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))

    return run
