import functools
import jax
import jax.numpy as jnp


def loss(params, x):
    if params > 0:  # ! OMN501
        return params * x
    return -params * x


g = jax.jit(jax.value_and_grad(loss))
# call: g(1.0, 2.0)
