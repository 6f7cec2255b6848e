import flax.linen as nn
import jax
import jax.numpy as jnp


class Net(nn.Module):
    width: int = 3

    @nn.compact
    def __call__(self, x):
        h = nn.Dense(self.width)(x)
        if h.sum() > 0:  # ! OMN501
            h = jnp.tanh(h)
        return h


net = Net()
forward = jax.jit(net.apply)
# call: forward({"params": {"Dense_0": {"kernel": jnp.ones((3, 3)), "bias": jnp.ones(3)}}}, jnp.ones((2, 3)))
