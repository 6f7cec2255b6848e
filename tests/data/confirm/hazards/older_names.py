import jax
import jax.numpy as jnp
from jax import partial, tree_multimap
from jax.experimental import optimizers


@partial(jax.jit, static_argnums=1)
def spread(tree, n):
    size = jnp.multiply(n, 2)  # mark
    return tree_multimap(lambda a: a + jnp.ones(size).sum(), tree)  # raises


init, update, get = optimizers.sgd(0.1)


def trigger():
    return spread({"a": jnp.ones(3)}, 2)
