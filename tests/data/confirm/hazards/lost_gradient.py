import jax
import jax.numpy as jnp


def loss(w):
    scale = w.sum().item()  # mark
    return (w * w).sum() + scale


def trigger():
    return jax.grad(loss)(jnp.ones(3))
