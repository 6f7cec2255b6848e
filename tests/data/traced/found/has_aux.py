import jax


def f(x, y):
    if y > 0:  # ! OMN501
        return x * x, {"a": y}
    return x ** 3, {"a": y}


g = jax.jit(jax.value_and_grad(f, argnums=0, has_aux=True), donate_argnums=(0,))
# call: g(1.0, 2.0)
