from dataclasses import dataclass, field
from functools import partial
import flax.struct
import jax
import jax.numpy as jnp


@partial(jax.tree_util.register_dataclass, data_fields=["x"], meta_fields=["n"])
@dataclass
class P:
    x: jax.Array
    n: int = 3

    def __post_init__(self):
        assert self.n > 0
        if self.x is None:
            raise ValueError
        if isinstance(self.x, jax.Array) and self.x.ndim > 3:
            raise ValueError


@jax.jit
def f(p: P):
    return p.x * p.n


@flax.struct.dataclass
class State:
    w: jax.Array
    name: str = flax.struct.field(pytree_node=False, default="a")

    def __post_init__(self):
        if self.name == "":
            raise ValueError


@jax.jit
def g(s):
    return s.replace(w=s.w * 2)


@jax.tree_util.register_pytree_node_class
class Gauss:
    def __init__(self, mean, var):
        if not isinstance(var, jax.core.Tracer) and not var > 0:
            raise ValueError("variance")
        self.mean = mean
        self.var = var

    def tree_flatten(self):
        return (self.mean, self.var), None

    @classmethod
    def tree_unflatten(cls, aux, kids):
        return cls(*kids)


@jax.tree_util.register_pytree_node_class
class Safe:
    def __init__(self, mean, var):
        if not var > 0:
            raise ValueError("variance")
        self.mean = mean
        self.var = var

    def tree_flatten(self):
        return (self.mean, self.var), None

    @classmethod
    def tree_unflatten(cls, aux, kids):
        out = object.__new__(cls)
        out.mean, out.var = kids
        return out


@jax.jit
def h(a, b):
    return a.mean * b.var


@dataclass
class Options:
    tol: float

    def __post_init__(self):
        if self.tol < 0:
            raise ValueError


@partial(jax.jit, static_argnums=1)
def k(x, n):
    o = Options(1e-3)
    return x * o.tol


def main():
    f(P(jnp.ones(3), 2))
    g(State(jnp.ones(3)))
    k(1.0, 2)
    return h(Gauss(1.0, 1.0), Safe(1.0, 1.0))
# call: main()
