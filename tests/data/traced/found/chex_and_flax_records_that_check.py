import chex
import jax
import jax.numpy as jnp
from flax import struct


@chex.dataclass
class Bounds:
    low: chex.Array
    high: chex.Array

    def __post_init__(self):
        if jnp.any(self.low > self.high):  # ! OMN501
            raise ValueError("empty")


class Node(struct.PyTreeNode):
    w: jax.Array

    def __post_init__(self):
        object.__setattr__(self, "total", float(jnp.sum(self.w)))  # ! OMN502


@jax.jit
def width(b: Bounds):
    return b.high - b.low


twice = jax.jit(jax.grad(lambda n, k: (n.w * k).sum()))


def main():
    return twice(Node(w=jnp.ones(3)), 2.0)
# call: width(Bounds(low=jnp.zeros(3), high=jnp.ones(3)))
# call: main()
