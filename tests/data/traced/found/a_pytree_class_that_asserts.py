import jax
import jax.numpy as jnp


@jax.tree_util.register_pytree_node_class
class Gauss:
    def __init__(self, mean, var):
        if not var > 0:  # ! OMN501
            raise ValueError("variance")
        self.mean = mean
        self.var = var

    def tree_flatten(self):
        return (self.mean, self.var), None

    @classmethod
    def tree_unflatten(cls, aux, kids):
        return cls(*kids)


@jax.jit
def scale(g: Gauss, k):
    return Gauss(g.mean * k, 1.0).mean


def main():
    return scale(Gauss(jnp.ones(3), jnp.array(1.0)), 2.0)
# call: main()
