import jax


@jax.jit
def bad(x):
    with open("left_behind.txt", "w") as f:
        f.write("here")
    if x > 0:  # mark
        return x
    return -x


def trigger():
    return bad(1.0)
