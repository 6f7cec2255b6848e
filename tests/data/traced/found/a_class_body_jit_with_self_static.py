import jax


class A:
    def _impl(self, n, x):
        for _ in range(n):  # ! OMN502
            x = x + 1
        return x

    step = jax.jit(_impl, static_argnums=(0,))
# call: A().step(2, 1.0)
