from functools import partial, wraps
import jax


def my_jit(f=None, **kw):
    if f is None:
        return partial(my_jit, **kw)
    return jax.jit(f, **kw)


@my_jit(static_argnames="n")
def f(x, n):
    for _ in range(n):
        x = x + 1
    return x


@my_jit
def g(x):
    return x * x.shape[0] if x.ndim else x


def timed(f=None, *, label=""):
    if f is None:
        return partial(timed, label=label)

    @wraps(f)
    def inner(*a, **k):
        return f(*a, **k)

    return inner


@timed
def host(x):
    return float(x) if x > 0 else 0.0


@timed(label="b")
def host2(x):
    return float(f(x, 2)) if x > 0 else 0.0
# call: f(1.0, 2), g(1.0), host(1.0), host2(1.0)
