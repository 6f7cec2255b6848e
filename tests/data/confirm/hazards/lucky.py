import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def mean_square(x):
    return jnp.sum(x * x) / x.size


def trigger():
    x = jnp.linspace(0.1, 3.7, 1000)
    wanted = mean_square(x)
    np.testing.assert_allclose(mean_square(x), wanted, rtol=1e-9)  # mark: same
    np.testing.assert_allclose(mean_square(x), np.float32(np.mean(np.square(np.asarray(x)))), rtol=2.5e-7)  # mark
    np.testing.assert_allclose(mean_square(x), np.mean(np.square(np.asarray(x))), rtol=1e-4)  # mark: roomy
