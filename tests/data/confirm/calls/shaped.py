import dataclasses
from functools import partial

import jax
import jax.numpy as jnp

WEIGHTS = jnp.ones((4, 5))


@jax.jit
def product(x):
    y = x @ WEIGHTS
    if y.sum() > 0:  # mark: constant
        return y
    return -y


@jax.jit
def two_steps(x, y):
    z = x @ WEIGHTS @ y
    return float(z.sum())  # mark: two


@jax.jit
def nested(params):
    y = params["w"] @ WEIGHTS
    return int(y.sum())  # mark: nested


def make(scale):
    def inner(x):
        y = x @ WEIGHTS * scale
        return float(y.sum())  # mark: made

    return jax.jit(inner)


class Model:
    def __init__(self, n_in, n_out, key):
        self.w = jax.random.normal(key, (n_in, n_out + 1))

    def __call__(self, x):
        return jax.jit(self.forward)(x)

    def forward(self, x):
        y = x @ self.w @ jnp.ones((4, 2))
        return float(y.sum())  # mark: method


@dataclasses.dataclass
class Held:
    w: jax.Array

    def __call__(self, x):
        @jax.jit
        def run(x):
            y = self.w @ x
            return float(y.sum())  # mark: field

        return run(x)


class Plain:
    def __init__(self, w, size=2):
        self.weights = w
        self.size = size

    @partial(jax.jit, static_argnums=0)
    def run(self, x):
        y = self.weights @ x
        return float(y.sum())  # mark: kept


def chosen(x, mode):
    if mode == "up":
        return float(x.sum())  # mark: word
    raise ValueError(mode)


def listed(x, *, how):
    if how not in ("left", "right"):
        raise ValueError(how)
    return float(x.sum())  # mark: words


def configured(x, cfg):
    return float(x.sum()) * cfg.limit  # mark: object


by_word = jax.jit(chosen, static_argnames="mode")
by_words = jax.jit(listed, static_argnames=("how",))
by_object = jax.jit(configured, static_argnames="cfg")

HELD = {"sign": jax.jit(lambda x: x if (x @ WEIGHTS).sum() > 0 else -x), "size": 3}  # mark: table
