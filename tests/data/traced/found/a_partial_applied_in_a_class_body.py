from functools import partial
import jax


class A:
    def _impl(self, n, x):
        if x > 0:  # ! OMN501
            return x * n
        return x

    step = partial(jax.jit, static_argnums=(0, 1))(_impl)
# call: A().step(2, 1.0)
