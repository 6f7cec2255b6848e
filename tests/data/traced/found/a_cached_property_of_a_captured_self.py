import functools
import jax
import jax.numpy as jnp


class Net:
    def __init__(self, layers):
        self.layers = layers
        self.fast = jax.jit(self._forward)
        self.calls = 0

    @functools.cached_property  # ! OMN209
    def scale(self):
        return jnp.sqrt(2.0 * self.layers)

    def _forward(self, x):
        self.calls += 1  # ! OMN203
        return x * self.scale * self.calls
# call: b = Net(3); b.fast(jnp.ones(3)); b.scale + 1
