from dataclasses import dataclass
from functools import partial
import jax
import jax.numpy as jnp


@partial(jax.tree_util.register_dataclass, data_fields=["x", "y"], meta_fields=[])
@dataclass
class P:
    x: jax.Array
    y: jax.Array

    def __post_init__(self):
        assert self.x > 0  # ! OMN501


@jax.jit
def f(p: P):
    return p.x + p.y
# call: f(P(1.0, 2.0))
