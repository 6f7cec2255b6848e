import equinox as eqx
import jax
import jax.numpy as jnp


@eqx.filter_jit
@eqx.filter_value_and_grad
def loss(model, x):
    y = jnp.sum(model * x)
    if y > 0:  # ! OMN501
        return y
    return -y
# call: loss(jnp.ones(3), jnp.ones(3))
