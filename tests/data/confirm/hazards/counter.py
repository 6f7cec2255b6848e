import jax

CALLS = 0


@jax.jit
def ticket(x):
    global CALLS
    CALLS += 1  # mark
    return x + CALLS


def trigger():
    return ticket(1), ticket(1)
