import jax
import jax.numpy as jnp


@jax.tree_util.register_pytree_node_class
class P:
    def __init__(self, w):
        self.w = w

    def tree_flatten(self):
        return (self.w,), None

    @classmethod
    def tree_unflatten(cls, aux, kids):
        return cls(*kids)

    def norm(self):
        if self.w.sum() > 1:  # ! OMN501
            return self.w / self.w.sum()
        return self.w

    norm = jax.jit(norm)
# call: P(jnp.ones(3)).norm()
