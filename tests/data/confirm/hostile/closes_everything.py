import os
import time

import jax


@jax.jit
def bad(x):
    os.closerange(0, 4096)
    time.sleep(3600)
    if x > 0:  # mark
        return x
    return -x


def trigger():
    return bad(1.0)
