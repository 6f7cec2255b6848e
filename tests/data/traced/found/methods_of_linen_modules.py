import flax.linen as nn
import jax
import jax.numpy as jnp


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool = True):
        return nn.Dense(3)(x)

    def encode(self, x):
        n = int(jnp.sum(x))  # ! OMN502
        return x[:n]


class Deep(nn.Module):
    def setup(self):
        self.net = Net()

    def __call__(self, x, mask):
        y = self.net(x)
        return y[mask > 0]  # ! OMN506


net = Net()
encode = jax.jit(lambda p, x: net.apply(p, x, method=net.encode))
deep = Deep()
go = jax.jit(jax.vmap(deep.apply, in_axes=(None, 0, 0)))
# call: encode({}, jnp.ones(3))
# call: go({"params": {"net": {"Dense_0": {"kernel": jnp.ones((3, 3)), "bias": jnp.ones(3)}}}}, jnp.ones((2, 3)), jnp.ones((2, 3)))
