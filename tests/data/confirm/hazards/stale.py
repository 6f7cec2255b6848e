import jax
import jax.numpy as jnp

SETTINGS = {"scale": 2.0}


@jax.jit
def scaled(x):
    return x * SETTINGS["scale"]


def configure(scale):
    SETTINGS["scale"] = scale  # mark


def trigger():
    before = scaled(jnp.float32(1.0))
    configure(3.0)
    return before, scaled(jnp.float32(1.0))
