"""Values made comparable across processes: arrays by dtype, shape and bytes, with a few numbers to show."""

from __future__ import annotations

import hashlib
from typing import Any

from . import compat

_LEAVES = 64
_NUMBERS = 64


def _array(value: Any) -> Any:
    import numpy as np

    kind = None
    if compat.is_key(value):  # which isn't the numbers that it is made of
        kind = {"dtype": str(value.dtype), "shape": list(value.shape)}
        with compat.jax().ensure_compile_time_eval():
            value = compat.jax().random.key_data(value)
    array = np.asarray(value)
    told: dict[str, Any] = {
        "dtype": str(array.dtype),
        "shape": list(array.shape),
        "hash": hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:16],
    }
    if array.dtype.kind in "biufc" or array.dtype.kind == "V":
        try:
            flat = array.astype("complex128" if array.dtype.kind == "c" else "float64").ravel()[:_NUMBERS]
            told["numbers"] = [float(abs(x)) if array.dtype.kind == "c" else float(x) for x in flat]
        except (TypeError, ValueError):
            pass
    told.update(kind or {})
    return told


def leaf(value: Any) -> Any:
    """One leaf of a tree as JSON."""
    if isinstance(value, compat.tracer_type()):
        return {"tracer": type(value).__name__}
    if value is None or isinstance(value, (bool, int, float, str)):
        return {"python": type(value).__name__, "repr": repr(value)[:200]}
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        try:
            return _array(value)
        except Exception as e:  # a deleted buffer, an escaped tracer in disguise
            return {"error": type(e).__name__}
    return {"object": type(value).__name__}


def tree(value: Any) -> Any:
    """All leaves of a pytree as JSON, up to a bound."""
    leaves = compat.jax().tree_util.tree_leaves(value)
    return [leaf(x) for x in leaves[:_LEAVES]]
