import flax.linen as nn
import jax
import jax.numpy as jnp


class Net(nn.Module):
    features: int

    @nn.compact
    def __call__(self, x, train):
        x = nn.Dense(self.features)(x)
        if train:  # ! OMN501
            x = x * 2
        return x


def make(n):
    net = Net(features=n)
    return jax.jit(net.apply)


class Trainer:
    def __init__(self, n):
        self.net = Net(n)
        self.predict = jax.jit(self.net.apply)
# call: make(3)({"params": {"Dense_0": {"kernel": jnp.ones((3, 3)), "bias": jnp.ones(3)}}}, jnp.ones((2, 3)), True)
