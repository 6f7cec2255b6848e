from dataclasses import dataclass

import chex
import equinox as eqx
import jax
import jax.numpy as jnp
from flax import struct


@struct.dataclass
class State:
    x: jax.Array
    scale: float = 1.0

    def __post_init__(self):
        x = jnp.asarray(self.x)
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "n", x.shape[-1] if x.ndim else 1)
        assert self.x.ndim < 4 and self.n > 0


@jax.jit
def f(s: State):
    return s.x.reshape(s.n) * s.scale


class Layer(eqx.Module):
    w: jax.Array

    def __post_init__(self):
        if self.w.sum() < 0:
            raise ValueError


@jax.jit
def g(layer: Layer, x):
    return layer.w * x


@jax.tree_util.register_dataclass
@dataclass
class Interval:
    low: float
    high: float

    def __post_init__(self):
        try:
            ok = bool(self.low <= self.high)
        except jax.errors.TracerBoolConversionError:
            return
        if not ok:
            raise ValueError


@jax.jit
def h(i: Interval):
    return i.high - i.low


slope = jax.grad(lambda i: i.low + 2 * i.high)


@jax.tree_util.register_dataclass
@dataclass
class Pair:
    a: "Interval"
    b: "Interval | None" = None

    def __post_init__(self):
        if self.b is None:
            self.b = self.a


@jax.jit
def k(p: Pair):
    return p.a.low + p.b.high


@chex.dataclass
class Sizes:
    n: int
    data: chex.Array

    def __post_init__(self):
        if not isinstance(self.n, jax.Array) and self.n < 0:
            raise ValueError


@jax.jit
def m(s: Sizes):
    return s.data * s.n


def main():
    f(State(jnp.ones(3)))
    g(Layer(jnp.ones(3)), 2.0)
    k(Pair(Interval(0.0, 1.0)))
    m(Sizes(n=3, data=jnp.ones(3)))
    slope(Interval(1.0, 2.0))
    return h(Interval(0.0, 1.0))
# call: main()
