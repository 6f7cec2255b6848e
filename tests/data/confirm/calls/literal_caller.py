import jax


def sign(x):
    if x > 0:  # mark
        return x
    return -x


def train(steps, start):
    f = jax.jit(sign)
    for _ in range(steps):
        start = f(start)
    return start


def report(path):
    first = 1.5
    return train(2, start=first), path
