"""What a repair must leave as it was: results with their structure, and how much is staged out."""

from __future__ import annotations

import contextlib
import hashlib
from typing import Any

from . import compat, digest

_LEAVES = 200
_NUMBERS = 2000


def tree(value: Any) -> Any:
    """A result as JSON: its structure and its leaves with dtype, shape, weak type and numbers."""
    util = compat.jax().tree_util
    leaves, structure = util.tree_flatten(value)
    return {"structure": str(structure), "leaves": [_leaf(x) for x in leaves[:_LEAVES]], "count": len(leaves)}


def _leaf(value: Any) -> Any:
    import numpy as np

    told = digest.leaf(value)
    if "dtype" not in told:
        return told
    told["weak"] = bool(getattr(value, "weak_type", False))
    if compat.is_key(value):
        return told
    array = np.asarray(value)
    if array.dtype.kind in "biufc" or array.dtype.kind == "V":
        wide = array.astype("complex128" if array.dtype.kind == "c" else "float64").ravel()
        step = max(1, -(-wide.size // _NUMBERS))
        some = wide[::step]
        parts = [some.real, some.imag] if array.dtype.kind == "c" else [some]
        told["numbers"] = [_number(float(x)) for part in parts for x in part]
        # Whole numbers have to agree in every place, of which not all are told.
        told["whole"] = array.dtype.kind in "biu"
        told["eps"] = _eps(array.dtype)
    return told


def _number(x: float) -> Any:
    """JSON has neither infinities nor NaN."""
    return x if x - x == 0 else str(x)


def _eps(dtype: Any) -> float:
    with contextlib.suppress(Exception):
        return float(compat.jax().numpy.finfo(dtype).eps)
    return 0.0


def equations(calls: Any) -> Any:
    """How many operations the recorded jitted calls stage out in all; None when that can't be told."""
    total = 0
    seen = set()
    for call in calls[:50]:
        function, args, kwargs = call[0], call[1], call[2]
        try:
            closed = function.trace(*args, **kwargs).jaxpr
        except Exception:
            return None
        text = hashlib.sha256(f"{function.label}\0{closed}".encode()).hexdigest()
        if text not in seen:
            seen.add(text)
            total += _count(closed.jaxpr)
    return total if seen else None


def _count(jaxpr: Any) -> int:
    from .equations import inner

    return sum(1 + sum(_count(j) for _, j in inner(eqn)) for eqn in jaxpr.eqns)
