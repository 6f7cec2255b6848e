"""Real values as descriptions of arguments that `inputs.build` makes again: shapes, dtypes, small static values."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

_ITEMS = 64
_TEXT = 200
_VALUES = 16
_DEPTH = 4


def _tracer(value: Any) -> bool:
    core = sys.modules.get("jax.core")
    return core is not None and isinstance(value, core.Tracer)


def traced(value: Any, depth: int = _DEPTH) -> bool:
    """Whether a value is a tracer or holds one."""
    if _tracer(value):
        return True
    if depth and isinstance(value, dict):
        return any(traced(v, depth - 1) for v in list(value.values())[:_ITEMS])
    if depth and isinstance(value, (list, tuple)):
        return any(traced(v, depth - 1) for v in value[:_ITEMS])
    held = getattr(value, "__dict__", None)
    if depth and isinstance(held, dict) and not isinstance(value, (type, type(sys))) and not callable(value):
        return any(traced(v, depth - 1) for v in list(held.values())[:_ITEMS])
    return False


def describe(value: Any, depth: int = _DEPTH) -> Any:
    """The description of a value; None for one that can't be made again."""
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        text = repr(value)
        if isinstance(value, float) and text in ("nan", "inf", "-inf"):
            text = f"float({text!r})"
        return {"kind": "literal", "source": text} if len(text) <= _TEXT else None
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return _array(value)
    if depth == 0:
        return None
    if isinstance(value, dict):
        if len(value) > _ITEMS or not all(isinstance(k, str) for k in value):
            return None
        items = {k: describe(v, depth - 1) for k, v in value.items()}
        return {"kind": "tree", "items": items} if all(items.values()) else None
    if isinstance(value, (list, tuple)):
        if len(value) > _ITEMS:
            return None
        parts = [describe(v, depth - 1) for v in value]
        if not all(parts):
            return None
        fields = getattr(value, "_fields", None)
        if fields is not None:
            return _instance(type(value), {name: parts[i] for i, name in enumerate(fields)})
        kind = "sequence" if isinstance(value, list) else "tuple"
        return {"kind": kind, "items": parts} if type(value) in (list, tuple) else None
    if isinstance(value, (type, type(_array))) or callable(value):
        return _named(value)
    fields = getattr(type(value), "__dataclass_fields__", None)
    if fields is not None:
        wanted = [name for name, f in fields.items() if getattr(f, "init", True)]
        held = {name: describe(getattr(value, name, None), depth - 1) for name in wanted}
        return _instance(type(value), held) if all(held.values()) else None
    return None


def _instance(kind: Any, parts: Any) -> Any:
    named = _named(kind)
    return named and {"kind": "made", "of": named["source"], "name": kind.__name__, "arguments": parts}


def _named(value: Any) -> Any:
    """A function or class by the module that it can be imported from."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or "<" in name or module == "__main__":
        return None
    held: Any = sys.modules.get(module)
    for part in name.split("."):
        held = getattr(held, part, None)
    if held is not value:
        return None
    return {"kind": "literal", "source": f"__import__('importlib').import_module({module!r}).{name}"}


def _array(value: Any) -> Any:
    try:
        shape, dtype = [int(n) for n in value.shape], str(value.dtype)
    except Exception:
        return None
    if dtype.startswith("key<"):
        return {"kind": "key", "typed": True} if not shape else None
    if dtype == "uint32" and shape == [2] and type(value).__module__.startswith("jax"):
        return {"kind": "key"}
    known: Any = {"kind": "array", "dtype": dtype, "shape": shape}
    if not _tracer(value):
        size = 1
        for n in shape:
            size *= n
        if size <= _VALUES and dtype.startswith(("int", "uint", "bool", "float")):
            with contextlib.suppress(Exception):
                known["values"] = value.tolist()
        if type(value).__module__.partition(".")[0] == "numpy":
            known["numpy"] = True
    return known
