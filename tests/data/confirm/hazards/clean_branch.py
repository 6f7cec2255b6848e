import jax
import jax.numpy as jnp


@jax.jit
def sign(x):
    y = jnp.where(x > 0, x, -x)  # mark
    return y


def trigger():
    return sign(jnp.float32(2.0))
