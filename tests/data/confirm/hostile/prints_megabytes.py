import sys

import jax


@jax.jit
def bad(x):
    for _ in range(300):
        print("x" * 100_000)
        sys.stderr.write("y" * 100_000)
    if x > 0:  # mark
        return x
    return -x


def trigger():
    return bad(1.0)
