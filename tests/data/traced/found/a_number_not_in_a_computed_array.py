import jax
import jax.numpy as jnp


@jax.jit
def f(x):
    if 0.5 not in jnp.exp(x):  # ! OMN501
        return x
    return -x
# call: f(jnp.ones(3))
