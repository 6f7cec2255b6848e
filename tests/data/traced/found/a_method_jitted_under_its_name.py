import jax


class A:
    def step(self, n, x):
        if x > 0:  # ! OMN501
            return x * n
        return x

    step = jax.jit(step, static_argnums=0)
# call: A().step(2, 1.0)
