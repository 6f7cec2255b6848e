"""What each public member of a traced array is: measured by touching and calling it under jit and eager grad."""

from __future__ import annotations

import inspect
from typing import Any

import jax
import jax.numpy as jnp
from measure_numpy import outcome

SOURCE = {
    "jax": jax.__version__,
    "how": "every public member of jax.Array and of its tracers touched, called, and called with one parameter traced "
    "at a time, under jax.jit and eager jax.grad; see rules/measure_members.py",
    "words": "static: a Python value; traced; concrete: a concrete array; otherwise the exception. grad is there only "
    "where eager grad differs from jit. static: parameters that must not be traced, with what JAX raises; needs: the "
    "parameter that makes a data-dependent method work. A star marks *args",
}

# Arguments that make each method work on a float vector of four; {} where the method needs none.
ARGUMENTS: dict[str, dict[str, Any]] = {
    "argpartition": {"kth": 2},
    "addressable_data": {"index": 0},
    "astype": {"dtype": jnp.float16},
    "choose": {"choices": [jnp.ones(4), jnp.zeros(4)], "mode": "wrap"},
    "compress": {"condition": jnp.array([True, False, True, True]), "size": 2},
    "diagonal": {"offset": 0},
    "dot": {"b": jnp.ones(4)},
    "partition": {"kth": 2},
    "repeat": {"repeats": 2},
    "searchsorted": {"v": 0.2},
    "swapaxes": {"axis1": 0, "axis2": 1},
    "take": {"indices": jnp.array([0, 1])},
    "to_device": {"device": jax.devices()[0]},
    "nonzero": {"size": 2},
    "reshape": {"*args": (2, 2)},
    "transpose": {"*args": (1, 0)},
}
OPERANDS: dict[str, Any] = {
    "choose": jnp.array([0, 1, 0, 1]),
    "item": jnp.array(0.5),
    "squeeze": jnp.ones((1, 4)),
    **{name: jnp.array([[0.1, 0.2], [0.3, 0.4]]) for name in ("diagonal", "swapaxes", "trace", "transpose", "mT")},
}
OPTIONS: dict[str, Any] = {
    "axis": 0, "keepdims": False, "ddof": 0, "decimals": 0, "offset": 0, "dtype": None, "axis1": 0, "axis2": 1,
    "descending": False, "stable": True, "size": 2, "total_repeat_length": 8, "order": None, "min": 0.0, "max": 1.0,
    "initial": 0.0, "where": True, "correction": 0.0, "promote_integers": True, "fill_value": 0, "sorter": None,
}  # fmt: skip
DATA_DEPENDENT = {"nonzero": ["size"], "compress": ["size"], "repeat": ["total_repeat_length"]}
UNLESS_STATIC = {"repeat": ["repeats"]}
NOT_ARRAY = {"dtype", "order", "mode", "device", "copy", "sharding", "method", "side", "precision", "out"}
PRIVATE_TO_A_TRACE = {
    "aval_mutable_qdd",
    "batch_dim",
    "cur_qdd",
    "full_lower",
    "get_const",
    "get_referent",
    "mutable_qdd",
}
PRIVATE_TO_A_TRACE |= {"parent", "primal", "tangent", "source_info", "to_concrete_value", "val", "dimension_as_value"}
HELPERS = {"at": "traced"}  # x.at is a host object, each of whose methods is staged


def operand(name: str) -> Any:
    """An array on which method `name` makes sense."""
    return OPERANDS.get(name, jnp.array([0.1, 0.2, 0.3, 0.4]))


def under(transform: str, operand: Any, probe: Any) -> Any:
    """probe(tracer) under jit or eager grad, whatever it gives."""
    seen: list[Any] = []

    def body(x: Any) -> Any:
        seen.append(probe(x))
        return jnp.sum(x) * 1.0

    if transform == "jit":
        jax.jit(body)(operand)
    else:
        jax.grad(body, allow_int=True)(operand)
    return seen[0]


def call(array: Any, name: str, arguments: dict[str, Any]) -> Any:
    named = {k: v for k, v in arguments.items() if k != "*args"}
    return getattr(array, name)(*arguments.get("*args", ()), **named)


def attribute(name: str) -> str | dict[str, str]:
    """The word for reading attribute `name`, or both words where jit and grad differ."""
    jit, grad = (under(t, operand(name), lambda x: outcome(lambda: getattr(x, name))) for t in ("jit", "grad"))
    return jit if jit == grad else {"jit": jit, "grad": grad}


def static_parameters(name: str, parameters: list[inspect.Parameter], arguments: dict[str, Any]) -> dict[str, str]:
    """The parameters of method `name` that must not be traced, with the exception."""
    out: dict[str, str] = {}
    for p in parameters:
        key = "*args" if p.kind is p.VAR_POSITIONAL else p.name
        plain = arguments.get(key, OPTIONS.get(p.name))
        if plain is None or p.name in NOT_ARRAY or isinstance(plain, str):
            continue
        if key == "*args" and not plain:
            continue

        def probe(x: Any, key: str = key, plain: Any = plain) -> str:
            traced = jax.tree.map(
                lambda leaf: jnp.asarray(leaf) + 0 if not isinstance(leaf, bool) else x.sum() > 0, plain
            )
            return outcome(lambda: call(x, name, {**arguments, key: traced}))

        def baseline(x: Any, key: str = key, plain: Any = plain) -> str:
            return outcome(lambda: call(x, name, {**arguments, key: plain}))

        works = under("jit", operand(name), baseline) == "traced"
        got = under("jit", operand(name), probe)
        if works and got != "traced":
            out["*" + p.name if key == "*args" else p.name] = got
    return out


def method(name: str) -> dict[str, Any]:
    """Everything the engine needs to know of a call of method `name` on a tracer."""
    try:
        parameters = list(inspect.signature(getattr(jnp.ones(3), name)).parameters.values())
    except (TypeError, ValueError, RuntimeError):
        parameters = []
    entry: dict[str, Any] = {
        "params": [
            ("*" + p.name) if p.kind is p.VAR_POSITIONAL else p.name for p in parameters if p.kind is not p.KEYWORD_ONLY
        ],
        "kwonly": [p.name for p in parameters if p.kind is p.KEYWORD_ONLY],
    }
    arguments = ARGUMENTS.get(name, {})
    jit, grad = (under(t, operand(name), lambda x: outcome(lambda: call(x, name, arguments))) for t in ("jit", "grad"))
    entry["static"] = static_parameters(name, parameters, arguments)
    entry["result"] = "data-dependent" if name in DATA_DEPENDENT else jit
    if grad != jit and name not in DATA_DEPENDENT:
        entry["grad"] = grad
    if name in DATA_DEPENDENT:
        entry["needs"] = DATA_DEPENDENT[name]
    if name in UNLESS_STATIC:
        entry["unless_static"] = UNLESS_STATIC[name]
        entry["static"].pop("repeats", None)
    return {k: v for k, v in entry.items() if v or k in ("params", "result")}


def members() -> dict[str, Any]:
    """{"attributes": name → word, "methods": name → entry} for every public member."""
    seen: set[str] = {n for n in dir(jax.Array) if not n.startswith("_")}
    for transform in ("jit", "grad"):
        seen |= set(under(transform, jnp.ones(4), lambda x: [n for n in dir(x) if not n.startswith("_")]))
    seen |= {"block_until_ready", "weak_type", "format", "tobytes", "tolist", "is_deleted", "devices"}
    attributes: dict[str, Any] = {}
    methods: dict[str, Any] = {}
    for name in sorted(seen - PRIVATE_TO_A_TRACE):
        if callable(getattr(type(jnp.ones(3)), name, None)) or name in ("block_until_ready", "devices"):
            methods[name] = method(name)
        else:
            attributes[name] = HELPERS.get(name) or attribute(name)
    return {"attributes": attributes, "methods": methods}
