import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro import optim
from numpyro.infer import SVI, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal


def model(x, y=None):
    k = numpyro.sample("k", dist.Exponential(1.0))
    n = int(k)  # ! OMN502
    with numpyro.plate("data", len(x)):
        numpyro.sample("obs", dist.Normal(x * n, 1.0), obs=y)


def main(x, y):
    svi = SVI(model, AutoNormal(model), optim.Adam(0.01), Trace_ELBO())
    return svi.run(jax.random.PRNGKey(0), 3, x, y, progress_bar=False)
# call: main(jnp.ones(3), jnp.ones(3))
