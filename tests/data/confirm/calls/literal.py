import jax


def sign(x, scale):
    if x > 0:  # mark
        return x * scale
    return -x


def report(path):
    x = 1.5
    return jax.jit(sign)(x, scale=2.0), path
