import jax
import jax.numpy as jnp


@jax.jit
def f(x):
    y = x * 2.0
    if 3 in y:  # ! OMN501
        return x
    return -x
# call: f(jnp.ones(3))
