import functools
from functools import partial, wraps
import jax
import jax.numpy as jnp


def checked(f):
    jf = jax.jit(f, static_argnums=(1,))

    @wraps(f)
    def inner(*args, **kw):
        if kw.get("debug"):
            return f(*args, **kw)
        return jf(*args)

    return inner


@checked
def run(x, n, debug=False):
    for _ in range(n):
        x = x + 1
    if debug:
        print(float(x))
    return x


def jit_method(f=None, **options):
    if f is None:
        return partial(jit_method, **options)
    compiled = jax.jit(f, static_argnums=0, **options)

    @wraps(f)
    def inner(self, *args, **kw):
        self.count += 1
        return compiled(self, *args, **kw)

    return inner


class A:
    def __init__(self):
        self.count = 0
        self.n = 3

    @jit_method
    def f(self, x):
        return x.reshape(self.n)

    @jit_method(static_argnames=("mode",))
    def g(self, x, mode):
        return x if mode == "a" else -x


def apply_all(*fns):
    def run_all(x):
        for f in fns:
            x = f(x)
        return x

    return jax.jit(run_all)


both = apply_all(jnp.sin, jnp.cos)


def vectorised(f, *, static=None):
    static = tuple(static or ())
    g = jax.jit(jax.vmap(f, in_axes=(0,) + (None,) * len(static)), static_argnums=tuple(range(1, 1 + len(static))))

    def call(*args):
        return g(*args)

    return call


@partial(vectorised, static=["k"])
def power(x, k):
    out = x
    for _ in range(k - 1):
        out = out * x
    return out
# call: run(1.0, 2), A().f(jnp.ones(3)), A().g(1.0, mode="a"), both(1.0)
