import jax
import jax.numpy as jnp
import numpy as np


def test_sum():
    x = jnp.linspace(0.1, 1.0, 1000)
    np.testing.assert_allclose(jax.jit(jnp.sum)(x), np.sum(np.linspace(0.1, 1.0, 1000) ** 1.0001), rtol=1e-7)  # mark
