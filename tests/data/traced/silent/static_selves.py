import functools
from functools import partial
import jax
import jax.numpy as jnp
import numpy as np


class Basis:
    def __init__(self, n):
        self.n = n
        self.cache = {}
        self.steps = 0

    @functools.cached_property
    def matrix(self):
        return np.eye(self.n)

    @functools.cached_property
    def eager(self):
        with jax.ensure_compile_time_eval():
            return jnp.eye(self.n)

    @property
    def twice(self):
        return jnp.eye(self.n) * 2

    @functools.cached_property
    def host_only(self):
        return jnp.eye(self.n) * 3

    @partial(jax.jit, static_argnums=0)
    def project(self, x):
        local = []
        local.append(x)
        return self.matrix @ (self.eager @ (self.twice @ x))

    def run(self, x):
        self.steps += 1
        self.last = self.project(x)
        return self.last @ self.host_only

    @partial(jax.jit, static_argnums=0)
    def sizes(self, x):
        if self.n not in self.cache:
            self.cache[self.n] = x.shape
        return x * len(self.cache)


class Scoped:
    @partial(jax.jit, static_argnums=0)
    def f(self, x):
        old = self.mode
        self.mode = "train"
        y = x * 2
        self.mode = old
        return y

    def __init__(self):
        self.mode = "eval"
# call: b = Basis(3); b.run(jnp.ones(3)); b.run(jnp.ones(3)); b.sizes(jnp.ones(3)); Scoped().f(1.0)
