"""The table of neural-network libraries, compared with the libraries that are installed, if any."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from omnilint import knowledge

TABLE = knowledge.table("layers")
IMAGE, VECTOR, BATCH = (1, 4, 4, 2), (2,), (3, 2)

# How to make a layer and what to call it on, where that isn't the usual way of its library.
LINEN: dict[str, tuple[dict[str, Any], tuple[tuple[int, ...], ...]]] = {
    "BatchNorm": ({"use_running_average": False}, (BATCH,)),
    "Conv": ({"features": 2, "kernel_size": (2, 2)}, (IMAGE,)),
    "ConvLocal": ({"features": 2, "kernel_size": (2, 2)}, (IMAGE,)),
    "ConvTranspose": ({"features": 2, "kernel_size": (2, 2)}, (IMAGE,)),
    "Dense": ({"features": 2}, (BATCH,)),
    "DenseGeneral": ({"features": 2}, (BATCH,)),
    "Einsum": ({"shape": (2, 2), "einsum_str": "ab,bc->ac"}, (BATCH,)),
    "GroupNorm": ({"num_groups": 1}, (BATCH,)),
    "MultiHeadAttention": ({"num_heads": 1}, ((1, 3, 2),)),
    "MultiHeadDotProductAttention": ({"num_heads": 1}, ((1, 3, 2), (1, 3, 2))),
    "SelfAttention": ({"num_heads": 1}, ((1, 3, 2),)),
}
NNX: dict[str, tuple[tuple[Any, ...], dict[str, Any], tuple[int, ...]]] = {
    "Conv": ((2, 2, (2, 2)), {}, IMAGE),
    "ConvTranspose": ((2, 2, (2, 2)), {}, IMAGE),
    "Einsum": (("ab,bc->ac", (2, 2)), {}, BATCH),
    "GroupNorm": ((2,), {"num_groups": 1}, BATCH),
    "Linear": ((2, 2), {}, BATCH),
    "LinearGeneral": ((2, 2), {}, BATCH),
    "LoRA": ((2, 1, 2), {}, BATCH),
    "LoRALinear": ((2, 2), {"lora_rank": 1}, BATCH),
    "MultiHeadAttention": ((1, 2), {"decode": False}, (1, 3, 2)),
    "PReLU": ((), {}, BATCH),
}
EQUINOX: dict[str, tuple[tuple[Any, ...], tuple[tuple[int, ...], ...]]] = {
    "GRUCell": ((2, 2), (VECTOR, VECTOR)),
    "Linear": ((2, 2), (VECTOR,)),
    "MLP": ((2, 2, 2, 1), (VECTOR,)),
    "MultiheadAttention": ((1, 2), (BATCH, BATCH, BATCH)),
    "PReLU": ((), (VECTOR,)),
    "RotaryPositionalEmbedding": ((2,), (BATCH,)),
}


def names(gives: str, prefix: str) -> list[str]:
    return list(TABLE["layers"][gives].get(prefix, ()))


def is_array(jax: Any, value: Any) -> bool:
    return isinstance(value, jax.Array)


def is_pair(jax: Any, value: Any) -> bool:
    leaves = jax.tree.leaves(value)
    return isinstance(value, tuple) and len(value) == 2 and all(isinstance(v, jax.Array) for v in leaves)


@pytest.mark.parametrize("kind", ["layers", "functions"])
def test_every_name_exists(kind: str) -> None:
    checked = 0
    for rows in TABLE[kind].values():
        for prefix, listed in rows.items():
            if not isinstance(listed, list):
                continue
            module = pytest.importorskip(prefix.partition(".")[0], reason="the table is compared with the library")
            assert module
            home = importlib.import_module(prefix.rstrip("."))
            for name in listed:
                value: Any = home
                for part in name.split("."):
                    value = getattr(value, part)
                checked += 1
    assert checked > 20


@pytest.mark.parametrize("name", names("array", "flax.linen."))
def test_a_linen_layer_gives_an_array(name: str) -> None:
    jax, nn = (
        pytest.importorskip("jax", reason="the table is compared with the library"),
        pytest.importorskip("flax.linen", reason="the table is compared with the library"),
    )
    options, shapes = LINEN.get(name, ({}, (BATCH,)))
    given = [jax.numpy.ones(s) for s in shapes]
    if name == "Embed":
        options, given = {"num_embeddings": 3, "features": 2}, [jax.numpy.zeros(3, int)]
    layer = getattr(nn, name)(**options)
    key = jax.random.PRNGKey(0)
    out, _ = jax.jit(lambda *a: layer.init_with_output(key, *a))(*given)
    assert is_array(jax, out)


@pytest.mark.parametrize("name", names("pair", "flax.linen."))
def test_a_linen_cell_gives_a_pair(name: str) -> None:
    jax, nn = (
        pytest.importorskip("jax", reason="the table is compared with the library"),
        pytest.importorskip("flax.linen", reason="the table is compared with the library"),
    )
    x = jax.numpy.ones(IMAGE if "Conv" in name else BATCH)
    cell = getattr(nn, name)(2, kernel_size=(2, 2)) if "Conv" in name else getattr(nn, name)(2)
    key = jax.random.PRNGKey(0)
    carry = cell.initialize_carry(key, x.shape)
    out, _ = jax.jit(lambda c, a: cell.init_with_output(key, c, a))(carry, x)
    assert is_pair(jax, out)


@pytest.mark.parametrize("name", names("array", "flax.nnx."))
def test_an_nnx_layer_gives_an_array(name: str) -> None:
    jax, nnx = (
        pytest.importorskip("jax", reason="the table is compared with the library"),
        pytest.importorskip("flax.nnx", reason="the table is compared with the library"),
    )
    args, options, shape = NNX.get(name, ((2,), {}, BATCH))
    given = jax.numpy.ones(shape)
    if name == "Embed":
        args, given = (3, 2), jax.numpy.zeros(3, int)
    rngs = {} if name == "PReLU" else {"rngs": nnx.Rngs(0)}
    layer = getattr(nnx, name)(*args, **options, **rngs)
    assert is_array(jax, nnx.jit(lambda m, a: m(a))(layer, given))


@pytest.mark.parametrize("name", names("array", "haiku."))
def test_a_haiku_layer_gives_an_array(name: str) -> None:
    jax, hk = (
        pytest.importorskip("jax", reason="the table is compared with the library"),
        pytest.importorskip("haiku", reason="the table is compared with the library"),
    )
    cls, kwargs, x = getattr(hk, name), {}, jax.numpy.ones(BATCH)
    args: tuple[Any, ...] = ()
    if "Conv" in name:
        number = 2 if name in ("ConvND", "ConvNDTranspose") else int(next(c for c in name if c.isdigit()))
        x = jax.numpy.ones((1, *[4] * number, 2))
        first = (number,) if "ConvND" in name else ()
        args = (*first, 1, 2) if "Depthwise" in name else (*first, 2, 2)
        args = (1, 2) if name.startswith("Depthwise") else (2, 1, 2) if "Separable" in name else args
    elif name in ("AvgPool", "MaxPool"):
        args, x = (2, 1, "SAME"), jax.numpy.ones(IMAGE)
    elif name == "BatchNorm":
        args, kwargs = (True, True, 0.9), {"is_training": True}
    elif name in ("LayerNorm", "InstanceNorm"):
        args = (-1, True, True) if name == "LayerNorm" else (True, True)
    elif name == "RMSNorm":
        args = (-1,)
    elif name == "Embed":
        args, x = (3, 2), jax.numpy.zeros(3, int)
    elif name in ("ExponentialMovingAverage", "GroupNorm", "Linear", "Reshape"):
        args = {"ExponentialMovingAverage": (0.9,), "GroupNorm": (1,), "Linear": (2,), "Reshape": ((2,),)}[name]
    elif name == "MultiHeadAttention":
        args = (1, 2, 1.0)
    given = (x, x, x) if name == "MultiHeadAttention" else (x,)
    network = hk.transform_with_state(lambda *a: cls(*args)(*a, **kwargs))
    key = jax.random.PRNGKey(0)
    params, state = network.init(key, *given)
    out, _ = jax.jit(network.apply)(params, state, key, *given)
    assert is_array(jax, out)


@pytest.mark.parametrize("name", names("pair", "haiku."))
def test_a_haiku_core_gives_a_pair(name: str) -> None:
    jax, hk = (
        pytest.importorskip("jax", reason="the table is compared with the library"),
        pytest.importorskip("haiku", reason="the table is compared with the library"),
    )

    def run(x: Any) -> Any:
        number = int(name[4]) if "Conv" in name else 0
        core = getattr(hk, name)((4,) * number, 2, 2) if number else getattr(hk, name)(2)
        return core(x, core.initial_state(1))

    x = jax.numpy.ones((1, *[4] * int(name[4]), 2) if "Conv" in name else (1, 2))
    network = hk.transform(run)
    params = network.init(jax.random.PRNGKey(0), x)
    assert is_pair(jax, jax.jit(network.apply)(params, None, x))


@pytest.mark.parametrize("name", names("array", "equinox.nn."))
def test_an_equinox_layer_gives_an_array(name: str) -> None:
    jax, eqx = (
        pytest.importorskip("jax", reason="the table is compared with the library"),
        pytest.importorskip("equinox", reason="the table is compared with the library"),
    )
    args, shapes = EQUINOX.get(name, ((), (VECTOR,)))
    if "Pool" in name or "Conv" in name:
        number = int(name[-2]) if name[-1] == "d" else 2
        shapes = ((2, *[4] * number),)
        args = (2,) if "Adaptive" in name else (2, 1) if "Pool" in name else (2, 2, 2)
        args = (number, *args) if name in ("Conv", "ConvTranspose") else args
    given = [jax.numpy.ones(s) for s in shapes]
    if name == "Embedding":
        args, given = (3, 2), [jax.numpy.array(1)]
    keyed = not ("Pool" in name or name in ("PReLU", "RotaryPositionalEmbedding"))
    layer = getattr(eqx.nn, name)(*args, **({"key": jax.random.PRNGKey(0)} if keyed else {}))
    assert is_array(jax, jax.jit(lambda *a: layer(*a))(*given))


@pytest.mark.parametrize("name", TABLE["optimizers"]["scheduled"])
def test_an_update_calls_its_schedule_with_a_tracer(name: str) -> None:
    jax, optax = (
        pytest.importorskip("jax", reason="the table is compared with the library"),
        pytest.importorskip("optax", reason="the table is compared with the library"),
    )
    seen: list[str] = []

    def schedule(count: Any) -> float:
        seen.append(type(count).__name__)
        return 0.1

    p = jax.numpy.ones(3)
    tx = optax.with_extra_args_support(getattr(optax, name)(schedule))
    line = {"value": 1.0, "grad": p, "value_fn": lambda q: (q**2).sum()} if name == "lbfgs" else {}
    jax.jit(lambda g, s: tx.update(g, s, p, **line))(p, tx.init(p))
    assert seen
    assert set(seen) <= {"DynamicJaxprTracer", "JaxprTracer"}


@pytest.mark.parametrize("name", TABLE["optimizers"]["plain"])
def test_a_plain_transformation_exists(name: str) -> None:
    assert callable(getattr(pytest.importorskip("optax", reason="the table is compared with the library"), name))


INITIALIZERS = [n for kind in ("initializer", "initialized") for n in TABLE["functions"][kind]["jax.nn.initializers."]]


@pytest.mark.parametrize("name", INITIALIZERS)
def test_an_initializer_takes_no_traced_size(name: str) -> None:
    jax = pytest.importorskip("jax", reason="the table is compared with the library")
    made = getattr(jax.nn.initializers, name)
    if name == "variance_scaling":
        made = made(1.0, "fan_in", "normal")
    elif name == "constant":
        made = made(1.0)
    elif name not in ("ones", "zeros"):
        made = made()
    key = jax.random.PRNGKey(0)
    assert is_array(jax, jax.jit(lambda: made(key, (3, 4)))())
    with pytest.raises(TypeError):
        jax.jit(lambda n: made(key, (n, 4)))(3)
