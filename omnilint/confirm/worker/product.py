"""What a factory made: which of the callables in it leads to the line in question."""

from __future__ import annotations

import functools
import os
import types
from typing import Any

_DEPTH = 3
_ITEMS = 64


def _parts(value: Any) -> Any:
    """What a container or an instance holds, in order."""
    if isinstance(value, dict):
        return list(value.values())[:_ITEMS]
    if isinstance(value, (list, tuple)):
        return list(value)[:_ITEMS]
    if callable(value) or value is None or isinstance(value, (str, bytes, int, float, type, types.ModuleType)):
        return []
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return []
    held = getattr(value, "__dict__", None)
    return list(held.values())[:_ITEMS] if isinstance(held, dict) else []


def callables(value: Any, depth: int = _DEPTH) -> Any:
    """The callables that a value is or holds, the outer ones first."""
    if callable(value) and not isinstance(value, type) and not _parts_of_instance(value):
        yield value
        return
    if depth:
        for part in _parts(value) or _parts_of_instance(value):
            yield from callables(part, depth - 1)


def _parts_of_instance(value: Any) -> Any:
    """The attributes of an instance of a user's class that happens to be callable; none for functions."""
    if isinstance(value, (types.FunctionType, types.MethodType, types.BuiltinFunctionType, functools.partial, type)):
        return []
    if hasattr(value, "__wrapped__") or type(value).__module__.partition(".")[0] in ("jax", "jaxlib", "functools"):
        return []
    held = getattr(value, "__dict__", None)
    return list(held.values())[:_ITEMS] if isinstance(held, dict) else []


def unwrapped(value: Any) -> Any:
    """The Python function inside of what wraps it."""
    for _ in range(10):
        if isinstance(value, functools.partial):
            value = value.func
        elif isinstance(value, types.MethodType):
            value = value.__func__
        elif hasattr(value, "__wrapped__"):
            value = value.__wrapped__
        else:
            break
    return value


def _holds(code: Any, file: str, line: int) -> bool:
    """Whether a code object, or one inside of it, has this line."""
    if os.path.realpath(code.co_filename) == file and code.co_firstlineno <= line:
        from .watch import _lines

        if any(n == line for _, n in _lines(code)):
            return True
    return any(isinstance(c, types.CodeType) and _holds(c, file, line) for c in code.co_consts)


def leads(value: Any, file: str, lines: Any, depth: int = 2) -> bool:
    """Whether a callable has one of these lines of a file, itself or in a function that it closes over."""
    inner = unwrapped(value)
    code = getattr(inner, "__code__", None)
    if code is None:
        return False
    if any(_holds(code, file, n) for n in lines):
        return True
    if depth:
        for cell in getattr(inner, "__closure__", None) or ():
            try:
                held = cell.cell_contents
            except ValueError:
                continue
            if callable(held) and leads(held, file, lines, depth - 1):
                return True
    return False


def pick(value: Any, file: str, lines: Any) -> Any:
    """The callable of a product that leads to the lines; the product itself when it is the only callable; else None."""
    found = list(callables(value))
    leading = [one for one in found if leads(one, file, lines)]
    if leading:  # of two lambdas on one line, the one that is staged
        return next((one for one in leading if hasattr(one, "lower")), leading[0])
    return value if len(found) == 1 and found[0] is value else None
