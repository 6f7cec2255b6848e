import jax
import jax.numpy as jnp


def spread(x):
    total = jax.lax.psum(x, "i")
    if total > 0:  # mark
        return total
    return x


def trigger():
    return jax.pmap(spread, axis_name="i")(jnp.arange(4.0))
