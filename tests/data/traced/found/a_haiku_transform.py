import haiku as hk
import jax
import jax.numpy as jnp


def forward(x):
    h = hk.Linear(3)(x)
    if h.sum() > 0:  # ! OMN501
        h = jnp.tanh(h)
    return h


model = hk.without_apply_rng(hk.transform(forward))
apply = jax.jit(model.apply)
# call: apply(model.init(jax.random.PRNGKey(0), jnp.ones((2, 3))) if False else {"linear": {"w": jnp.ones((3, 3)), "b": jnp.ones(3)}}, jnp.ones((2, 3)))
