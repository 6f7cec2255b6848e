import functools

import jax
import jax.numpy as jnp


def cut(x, n):
    return x[:n]


@jax.jit
def one(x):
    return cut(x, 2)


@jax.jit
def two(x):
    return cut(x, x.sum().astype(int))


def rows(x, n):
    return x.reshape(n, -1)


@jax.jit
def by_two(x):
    return rows(x, 2)


def inside(x):
    return jax.jit(lambda v: rows(v, v.sum().astype(int)))(x)


@functools.partial(jax.jit, static_argnames="flag")
def mixed(x, flag):
    n = x.sum().astype(int) if flag else 2
    return x.reshape(n, -1)


def few(x, n):
    return x[:n]


@jax.jit
def only(x):
    return few(x, 2)


def size_of(x, n):
    return jnp.zeros((n, 3)) + x


@jax.jit
def sized(x):
    return size_of(x, 2)


one(jnp.ones(4))
by_two(jnp.ones(4))
mixed(jnp.ones(4), False)
only(jnp.ones(4))
sized(jnp.ones((2, 3)))
