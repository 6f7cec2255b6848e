"""Functions that only exist as what something else returned or holds; nobody calls any of them here."""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax


class Optimizer(NamedTuple):
    init: object
    update: object


def pair(scale):
    def init(x):
        return x * scale

    def update(grads, state):
        if grads.sum() > 0:  # mark: tuple
            return state - grads
        return state

    return init, update


def named(rate=0.1):
    def init(x):
        return x

    def update(grads, state):
        return float(state) - rate * grads  # mark: namedtuple

    return Optimizer(init, update)


def table():
    def double(x):
        return 2 * int(x)  # mark: dict

    return {"double": double, "other": jnp.sin}


def later(size):
    @functools.partial(jax.jit, static_argnames="n")
    def inner(x, n=2):
        return jnp.zeros(x)[:n]  # mark: decorated

    return inner


def solver(tol):
    def done(error):
        if error < tol:  # mark: closed over
            return 1.0
        return 0.0

    def solve(x, y):
        return x + done(y)

    return solve, tol


class Model:
    def __init__(self, width=3):
        def layer(x):
            if x.mean() > 0:  # mark: attribute
                return x
            return -x

        self.layer = layer
        self.act = lambda y: float(y.sum())  # mark: lambda
        self.width = width

    def apply(self, x):
        return self.layer(x)


def walk(xs):
    def body(carry, x):
        if x > carry:  # mark: scan
            carry = x
        return carry, x

    return lax.scan(body, 0.0, xs)


def step(carry, x):
    return carry + int(x), carry  # mark: body


def run(xs):
    return lax.scan(step, 0, xs)


def choose(flag, x):
    return lax.cond(flag, lambda v: jnp.zeros(int(v.sum())), lambda v: v, x)  # mark: cond


def outer(x):
    def helper(y):
        return bool(y.any())  # mark: nested

    return jnp.ones(3) if helper(x > 0) else x
