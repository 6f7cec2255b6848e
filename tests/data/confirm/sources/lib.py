"""Functions whose arguments come from different sources, each with the name of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

if TYPE_CHECKING:
    from jaxtyping import Array, Float, Int


@jax.jit
def called(x, y):
    if (x @ y).sum() > 0:
        return x
    return -x


def use():
    return called(jnp.ones((4, 6)), jnp.ones((6, 2)))


@jax.jit
def literal(x, y):
    if (x @ y).sum() > 0:
        return x
    return -x


def uses(n):
    size = 6
    return literal(jnp.ones((4, size)), jnp.ones((size, 2))) * n


@jax.jit
def in_tests(x, opts):
    if opts["a"].sum() > 0:
        return x
    return -x


@jax.jit
def in_main(x):
    a, b, c, d = x.shape
    if x.sum() > 0:
        return x
    return -x


@jax.jit
def in_doctest(x):
    """Doc.

    >>> in_doctest(jnp.ones((3, 9, 2)))
    """
    a, b, c = x.shape
    if x[0, 8, 1] > 0:
        return x
    return -x


@jax.jit  # omnilint: inputs(f32[3,11])
def hinted_beside(x):
    if x[0, 10] > 0:
        return x
    return -x


# omnilint: inputs(f32[3,11], n=4)
def hinted(x, n):
    assert x.shape == (3, 11) and n == 4
    if jnp.any(x > 0):
        return x * n
    return -x


def configured(x, n):
    assert x.shape == (2, 7) and n == 3
    if jnp.any(x > 0):
        return x * n
    return -x


@jax.jit
def typed(x: Float[Array, "batch feat"], w: Float[Array, "feat out"], i: Int[Array, ""]):
    y = x @ w
    if y.sum() > i:
        return y
    return -y


def defaulted(x, n=3, flag=True):
    assert n == 3
    if jnp.any(x > 0):
        return x * n
    return -x


@jax.jit
def searched(params, batch, key):
    w, b = params["w"], params["b"]
    x, y = batch
    if (x @ w + b - y).sum() > jax.random.normal(key):
        return x
    return -x


if __name__ == "__main__":
    in_main(jnp.ones((1, 2, 3, 4)))
