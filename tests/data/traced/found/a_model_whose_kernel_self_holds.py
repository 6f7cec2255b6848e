import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS, HMC


def model(x, y=None):
    w = numpyro.sample("w", dist.Normal(jnp.zeros(3), 1.0).to_event(1))
    sigma = numpyro.sample("sigma", dist.HalfNormal(1.0))
    assert sigma > 0  # ! OMN501
    mean = numpyro.deterministic("mean", x @ w)
    numpyro.sample("y", dist.Normal(mean, sigma), obs=y)


class Fit:
    def __init__(self):
        self.kernel = NUTS(model, target_accept_prob=0.9)
        self.mcmc = MCMC(self.kernel, num_warmup=2, num_samples=2, progress_bar=False)

    def fit(self, x, y):
        self.mcmc.run(jax.random.key(0), x, y=y)
        return self.mcmc.get_samples()
# call: Fit().fit(jnp.ones((4, 3)), jnp.ones(4))
