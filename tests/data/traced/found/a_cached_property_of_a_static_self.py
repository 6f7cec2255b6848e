import functools
from dataclasses import dataclass

import jax
import jax.numpy as jnp


class Basis:
    def __init__(self, n):
        self.n = n

    @functools.cached_property  # ! OMN209
    def matrix(self):
        return jnp.eye(3) * 2.0

    @functools.partial(jax.jit, static_argnums=0)
    def project(self, x):
        return self.matrix @ x


@dataclass(frozen=True)
class Grid:
    n: int = 4

    @functools.cached_property  # ! OMN209
    def points(self):
        return jnp.linspace(0.0, 1.0, self.n)

    @functools.partial(jax.jit, static_argnums=0)
    def integrate(self, f):
        return jnp.sum(f * self.points)
# call: b = Basis(3); b.project(jnp.ones(3)); b.matrix + 1
# call: b = Grid(3); b.integrate(jnp.ones(3)); b.points + 1
