import haiku as hk
import jax
import jax.numpy as jnp


class Core(hk.Module):
    def __call__(self, x, n):
        w = hk.get_parameter("w", [3], init=jnp.ones)
        for _ in range(n):  # ! OMN502
            x = x * w
        return x


@hk.without_apply_rng
@hk.transform_with_state
def net(x, n):
    return Core()(x, n)


update = jax.jit(net.apply)
# call: update({"core": {"w": jnp.ones(3)}}, {}, jnp.ones(3), 2)
