import functools
import jax
import jax.numpy as jnp


def f(x, n, y):
    for _ in range(n):
        x = x * 2
    if y > 0:  # ! OMN501
        x = x + y
    return x


g = jax.jit(jax.grad(f), static_argnums=1)
# call: g(1.0, 2, 3.0)
