import jax
from functools import partial


def maybe_jit(f=None, jit=True, static_argnames=()):
    if f is None:
        return lambda fn: maybe_jit(fn, jit, static_argnames)
    if not jit:
        return f
    return partial(jax.jit, static_argnames=static_argnames)(f)


@maybe_jit(static_argnames=("n",))
def f(x, n):
    for _ in range(n):
        x = x + 1
    return int(x)  # ! OMN502


@maybe_jit(jit=False)
def host(x):
    return int(x)
# call: f(1.0, n=2)
