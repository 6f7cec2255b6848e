import jax
import jax.numpy as jnp


def has(x, y):
    return y in jnp.cumsum(x)  # ! OMN501


@jax.jit
def f(x, y):
    return jnp.where(has(x, y), x, -x)
# call: f(jnp.ones(3), 1.0)
