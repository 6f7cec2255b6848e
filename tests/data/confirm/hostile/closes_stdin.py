import os
import sys

import jax


@jax.jit
def bad(x):
    sys.stdin.close()
    os.close(0)
    os.close(1)
    sys.stdout.close()
    if x > 0:  # mark
        return x
    return -x


def trigger():
    return bad(1.0)
