import jax


# omnilint: inputs(f32[2, 5], flags=(True, False))
def pick(table, flags):
    if table.sum() > 0:  # mark: good
        return table[0], flags
    return table[1], flags


def scaled(x, n):  # omnilint: inputs(q32[3])
    if x > 0:  # mark: bad
        return x * n
    return x


step = jax.jit(scaled)
