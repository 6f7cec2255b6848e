import sys

import jax


@jax.jit
def bad(x):
    sys.exit(5)
    if x > 0:  # mark
        return x
    return -x


def trigger():
    return bad(1.0)
