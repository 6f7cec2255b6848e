import jax
import jax.numpy as jnp


@jax.tree_util.register_pytree_node_class
class Layer:
    """JAX takes it apart, so its weights are traced where it is an argument."""

    def __init__(self, size: int, scale=2.0):
        self.weights = jnp.ones((size, size + 1))
        self.scale = scale

    def tree_flatten(self):
        return (self.weights,), self.scale

    @classmethod
    def tree_unflatten(cls, scale, children):
        made = object.__new__(cls)
        (made.weights,) = children
        made.scale = scale
        return made

    def gate(self, x):
        if self.weights.sum() > 0:  # mark: weights
            return x @ self.weights
        return x

    def fixed(self, x):
        if self.scale > 0:  # mark: scale
            return x * self.scale
        return x

    def flat(self, x):
        return (x @ self.weights).reshape(jnp.prod(jnp.array(self.weights.shape)))  # mark: shape


@jax.tree_util.register_pytree_node_class
class Large(Layer):
    """Too large to be made: only abstractly."""

    def __init__(self, key):
        self.weights = jax.random.normal(key, (1 << 18, 1 << 18))
        self.scale = 1.0

    def gate(self, x):
        return float((self.weights[0] * x.sum()).sum())  # mark: large


class Plain:
    """JAX doesn't take it apart, so its weights are what they are."""

    def __init__(self, size: int):
        self.weights = jnp.ones((size,))

    def gate(self, x):
        if self.weights.sum() > 0:  # mark: plain
            return x * self.weights
        return x
