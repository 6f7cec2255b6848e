import jax


@jax.jit
def f(x):
    print(f"x is {x}")  # mark
    return x + 1


def trigger():
    return f(1.0)
