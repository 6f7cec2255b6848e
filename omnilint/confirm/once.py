"""Facts about a module that many findings ask for, worked out once."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from omnilint.index.module import ModuleIndex

T = TypeVar("T")

_MOST = 512  # modules of a large run; of more, the oldest are worked out again


def once_each(work: Callable[[ModuleIndex], T]) -> Callable[[ModuleIndex], T]:
    """`work`, which is a function of a module's code alone, done once for each version of its code."""
    known: dict[int, tuple[ast.Module, T]] = {}

    @wraps(work)
    def look(module: ModuleIndex) -> T:
        found = known.get(id(module.tree))
        if found is None:  # a tree that is kept here keeps its id
            if len(known) >= _MOST:
                known.pop(next(iter(known)))
            found = known[id(module.tree)] = (module.tree, work(module))
        return found[1]

    return look
