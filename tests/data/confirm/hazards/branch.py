import jax
import jax.numpy as jnp


@jax.jit
def sign(x):
    if x > 0:  # mark
        return x
    return -x


def trigger():
    return sign(jnp.float32(2.0))
