from typing import Callable, Optional
import jax


def my_jit(fun: Optional[Callable] = None, *, static_argnums=(), donate=False):
    if fun is None:
        def deco(g):
            return my_jit(g, static_argnums=static_argnums, donate=donate)
        return deco
    if not callable(fun):
        raise TypeError
    donated = (0,) if donate else ()
    return jax.jit(fun, static_argnums=static_argnums, donate_argnums=donated)


@my_jit(static_argnums=1)
def f(x, n):
    for _ in range(n):
        x = x + 1
    if x > 0:  # ! OMN501
        return x
    return -x


@my_jit()
def g(x, n):
    return x.reshape(n)  # ! OMN503


class A:
    @my_jit(static_argnums=(0, 2))
    def m(self, x, n):
        while x < n:  # ! OMN501
            x = x * 2
        return x
# call: f(1.0, 2)
# call: g(1.0, 1)
# call: A().m(1.0, 2)
