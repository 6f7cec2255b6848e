import time

import jax

WAITED = time.sleep(3600)


@jax.jit
def bad(x):
    if x > 0:  # mark
        return x
    return -x


def trigger():
    return bad(1.0)
