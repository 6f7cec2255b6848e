import flax.linen as nn
import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, width: int, depth: int, rngs, dropout=None):
        self.width = width
        self.depth = depth
        self.lin = nnx.Linear(width, width, rngs=rngs)
        self.dropout = dropout
        self.training = True

    def __call__(self, x):
        for _ in range(self.depth):
            x = self.lin(x)
        if self.dropout is not None:
            x = self.dropout(x)
        if self.training and x.shape[-1] == self.width:
            x = x.reshape(-1, self.width)
        return x

    def eval(self):
        self.training = False


@nnx.jit
def forward(model: Block, x):
    return model(x)


@nnx.jit
def loss_step(model: Block, x):
    def loss(m):
        return m(x).sum()

    return nnx.value_and_grad(loss)(model)


class Encoder(nn.Module):
    sizes: tuple = (3, 3)
    act: str = "tanh"

    def setup(self):
        self.layers = [nn.Dense(n) for n in self.sizes]
        self.final = nn.Dense(self.sizes[-1])

    def __call__(self, x, *, deterministic=True):
        for layer in self.layers:
            x = layer(x)
            if self.act == "tanh":
                x = jnp.tanh(x)
        return self.pool(x) if not deterministic else self.final(x)

    def pool(self, x):
        return x.mean(axis=0) if x.ndim > 1 else x


encoder = Encoder()
encode = jax.jit(encoder.apply, static_argnames=["deterministic"])
pooled = jax.jit(encoder.apply, static_argnames="method")


class Dispatch(nn.Module):
    def __call__(self, x, n):
        for _ in range(n):
            x = x * 2
        return x

    def other(self, x):
        return x


dispatch = jax.jit(Dispatch().apply, static_argnames=("method",))
twice = jax.jit(Dispatch().apply, static_argnums=2)
D = {"kernel": jnp.ones((3, 3)), "bias": jnp.ones(3)}
# call: forward(Block(3, 2, nnx.Rngs(0)), jnp.ones((2, 3))); loss_step(Block(3, 2, nnx.Rngs(0)), jnp.ones((2, 3)))
# call: encode({"params": {"layers_0": D, "layers_1": D, "final": D}}, jnp.ones((2, 3)), deterministic=True)
# call: pooled({}, jnp.ones((2, 3)), method="pool"); dispatch({}, 1.0, method="other"); twice({}, 1.0, 2)
