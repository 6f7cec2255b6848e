import functools

import jax
import jax.numpy as jnp


class Grid:
    def __init__(self, points):
        self.points = points

    def __hash__(self):
        return 1

    def __eq__(self, other):
        return bool((self.points == other.points).all())  # mark


@functools.partial(jax.jit, static_argnames="grid")
def inner(x, grid):
    return x + grid.points.sum()


@jax.jit
def outer(x, points):
    return inner(x, grid=Grid(points)) + inner(x, grid=Grid(points + 1))


def trigger():
    return outer(1.0, jnp.arange(3.0))
