import jax
import jax.numpy as jnp


@jax.jit
def nested(a, b):
    out = {}
    for k1, v1 in b.items():
        for k2 in v1:
            if k1 in a and k2 in a[k1]:
                out[k1, k2] = a[k1][k2]
    return sum(out.values())


def mapped(xs, flag):
    state = {"w": xs, "b": xs} if flag else {}
    pair = jax.tree.map(lambda p: jnp.reshape(p, (-1,)), (xs, state))
    return jax.vmap(inner)(pair)


def inner(pair):
    x, samples = pair
    if "w" in samples:
        x = x + samples["w"]
    return x


@jax.jit
def parts(tree):
    first, second = tree
    if "a" in second:
        first = first + second["a"]
    for part in tree[1:]:
        if "a" in part:
            first = first + 1
    return first


class Vec:
    def __init__(self, items):
        self.items = items

    def __mul__(self, k):
        return Vec([i * k for i in self.items])

    def __contains__(self, k):
        return k in ("a", "b")


jax.tree_util.register_pytree_node(Vec, lambda v: (v.items, None), lambda aux, kids: Vec(list(kids)))


@jax.jit
def own(x):
    y = Vec([x]) * 2
    if "a" in y:
        return y.items[0]
    return x
# call: nested({"a": {"b": 1.0}}, {"a": {"b": 1.0}}); mapped(jnp.ones(3), True); parts((1.0, {"a": 1.0})); own(1.0)
