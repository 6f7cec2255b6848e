from functools import partial
import jax
import jax.numpy as jnp


class A:
    def step(self, n, x):
        for _ in range(n):
            x = x + 1
        return x

    step = jax.jit(step, static_argnums=(0, 1))

    def other(self, flag, x):
        if flag:
            x = x * 2
        return x

    wrapped = partial(jax.jit, static_argnames=("self", "flag"))(other)

    def host(self, x):
        if x > 0:
            return float(x)
        return 0.0

    def _batch(x, k=None):
        if k is None:
            return x
        return x * k

    batch = staticmethod(jax.jit(jax.vmap(_batch)))
    table = {"step": step}

    def after(self, x):
        return self.host(x)
# call: A().step(2, 1.0), A().wrapped(True, 1.0), A.batch(jnp.ones(3)), A().host(1.0)
