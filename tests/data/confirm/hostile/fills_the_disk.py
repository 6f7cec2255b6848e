import jax


@jax.jit
def bad(x):
    with open("big", "wb") as f:
        for _ in range(1000):
            f.write(b"z" * (1 << 20))
    if x > 0:  # mark
        return x
    return -x


def trigger():
    return bad(1.0)
