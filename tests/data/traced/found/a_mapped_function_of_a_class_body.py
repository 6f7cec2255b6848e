import jax
import jax.numpy as jnp


class A:
    def _step(x):
        if x.sum() > 0:  # ! OMN501
            return x
        return -x

    step = jax.jit(jax.vmap(_step))
# call: A.step(jnp.ones((2, 3)))
