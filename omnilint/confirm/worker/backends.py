"""Which backends JAX has here, each with its number of devices."""

from __future__ import annotations

from typing import Any

from . import compat

_PLATFORMS = ("cpu", "cuda", "rocm", "tpu", "METAL")


def there() -> Any:
    """{"backends": {platform: devices}, "default": platform, "problem": why the first of the others isn't there}."""
    jax = compat.jax()
    found: dict[str, int] = {}
    problem = ""
    for platform in _PLATFORMS:
        try:
            found[platform] = len(jax.devices(platform))
        except Exception as e:
            problem = problem or f"{type(e).__name__}: {str(e)[:300]}"
    try:
        default = str(jax.default_backend())
    except Exception as e:
        default, problem = "", f"{type(e).__name__}: {str(e)[:300]}"
    return {"backends": found, "default": default, "problem": problem}
