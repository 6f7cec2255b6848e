import time

import jax
import jax.numpy as jnp


@jax.jit
def stamped(x):
    now = time.time()  # mark
    return x + now


@jax.jit
def aged(x):
    start = time.perf_counter()  # mark: interval
    y = jnp.sin(x)
    return y, time.perf_counter() - start


def trigger():
    return stamped(jnp.float32(1.0)), aged(jnp.float32(1.0))
