import functools
import jax


def compiled(*args, **kw):
    if len(args) == 1 and callable(args[0]):
        return jax.jit(args[0])
    return functools.partial(jax.jit, **kw)


@compiled(static_argnames=("n",))
def f(x, n):
    for _ in range(n):
        x = x + 1
    if x > 0:  # ! OMN501
        return x
    return -x


@compiled
def g(x, n):
    return x.reshape(n)  # ! OMN503


@compiled()
def h(x):
    return float(x)  # ! OMN502
# call: f(1.0, n=2)
# call: g(1.0, 1)
# call: h(1.0)
