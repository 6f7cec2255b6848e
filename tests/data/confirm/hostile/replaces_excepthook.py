import os
import sys

import jax


def hook(*args):
    os._exit(9)


sys.excepthook = hook


@jax.jit
def bad(x):
    if x > 0:  # mark
        return x
    return -x


def trigger():
    return bad(1.0)
