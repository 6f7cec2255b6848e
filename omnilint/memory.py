"""The garbage collector is kept out of the way of work that makes little garbage and many objects."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def without_collector(work: Callable[P, R]) -> Callable[P, R]:
    """Run `work` with the cyclic garbage collector off.

    Syntax trees and what is made of them live until the work ends: looking for garbage among them finds none, and
    costs more the more there are.
    """

    @wraps(work)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        collecting = gc.isenabled()
        gc.disable()
        try:
            return work(*args, **kwargs)
        finally:
            if collecting:
                gc.enable()

    return run
