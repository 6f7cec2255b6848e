import haiku as hk
import jax.numpy as jnp


class Linear(hk.Module):
    def __init__(self, size: int, name=None):
        super().__init__(name=name)
        self.size = size

    def __call__(self, x):
        w = hk.get_parameter("w", [x.shape[-1], self.size], init=jnp.ones)
        return (x @ w).reshape(jnp.prod(jnp.array(x.shape[:-1])), self.size)  # mark: method


def net(x):
    y = Linear(4).size * x * hk.get_parameter("b", [], init=jnp.ones)
    if y.sum() > 0:  # mark: function
        return y
    return -y


def fine(x):
    return Linear(x.shape[-1]).size * x  # mark: fine
