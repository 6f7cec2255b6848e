import jax
import jax.numpy as jnp


@jax.jit
def kept(x, wanted):
    return x[wanted]  # mark


print(kept(jnp.arange(4.0), jnp.arange(4.0) > 1))
raise SystemExit("a script")
