import jax
import jax.numpy as jnp


def f(x, n, mode):
    if mode == "a":
        x = x * 2
    for _ in range(n):
        x = x * 2
    if x.ndim:
        x = x.sum()
    return x


g = jax.jit(jax.grad(f), static_argnums=(1, 2))
h = jax.jit(jax.grad(f), static_argnums=(-1, -2))
# call: g(1.0, 2, "a"), h(1.0, 2, "a")
k = jax.jit(jax.value_and_grad(f), static_argnames=("n", "mode"))


def loss(params, batch, train):
    if params:
        pass
    loss = sum(jnp.sum(p * batch) for p in params.values())
    if train:
        loss = loss * 2
    if "bias" in params:
        loss = loss + params["bias"]
    return loss, {"l": loss}


u = jax.jit(jax.value_and_grad(loss, has_aux=True), static_argnums=2)
# call: u({"w": 1.0, "bias": 1.0}, 2.0, True)


def eager(x):
    if x > 0:
        return x
    return -x

v = jax.grad(eager)
w = jax.value_and_grad(jax.grad(eager))
# call: v(1.0), w(1.0)


def half(w, x):
    return half_(w, x).sum()


def half_(w, x, key=None):
    if key is not None:
        x = x + jax.random.normal(key, x.shape)
    return w * x


gg = jax.jit(jax.vmap(jax.grad(half), (None, 0)))
# call: gg(1.0, jnp.ones(3))
