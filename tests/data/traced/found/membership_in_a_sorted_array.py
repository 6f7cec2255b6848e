import jax
import jax.numpy as jnp


@jax.jit
def f(x):
    s = jnp.sort(x)[1:]
    assert not (0 in s), "zeros"  # ! OMN501
    return s


@jax.jit
def g(x):
    s = jnp.sort(x)[1:]
    return any(v in s for v in (1, 2))  # ! OMN501
# call: f(jnp.ones(3))
# call: g(jnp.ones(3))
