import jax
import jax.numpy as jnp


def loss(w, x):
    m = w.reshape(jnp.prod(jnp.array(w.shape)))  # ! OMN101
    return (m * x).sum()


g = jax.jit(jax.vmap(jax.grad(loss), in_axes=(None, 0)))
# call: g(jnp.ones((2, 2)), jnp.ones((3, 4)))
