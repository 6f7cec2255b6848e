import sys

import jax
import jax.numpy as jnp
from jax.numpy import no_such_name_in_jax, ones

SIZE = 3


@no_such_decorator
def broken():
    return 1


@jax.jit
def spread(x):
    size = jnp.multiply(x.shape[0], SIZE)  # mark
    return ones(size)  # raises


for _ in range(3):
    print("work that only the script wants")
sys.exit(3)
