import jax
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS


def model(y):
    mu = numpyro.sample("mu", dist.Normal(0.0, 1.0))
    if mu > 0:  # ! OMN501
        scale = 1.0
    else:
        scale = 2.0
    numpyro.sample("obs", dist.Normal(mu, scale), obs=y)


def main(y):
    mcmc = MCMC(NUTS(model), num_warmup=2, num_samples=2, progress_bar=False)
    mcmc.run(jax.random.PRNGKey(0), y)
    return mcmc.get_samples()
# call: import jax.numpy as jnp; main(jnp.ones(3))
