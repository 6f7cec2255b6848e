"""Facts about code that many findings ask for, worked out once for as long as the code is in use."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from omnilint.index.module import ModuleIndex

T = TypeVar("T")
Node = TypeVar("Node", bound=ast.AST)


def once_each_node(work: Callable[[Node], T]) -> Callable[[Node], T]:
    """`work`, which is a function of a piece of code alone, done once for each piece."""
    known: WeakKeyDictionary[Node, T] = WeakKeyDictionary()

    @wraps(work)
    def look(node: Node) -> T:
        if node not in known:
            known[node] = work(node)
        return known[node]

    return look


def once_each(work: Callable[[ModuleIndex], T]) -> Callable[[ModuleIndex], T]:
    """`work`, which is a function of a module's code alone, done once for each version of its code."""
    known: WeakKeyDictionary[ast.Module, T] = WeakKeyDictionary()

    @wraps(work)
    def look(module: ModuleIndex) -> T:
        if module.tree not in known:
            known[module.tree] = work(module)
        return known[module.tree]

    return look
