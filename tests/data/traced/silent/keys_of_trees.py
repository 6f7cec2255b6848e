import jax
import jax.numpy as jnp


@jax.jit
def f(params, batch, x):
    grads = jax.tree.map(lambda p: p * 2, params)
    if "w" in grads:
        x = x + grads["w"]
    if "mask" in batch:
        x = x * batch["mask"]
    new = {k: v * 2 for k, v in params.items()}
    if "b" in new:
        x = x + 1
    inner = batch["state"]
    if 3 in inner:
        x = x + 2
    state = jax.lax.fori_loop(0, 3, lambda i, s: s, params)
    if "w" in state:
        x = x * 3
    out, _ = jax.lax.scan(lambda c, _: (c, None), params, None, length=2)
    if "w" in out:
        x = x * 2
    (a, d) = jax.vmap(lambda p: (p, {"k": p}))(jnp.ones(3))
    if "k" in d:
        x = x + 1
    opt = jax.value_and_grad(lambda p: jnp.sum(p["w"]))(params)
    if "w" in opt[1]:
        x = x + 1
    if 1 in x.shape or x.dtype in (jnp.float32, jnp.float64):
        x = x * 2
    return x
# call: f({"w": 1.0}, {"state": {3: 1.0}}, 2.0)
