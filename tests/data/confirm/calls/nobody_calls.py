from typing import NamedTuple

import jax
import jax.numpy as jnp


@jax.jit
def first_rows(table, count):
    return table[:count]  # mark: rows


def helper(x, n):
    return jnp.zeros(n) + x  # mark: helper


def matrix(a, b):
    product = a @ b
    if product.sum() > 0:  # mark: matrix
        return product
    return -product


def masked(values, mask):
    return values[mask]  # mark: mask


def with_dict(params):
    if params["bias"].sum() > 0:  # mark: dict
        return params["weight"]
    return params["bias"]


def keyed(key, shape=(2,)):
    draw = jax.random.normal(key, shape)
    return float(draw.sum())  # mark: key


class Scaler:
    def __init__(self, factor: float):
        self.factor = factor

    def __call__(self, x):
        return float((x * self.factor).sum())  # mark: method

    @property
    def size(self):
        return jnp.ceil(self.factor).astype(int)


class Point(NamedTuple):
    x: jax.Array
    y: jax.Array


def norm(point: Point):
    length = jnp.sqrt((point.x**2 + point.y**2).sum())
    return int(length)  # mark: instance


def make_step(rate):
    def step(state, update):
        if update > rate:  # mark: factory
            return state
        return state + update

    return step


def apply(fn, x):
    y = fn(x)
    return bool(y.sum() > 0)  # mark: callable


def impossible(thing):
    thing.open("w")
    return int(thing.total)  # mark: impossible


def integers(a, b):
    if jnp.gcd(a, b).sum() > 2:  # mark: integers
        return a
    return b
