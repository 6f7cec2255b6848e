from functools import partial
import jax
import jax.numpy as jnp


class Base:
    def __init__(self, cfg):
        self.cfg = cfg
        self.loss = 0.0


class Model(Base):
    def __init__(self, cfg, scale):
        super().__init__(cfg)
        self.scale = scale

    def forward(self, params, x):
        out = params * x * self.scale
        self.loss = jnp.mean(out)  # ! OMN203
        return out

    @partial(jax.jit, static_argnums=0)
    def step(self, params, x):
        return params - jax.grad(lambda p: self.forward(p, x).sum())(params)
# call: m = Model(None, 2.0); m.step(1.0, jnp.ones(3)); m.loss + 1
