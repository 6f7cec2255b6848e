import jax
import jax.numpy as jnp


def trigger():
    seen = []

    @jax.jit
    def f(x):
        y = x * 2
        seen.append(y)  # mark
        return y + 1

    return f(jnp.float32(1.0))
