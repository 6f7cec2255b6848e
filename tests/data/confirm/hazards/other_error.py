import jax


@jax.jit
def f(x):
    if x is not None:
        raise ValueError("mine")
    if x > 0:  # mark
        return x
    return -x


def trigger():
    return f(1.0)
