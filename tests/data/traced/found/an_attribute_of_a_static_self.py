from functools import partial
import jax
import jax.numpy as jnp


class Meter:
    def __init__(self):
        self.acc = 0.0

    @partial(jax.jit, static_argnums=0)
    def add(self, x):
        self.acc = self.acc + x  # ! OMN203
        return self.acc
# call: m = Meter(); m.add(1.0); m.acc + 1
