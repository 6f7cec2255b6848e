import jax
import a_module_that_nobody_has


@jax.jit
def sign(x):
    if x > 0:  # mark
        return x
    return -x


def trigger():
    return sign(1.0)
