from dataclasses import dataclass
import jax
import jax.numpy as jnp


@jax.tree_util.register_pytree_node_class
@dataclass
class Vec:
    x: jax.Array
    n: int

    def __post_init__(self):
        assert jnp.all(jnp.isfinite(self.x)), "nan"  # ! OMN501

    def tree_flatten(self):
        return (self.x,), (self.n,)

    @classmethod
    def tree_unflatten(cls, aux, kids):
        return cls(*kids, *aux)


def main(xs):
    return jax.vmap(lambda v: v.x * 2)(Vec(xs, 2))
# call: main(jnp.ones(3))
