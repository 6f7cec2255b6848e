import jax

KEY = jax.random.PRNGKey(0)


@jax.jit
def draw():
    global KEY
    KEY, sub = jax.random.split(KEY)  # mark
    return jax.random.uniform(sub)


def trigger():
    first = draw()
    return first, draw()
