"""Functions whose only calls stand in their doctests, and what annotations say of their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

if TYPE_CHECKING:
    from jaxtyping import Array, Float, Int


@jax.jit
def rows(table, picked):
    """Some rows of a table.

    >>> import jax.numpy as jnp
    >>> table = jnp.arange(12.0).reshape(4, 3)
    >>> rows(table, jnp.array([True, False, True, False]))
    Array(...)
    """
    return table[picked]  # mark: doctest


@jax.jit
def project(x: Float[Array, "batch features"], w: Float[Array, "features out"], n: Int[Array, ""]):
    y = x @ w
    return y[:n]  # mark: jaxtyping
