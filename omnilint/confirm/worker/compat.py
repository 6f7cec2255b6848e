"""JAX as the worker needs it, whatever its version: tracers, whether a trace is active, the backend."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def jax() -> Any:
    """The jax package, imported."""
    return importlib.import_module("jax")


def tracer_type() -> Any:
    """The class of all tracers."""
    return importlib.import_module("jax.core").Tracer


def trace_active() -> bool:
    """Whether a transform is tracing right now in this thread."""
    # The public name went from jax.core in 0.10; the private one is there in every version since 0.4.
    core = sys.modules.get("jax._src.core") or _module("jax._src.core")
    clean = getattr(core, "trace_state_clean", None) or getattr(sys.modules.get("jax.core"), "trace_state_clean", None)
    return bool(clean is not None and not clean())


def backend_started() -> bool:
    """Whether JAX has a live backend, after which this process must not be forked."""
    bridge = sys.modules.get("jax._src.xla_bridge")
    asked = getattr(bridge, "backends_are_initialized", None)
    if asked is not None:
        return bool(asked())
    return bool(getattr(bridge, "_backends", None))


def backend_name() -> str | None:
    """The platform of the default backend; while none is up, the only one that may be, or None."""
    if not backend_started():
        allowed = os.environ.get("JAX_PLATFORMS", "").split(",")
        return allowed[0] if len(allowed) == 1 and allowed[0] else None
    try:
        return str(jax().default_backend())
    except Exception:
        return None


def is_key(value: Any) -> bool:
    """Whether `value` is a new-style key array, whose bits must be asked for."""
    dtypes = getattr(jax(), "dtypes", None)
    kind = getattr(dtypes, "prng_key", None)
    dtype = getattr(value, "dtype", None)
    if kind is None or dtype is None:
        return False
    try:
        return bool(jax().dtypes.issubdtype(dtype, kind))
    except Exception:
        return False
