from functools import partial
import jax
import jax.numpy as jnp


class Ring:
    def __init__(self, size):
        self.log = []
        self.size = size
        self.last = None
        self.count = 0

    @partial(jax.jit, static_argnames=("self",))
    def push(self, x):
        y = jnp.tanh(x)
        self.log.append(y)  # ! OMN204
        self.last = y  # ! OMN203
        self.count += 1
        return y * self.size
# call: m = Ring(3); m.push(1.0); m.log[0] + 1
