from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames=("debug",))
def both(x, debug):
    if debug and jnp.any(x > 0):  # mark: and
        return x
    return -x


@partial(jax.jit, static_argnames=("debug",))
def either(x, debug):
    assert debug or jnp.any(x > 0)  # mark: or
    return x


@partial(jax.jit, static_argnames=("size",))
def arm(x, size):
    return x * (float(x.sum()) if size else 1.0)  # mark: arm


@partial(jax.jit, static_argnames=("sizes",))
def each(x, sizes):
    return [float(x.sum()) for _ in sizes]  # mark: each


def test_all():
    x = jnp.ones(3)
    both(x, False)
    either(x, True)
    arm(x, 0)
    each(x, ())
