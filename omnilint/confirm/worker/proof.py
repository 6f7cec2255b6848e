"""What a repair must leave as it was: results with their structure, and how much is staged out."""

from __future__ import annotations

import contextlib
import hashlib
import re
from typing import Any

from . import compat, digest

_LEAVES = 200
_NUMBERS, _SOME = 2000, 200
_CALLS = 50


def tree(value: Any, some: bool = False, home: Any = None) -> Any:
    """A result as JSON: its structure and its leaves with dtype, shape, weak type and numbers.

    With `some` fewer numbers are told, and tracers by what they carry, or by shape, dtype and weak type. With `home`
    objects are told with what they hold.
    """
    util = compat.jax().tree_util
    leaves, structure = util.tree_flatten(value)
    told = [_leaf(compat.peeled(x), _SOME) if some else _leaf(x, _NUMBERS) for x in leaves[:_LEAVES]]
    if home is not None:
        from . import left

        for i, one in enumerate(told):
            if "object" in one:
                one["held"] = left.of_object(home, leaves[i])
    return {"structure": address_free(structure), "leaves": told, "count": len(leaves)}


def address_free(structure: Any) -> str:
    """A tree's structure in words, without where its static parts happen to lie in memory."""
    return re.sub(r"\b0x[0-9a-f]+", "0x", str(structure))


def leaf(value: Any) -> Any:
    """One leaf as JSON, with some of its numbers; tracers by shape, dtype and weak type."""
    return _leaf(value, _SOME)


def scalar(value: Any) -> Any:
    """A number or text of Python's; of a long one the beginning, and a hash of all."""
    text = address_free(repr(value))
    told = {"python": type(value).__name__, "repr": text[:200]}
    return told if len(text) <= 200 else dict(told, hash=hashlib.sha256(text.encode("utf-8", "replace")).hexdigest())


def _leaf(value: Any, numbers: int) -> Any:
    import numpy as np

    if isinstance(value, (str, bytes, complex)):
        return scalar(value)

    if numbers == _SOME and isinstance(value, compat.tracer_type()):
        return _abstract(value)
    told = digest.leaf(value)
    if "dtype" not in told:
        return told
    told["weak"] = bool(getattr(value, "weak_type", False))
    if compat.is_key(value):
        return told
    array = np.asarray(value)
    if array.dtype.kind in "biufc" or array.dtype.kind == "V":
        step = max(1, -(-array.size // numbers))
        some = array.ravel()[::step].astype("complex128" if array.dtype.kind == "c" else "float64")
        parts = [some.real, some.imag] if array.dtype.kind == "c" else [some]
        told["numbers"] = [number(float(x)) for part in parts for x in part]
        # Whole numbers have to agree in every place, of which not all are told.
        told["whole"] = array.dtype.kind in "biu"
        told["eps"] = _eps(array.dtype)
    return told


def _abstract(value: Any) -> Any:
    """A tracer that carries no number."""
    shape = [n if isinstance(n, int) else str(n) for n in value.shape]
    weak = bool(getattr(value, "weak_type", False))
    return {"dtype": str(value.dtype), "shape": shape, "weak": weak, "abstract": True}


def number(x: float) -> Any:
    """JSON has neither infinities nor NaN."""
    return x if x - x == 0 else str(x)


def _eps(dtype: Any) -> float:
    with contextlib.suppress(Exception):
        return float(compat.jax().numpy.finfo(dtype).eps)
    return 0.0


def outputs(calls: Any) -> Any:
    """What jitted functions gave that no other jitted function called, in order: as arrays, which they give out."""
    jax = compat.jax()
    told = []
    for call in [c for c in calls if c[5]][:_CALLS]:
        with contextlib.suppress(Exception):
            told.append(
                {"fn": call[0].label, "out": tree(jax.tree_util.tree_map(jax.numpy.asarray, call[3]), some=True)}
            )
    return told


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
