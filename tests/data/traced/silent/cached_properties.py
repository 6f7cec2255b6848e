import functools
from dataclasses import dataclass
from functools import partial
import jax
import jax.numpy as jnp


class Node:
    def __init__(self, w):
        self.w = w

    @functools.cached_property
    def norm(self):
        return jnp.sum(self.w**2)


def register(cls):
    jax.tree_util.register_pytree_node(cls, lambda o: ((o.w,), None), lambda aux, kids: cls(*kids))


register(Node)


@jax.jit
def f(node, x):
    return x * node.norm


@jax.jit
def g(node: Node, x):
    return x * node.norm


def inside(x):
    n = Node(x)
    return n.norm * n.norm


h = jax.jit(inside)


@dataclass(frozen=True)
class Grid:
    n: int

    @functools.cached_property
    def points(self):
        with jax.ensure_compile_time_eval():
            return jnp.linspace(0.0, 1.0, self.n)

    @functools.cached_property
    def step(self):
        return 1.0 / self.n

    @partial(jax.jit, static_argnums=0)
    def integrate(self, f):
        return jnp.sum(f * self.points) * self.step


class Warm:
    def __init__(self, n):
        self.n = n
        self.table

    @functools.cached_property
    def table(self):
        return jnp.arange(self.n)

    @partial(jax.jit, static_argnums=0)
    def look(self, i):
        return self.table[i]


class Optimiser:
    def __init__(self, lr):
        self.lr = lr
        self.iteration = 0
        self.best = 1.0

    @partial(jax.jit, static_argnums=0)
    def step(self, w, t):
        return w - self.lr * w / (1 + t)

    def run(self, w, n):
        while self.iteration < n:
            w = self.step(w, self.iteration)
            self.iteration += 1
            self.best = min(self.best, float(w))
        if self.iteration is None or isinstance(self.best, jnp.ndarray):
            raise ValueError
        return w
# call: f(Node(1.0), 1.0); g(Node(1.0), 1.0); h(1.0); Grid(3).integrate(1.0); Warm(3).look(0); Optimiser(0.1).run(1.0, 3)
