import enum
import functools
from typing import Literal

import jax
import jax.numpy as jnp


class Mode(enum.Enum):
    UP = 1
    DOWN = 2


@functools.partial(jax.jit, static_argnames=("mode",))
def compared(x, *, mode):
    if mode == "up":
        return x * 2
    elif mode == "down":
        return x[: jnp.sum(x)]  # compared
    raise ValueError(mode)


@functools.partial(jax.jit, static_argnames=("mode",))
def default(x, mode="up"):
    if mode == "up":
        return x
    elif mode == "down":
        return int(x.sum())  # default
    raise ValueError(mode)


@functools.partial(jax.jit, static_argnames=("mode",))
def listed(x, mode: Literal["a", "b"]):
    table = {"a": 1, "b": 2}
    if table[mode] > 1:
        return int(x.sum())  # listed
    return x


@functools.partial(jax.jit, static_argnames=("mode",))
def member(x, mode: Mode):
    if mode is Mode.UP:
        return x
    if mode is Mode.DOWN:
        return int(x.sum())  # member
    raise ValueError(mode)


@functools.partial(jax.jit, static_argnames=("flag",))
def flag(x, flag=False):
    if flag:
        return int(x.sum())  # flag
    return x


@functools.partial(jax.jit, static_argnames=("n",))
def number(x, n=3):
    if n > 5:
        return int(x.sum())  # number
    return x


@functools.partial(jax.jit, static_argnames=("quiet",))
def truth(x, quiet):
    if not quiet:
        return int(x.sum())  # truth
    return x
