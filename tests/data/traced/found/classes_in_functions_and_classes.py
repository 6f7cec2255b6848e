import jax


def make():
    class A:
        def _impl(x, n):
            y = x
            while y < n:  # ! OMN501
                y = y * 2
            return y

        step = staticmethod(jax.jit(_impl))

        def step2(self, x):
            return float(x)  # ! OMN502

        step2 = jax.jit(step2, static_argnums=0)

        @property
        @jax.jit
        def host(self):
            return 1

    return A


class Outer:
    class B:
        jitted = jax.jit

        @jitted
        def inner(x):
            return float(x)  # ! OMN502

        inner = staticmethod(inner)
# call: make().step(1.0, 2.0)
# call: make()().step2(1.0)
# call: Outer.B.inner(1.0)
