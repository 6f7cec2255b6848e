import jax


@jax.jit
def sign(x):
    if x > 0:  # mark
        return x
    return -x


if __name__ == "__main__":
    for value in (2.0, 3.0):
        print(sign(value))
