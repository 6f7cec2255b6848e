import jax
import jax.numpy as jnp


class Recorder:
    def __init__(self):
        self.last = None

    def keep(self, x):
        self.last = x * 2  # mark
        return x + 1


def trigger():
    r = Recorder()
    jax.jit(r.keep)(jnp.float32(1.0))
    return r.last + 1
