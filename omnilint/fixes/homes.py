"""Where functions of arrays live, as the beginnings of their dotted names."""

from __future__ import annotations

ARRAYS = ("jax.numpy.", "jax.nn.", "jax.lax.")
WITH_SCIPY = (*ARRAYS, "jax.scipy.")
WITH_RANDOM = (*ARRAYS, "jax.random.")
WITH_NUMPY = (*ARRAYS, "numpy.")
