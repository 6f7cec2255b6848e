import jax
import jax.numpy as jnp


class Solver:
    def __init__(self, dt):
        self.dt = dt

    def energy(self, x):
        n = int(jnp.sum(x))  # ! OMN502
        return n * self.dt

    def step(self, x):
        return x - self.energy(x)

    step = jax.jit(step, static_argnames=("self",))
# call: Solver(0.1).step(jnp.ones(3))
