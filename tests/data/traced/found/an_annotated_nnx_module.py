import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.lin = nnx.Linear(3, 3, rngs=rngs)

    def __call__(self, x):
        y = self.lin(x)
        if y.sum() > 0:  # ! OMN501
            return y
        return -y


@nnx.jit
def forward(model: Net, x):
    return model(x)
# call: forward(Net(nnx.Rngs(0)), jnp.ones((2, 3)))
