import jax


@jax.jit
def bad(x):
    kept = []
    while True:
        kept.append(bytearray(1 << 26))
    if x > 0:  # mark
        return x
    return -x


def trigger():
    return bad(1.0)
