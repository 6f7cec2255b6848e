import functools
import jax


def my_jit(f=None, *, static=()):
    def wrap(fn):
        @functools.wraps(fn)
        def inner(*a, **k):
            return compiled(*a, **k)
        compiled = jax.jit(fn, static_argnames=static)
        return inner
    return wrap if f is None else wrap(f)


@my_jit(static=("n",))
def f(x, n):
    for _ in range(n):
        x = x + 1
    if x > 0:  # ! OMN501
        return x
    return -x


@my_jit
def g(x, n):
    return x.reshape(n)  # ! OMN503
# call: f(1.0, n=2)
# call: g(1.0, 1)
