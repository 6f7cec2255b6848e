from functools import partial

import blackjax
import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro import handlers
from numpyro.infer import MCMC, NUTS


class Model:
    def __init__(self, k, hierarchical):
        self.k = k
        self.hierarchical = hierarchical
        self.kernel = NUTS(self.model)

    def model(self, x, y=None):
        ws = []
        for i in range(self.k):
            ws.append(numpyro.sample(f"w{i}", dist.Normal(0.0, 1.0)))
        if self.hierarchical:
            tau = numpyro.sample("tau", dist.HalfNormal(1.0))
        else:
            tau = 1.0
        obs = numpyro.sample("obs", dist.Normal(sum(ws) * x, tau), obs=y)
        if y is None:
            return obs
        return None


def fixed(x, y):
    with handlers.substitute(data={"s": 2.0}):
        s = numpyro.sample("s", dist.HalfNormal(1.0))
    if s > 1:
        x = x * 2
    numpyro.sample("obs", dist.Normal(x, s), obs=y)


def logdensity(params, data):
    mu = params["mu"]
    if "sigma" in params:
        mu = mu * params["sigma"]
    if data is None:
        return mu
    return jnp.where(mu > 10, -jnp.inf, -0.5 * jnp.sum((mu - data) ** 2))


def chain(data):
    algorithm = blackjax.nuts(partial(logdensity, data=data), 0.1, jnp.ones(1))
    state = algorithm.init({"mu": 0.5})
    state, info = jax.jit(algorithm.step)(jax.random.key(0), state)
    if info.is_divergent:
        print("divergent")
    return state


def main(x, y):
    m = MCMC(Model(2, True).kernel, num_warmup=2, num_samples=2, progress_bar=False)
    m.run(jax.random.key(0), x, y)
    return chain(x)
# call: main(jnp.ones(3), jnp.ones(3))
