import os
import signal
import time

import jax


@jax.jit
def bad(x):
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(3600)
    if x > 0:  # mark
        return x
    return -x


def trigger():
    return bad(1.0)
