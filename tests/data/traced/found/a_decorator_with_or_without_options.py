from functools import partial
import jax


def my_jit(f=None, **kw):
    if f is None:
        return partial(my_jit, **kw)
    return jax.jit(f, **kw)


@my_jit(static_argnames="n")
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
