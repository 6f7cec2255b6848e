import jax
import jax.numpy as jnp


@jax.jit
def f(x, y):
    z = x * 2.0
    if y in z:  # ! OMN501
        return x
    return -x
# call: f(jnp.ones(3), 1.0)
