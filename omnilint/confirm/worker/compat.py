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


def peeled(value: Any) -> Any:
    """What the tracers of vmap and grad carry, which is concrete where nothing is staged; other values as they are."""
    tracer = tracer_type()
    for _ in range(8):
        if not isinstance(value, tracer):
            break
        inside = getattr(value, "primal", None)
        if inside is None and type(value).__name__ == "BatchTracer":
            inside = getattr(value, "val", None)
        if inside is None:
            break
        value = inside
    return value


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


def jit_disabled() -> bool:
    """Whether `jax.disable_jit` is on right now."""
    config = getattr(jax(), "config", None)
    value = getattr(config, "jax_disable_jit", False)
    return bool(getattr(value, "value", value))


def x64() -> Any:
    """A context in which 64-bit types are what they say."""
    newer = getattr(jax(), "enable_x64", None)
    if newer is not None:
        return newer(True)
    return importlib.import_module("jax.experimental").enable_x64()


def has_accelerator() -> bool:
    """Whether JAX may find another backend than the CPU here: a plugin, a device, or a library for one."""
    import importlib.metadata
    import importlib.util

    try:
        found = importlib.metadata.entry_points()
        named = found.select(group="jax_plugins") if hasattr(found, "select") else found.get("jax_plugins", ())
        if list(named):
            return True
    except Exception:
        return True
    if importlib.util.find_spec("jax_plugins") or importlib.util.find_spec("libtpu"):
        return True
    return any(os.path.exists(p) for p in ("/dev/nvidia0", "/dev/kfd", "/dev/accel0"))
