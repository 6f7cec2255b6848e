import jax
import jax.numpy as jnp

TRACES = []


@jax.jit
def double(x):
    TRACES.append(x.shape)  # mark
    return x * 2


def trigger():
    return double(jnp.float32(1.0)), double(jnp.float32(1.0))
