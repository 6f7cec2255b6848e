import os
import time

import jax


@jax.jit
def bad(x):
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            with open(os.environ["OMNILINT_TEST_PIDS"], "a") as f:
                f.write(f"{os.getpid()}\n")
            time.sleep(3600)
    time.sleep(0.5)
    if x > 0:  # mark
        return x
    return -x


def trigger():
    return bad(1.0)
