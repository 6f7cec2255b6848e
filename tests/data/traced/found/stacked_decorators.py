import jax


@jax.jit
@jax.grad
def f(x, n):
    if n > 0:  # ! OMN501
        x = x * n
    return x
# call: f(1.0, 2.0)
