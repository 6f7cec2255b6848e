import jax
import jax.numpy as jnp


@jax.jit
def halve(x):
    half = jnp.floor_divide(x.shape[0], 2)  # mark
    return jnp.zeros(half)  # raises


def trigger():
    return halve(jnp.arange(6.0))
