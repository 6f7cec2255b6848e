import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS, Predictive


def model(x, y=None, use_bias=True):
    w = numpyro.sample("w", dist.Normal(0.0, 1.0))
    if use_bias:
        w = w + numpyro.sample("b", dist.Normal(0.0, 1.0))
    if y is not None:
        assert y.shape[0] == x.shape[0]
    n = x.shape[0]
    k = numpyro.sample("k", dist.Normal(0.0, 1.0).expand([n]))
    if k.shape[0] > 2:
        w = w * 2
    with numpyro.plate("data", n):
        mu = jnp.where(w > 0, w, 0.0) * x
        numpyro.sample("obs", dist.Normal(mu, 1.0), obs=y)


def eager(seed):
    with numpyro.handlers.seed(rng_seed=seed):
        v = numpyro.sample("v", dist.Normal(0.0, 1.0))
    if v > 0:
        return float(v)
    return 0.0


def choose(flag=None):
    scale = numpyro.sample("scale", dist.HalfNormal(1.0), obs=flag)
    return scale


def data_model(y, n):
    mu = numpyro.sample("mu", dist.Normal(0.0, 1.0))
    if y[0] > 0:
        mu = mu + 1
    for i in range(n):
        numpyro.sample(f"y{i}", dist.Normal(mu, 1.0), obs=y[i])


def main(x, y):
    mcmc = MCMC(NUTS(model), num_warmup=2, num_samples=2, progress_bar=False)
    mcmc.run(jax.random.PRNGKey(0), x, y, use_bias=False)
    samples = mcmc.get_samples()
    if samples["w"].mean() > 0:
        print("positive")
    mcmc2 = MCMC(NUTS(data_model), num_warmup=2, num_samples=2, progress_bar=False)
    mcmc2.run(jax.random.PRNGKey(0), [1.0, 2.0], 2)
    return eager(0)
# call: main(jnp.ones(3), jnp.ones(3))
