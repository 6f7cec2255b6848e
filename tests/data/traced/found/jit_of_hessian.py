import jax


def f(x):
    if x > 0:  # ! OMN501
        return x * x
    return x ** 3


g = jax.jit(jax.hessian(f))
# call: g(1.0)
