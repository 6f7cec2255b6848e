from functools import partial
import flax.linen as nn
import haiku as hk
import jax
import jax.numpy as jnp


class Net(nn.Module):
    width: int = 3
    use_bias: bool = True

    @nn.compact
    def __call__(self, x, train: bool = True, mask=None):
        h = nn.Dense(self.width, use_bias=self.use_bias)(x)
        if train:
            h = h * 2
        if mask is not None:
            h = h * mask
        if self.use_bias and x.ndim == 2:
            h = h + 1
        if self.is_initializing():
            h = h * 1
        c = self.variable("cache", "n", lambda: jnp.zeros(()))
        if self.is_mutable_collection("cache"):
            c.value = c.value + 1
        return h


net = Net()
forward = jax.jit(net.apply, static_argnames=("train", "mutable"))
init = jax.jit(net.init)
forward2 = jax.jit(partial(net.apply, train=False))


def fwd(x, is_training):
    h = hk.Linear(3)(x)
    if is_training:
        h = hk.dropout(hk.next_rng_key(), 0.5, h)
    return h


model = hk.transform(fwd)
apply = jax.jit(model.apply, static_argnums=3)
apply2 = jax.jit(model.apply, static_argnames=("is_training",))
P = {"linear": {"w": jnp.ones((3, 3)), "b": jnp.ones(3)}}
V = {"params": {"Dense_0": {"kernel": jnp.ones((3, 3)), "bias": jnp.ones(3)}}, "cache": {"n": jnp.zeros(())}}
# call: apply(P, jax.random.PRNGKey(0), jnp.ones((2, 3)), True); forward(V, jnp.ones((2, 3)), train=True); forward2(V, jnp.ones((2, 3))); init(jax.random.key(0), jnp.ones((2, 3)))
