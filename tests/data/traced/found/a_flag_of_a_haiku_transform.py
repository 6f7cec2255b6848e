import haiku as hk
import jax
import jax.numpy as jnp


def forward(x, train):
    h = hk.Linear(3)(x)
    if train:  # ! OMN501
        h = h * 2
    return h


net = hk.transform(forward)
step = jax.jit(net.apply)
# call: step({"linear": {"w": jnp.ones((3, 3)), "b": jnp.ones(3)}}, None, jnp.ones((2, 3)), True)
