"""Tracers left behind in what outlives a trace: module globals, closures, instances, containers, caches."""

from __future__ import annotations

import functools
import gc
import sys
import types
from collections import deque
from typing import Any

from . import compat
from .errors import Home

_OBJECTS = 50000


def _children(value: Any, home_modules: set[str]) -> Any:
    """(how to write the step, the object) for all that `value` holds."""
    if isinstance(value, dict):
        for key, item in list(value.items())[:2000]:
            yield f"[{repr(key)[:40] if isinstance(key, (str, int, tuple)) else type(key).__name__}]", item
    elif isinstance(value, (list, tuple, deque)):
        fields = getattr(value, "_fields", ())
        for i, item in enumerate(list(value)[:2000]):
            yield (f".{fields[i]}" if i < len(fields) else f"[{i}]"), item
    elif isinstance(value, (set, frozenset)):
        for item in list(value)[:2000]:
            yield "{…}", item
    elif isinstance(value, types.FunctionType):
        for i, cell in enumerate(value.__closure__ or ()):
            try:
                yield f"<{value.__code__.co_freevars[i]}>", cell.cell_contents
            except ValueError:
                continue
        for name, item in list(vars(value).items()):
            if name != "__wrapped__":
                yield "." + name, item
        for item in value.__defaults__ or ():
            yield "<default>", item
    elif isinstance(value, types.MethodType):
        yield ".__self__", value.__self__
    elif isinstance(value, functools.partial):
        yield ".func", value.func
        yield ".args", value.args
        yield ".keywords", value.keywords
    elif type(value).__name__ == "_lru_cache_wrapper":
        yield ".cache", [x for x in gc.get_referents(value) if not isinstance(x, type)]
        yield ".__wrapped__", getattr(value, "__wrapped__", None)
    elif isinstance(value, type):
        if value.__module__ in home_modules:
            for name, item in list(vars(value).items()):
                if not name.startswith("__"):
                    yield "." + name, item
    elif isinstance(value, types.ModuleType):
        return
    else:
        kind = type(value)
        if kind.__module__.partition(".")[0] in ("jax", "jaxlib", "numpy", "builtins"):
            return
        held = getattr(value, "__dict__", None)
        if isinstance(held, dict):
            for name, item in list(held.items()):
                yield "." + name, item
        for name in getattr(kind, "__slots__", ()) or ():
            if isinstance(name, str) and hasattr(kind, name):
                try:
                    yield "." + name, object.__getattribute__(value, name)
                except AttributeError:
                    continue


def find(home: Home, limit: int = 10) -> list[Any]:
    """Paths such as `case._STATE['key']` under which a tracer is still held, with the tracer's type."""
    tracer = compat.tracer_type()
    modules = [m for m in list(sys.modules.values()) if home.file(getattr(m, "__file__", None) or "")]
    names = {m.__name__ for m in modules}
    queue: deque[Any] = deque()
    for m in modules:
        for name, value in list(vars(m).items()):
            if not name.startswith("__"):
                queue.append((m.__name__ + "." + name, value))
    seen: set[int] = set()
    kept = []
    found: list[Any] = []
    while queue and len(seen) < _OBJECTS and len(found) < limit:
        path, value = queue.popleft()
        if id(value) in seen or value is None or isinstance(value, (str, bytes, int, float)):
            continue
        seen.add(id(value))
        kept.append(value)  # keeps ids unique while we walk
        if isinstance(value, tracer):
            found.append({"path": path, "type": type(value).__name__})
            continue
        try:
            for step, item in _children(value, names):
                queue.append((path + step, item))
        except Exception:  # a user's odd container; what it hides stays unknown
            continue
    return found
