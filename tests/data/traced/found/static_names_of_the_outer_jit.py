import jax
import jax.numpy as jnp
from functools import partial


@partial(jax.jit, static_argnames=("n",))
@partial(jax.value_and_grad, has_aux=True, argnums=1)
def f(x, w, n, flag):
    y = x[:n] * w
    if flag:  # ! OMN501
        y = y * 2
    return y.sum(), y
# call: f(jnp.ones(3), 2.0, n=2, flag=True)
