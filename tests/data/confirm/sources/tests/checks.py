import jax.numpy as jnp
from lib import in_tests


def test_it():
    in_tests(jnp.ones(3), {"a": jnp.zeros((2, 2))})
