import functools

import jax
import jax.numpy as jnp


class Linear:
    def __init__(self, rows, columns, *, key):
        self.weight = jax.random.normal(key, (rows, columns))

    def __call__(self, x):
        return x @ self.weight


class Net:
    def __init__(self, a, b, *, key):
        self.layer = Linear(a, b, key=key)

    @functools.partial(jax.jit, static_argnums=0)
    def __call__(self, x):
        return float(self.layer(x).sum())  # mark: sizes


class Named:
    def __init__(self, din, dout):
        if not isinstance(din, int) or not isinstance(dout, int):
            raise TypeError(din)
        self.weight = jnp.ones((din, dout))

    @functools.partial(jax.jit, static_argnums=0)
    def __call__(self, x):
        return float((x @ self.weight).sum())  # mark: names


class Total:
    def __init__(self):
        self.seen = 0

    @functools.partial(jax.jit, static_argnums=0)
    def __add(self, x):
        if x.sum() > 0:  # mark: own
            return x
        return -x
