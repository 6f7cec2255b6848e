import blackjax
import jax
import jax.numpy as jnp


def logdensity(x):
    if x["mu"] > 10:  # ! OMN501
        return -jnp.inf
    return -0.5 * jnp.sum(x["mu"] ** 2)


nuts = blackjax.nuts(logdensity, 0.1, jnp.ones(1))
step = jax.jit(nuts.step)


def main():
    state = nuts.init({"mu": 0.5})
    return step(jax.random.key(0), state)
# call: main()
