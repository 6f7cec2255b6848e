from jax.experimental.optimizers import adam  # mark
