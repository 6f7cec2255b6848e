"""What a NumPy function does with a tracer: joins the measured table with calls that need special arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

SOURCE = {
    "jax": jax.__version__,
    "numpy": np.__version__,
    "how": "every NumPy function called with a tracer under jax.jit and under eager jax.grad; tables/measured/"
    "numpy_on_tracer.csv and rules/measure_numpy.py",
    "values": "traced: works and stays traced; static: a Python or NumPy value; concrete: a concrete array; false: "
    "silently the Python value False; else the exception. An object {jit, grad} where the two differ",
}
SILENTLY_FALSE = ("np.array_equal", "np.array_equiv")
VECTOR = np.array([0.1, 0.2, 0.3, 0.4], np.float32)

# Calls that no generic recipe finds: v is a traced float vector, m a matrix, b a bool vector, n an int scalar.
CALLS: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "np.bitwise_and": lambda v, m, b, n: np.bitwise_and(b, True),
    "np.bitwise_or": lambda v, m, b, n: np.bitwise_or(b, True),
    "np.bitwise_xor": lambda v, m, b, n: np.bitwise_xor(b, True),
    "np.left_shift": lambda v, m, b, n: np.left_shift(n, 1),
    "np.right_shift": lambda v, m, b, n: np.right_shift(n, 1),
    "np.broadcast_to": lambda v, m, b, n: np.broadcast_to(v, (2, 4)),
    "np.choose": lambda v, m, b, n: np.choose(n, [1, 2, 3, 4]),
    "np.copyto": lambda v, m, b, n: np.copyto(np.zeros(4), v),
    "np.dsplit": lambda v, m, b, n: np.dsplit(m[None], 2),
    "np.apply_along_axis": lambda v, m, b, n: np.apply_along_axis(np.sum, 0, m),
    "np.eye": lambda v, m, b, n: np.eye(n),
    "np.identity": lambda v, m, b, n: np.identity(n),
    "np.ones": lambda v, m, b, n: np.ones(n),
    "np.zeros": lambda v, m, b, n: np.zeros(n),
    "np.gcd": lambda v, m, b, n: np.gcd(n, 4),
    "np.lcm": lambda v, m, b, n: np.lcm(n, 4),
    "np.ldexp": lambda v, m, b, n: np.ldexp(v, 2),
    "np.invert": lambda v, m, b, n: np.invert(b),
    "np.ix_": lambda v, m, b, n: np.ix_(v, v),
    "np.kron": lambda v, m, b, n: np.kron(m, m),
    "np.matmul": lambda v, m, b, n: np.matmul(m, m),
    "np.matvec": lambda v, m, b, n: np.matvec(m, v[:2]),
    "np.vecmat": lambda v, m, b, n: np.vecmat(v[:2], m),
    "np.pad": lambda v, m, b, n: np.pad(v, 1),
    "np.partition": lambda v, m, b, n: np.partition(v, 2),
    "np.percentile": lambda v, m, b, n: np.percentile(v, 50),
    "np.quantile": lambda v, m, b, n: np.quantile(v, 0.5),
    "np.interp": lambda v, m, b, n: np.interp(v, np.arange(4.0), np.arange(4.0)),
    "np.polyfit": lambda v, m, b, n: np.polyfit(v, v, 1),
    "np.polyval": lambda v, m, b, n: np.polyval([1.0, 2.0], v),
    "np.reshape": lambda v, m, b, n: np.reshape(v, (2, 2)),
    "np.roll": lambda v, m, b, n: np.roll(v, 1),
    "np.rot90": lambda v, m, b, n: np.rot90(m),
    "np.select": lambda v, m, b, n: np.select([b], [v]),
    "np.take_along_axis": lambda v, m, b, n: np.take_along_axis(v, np.array([0]), 0),
    "np.tensordot": lambda v, m, b, n: np.tensordot(m, m),
    "np.unravel_index": lambda v, m, b, n: np.unravel_index(n, (2, 2)),
    "np.ravel_multi_index": lambda v, m, b, n: np.ravel_multi_index((n, n), (4, 4)),
    "np.linalg.cross": lambda v, m, b, n: np.linalg.cross(v[:3], v[:3]),
    "np.linalg.matrix_power": lambda v, m, b, n: np.linalg.matrix_power(m, 2),
    "np.linalg.tensordot": lambda v, m, b, n: np.linalg.tensordot(m, m),
    "np.testing.assert_equal": lambda v, m, b, n: np.testing.assert_equal(v, VECTOR),
    "np.testing.assert_almost_equal": lambda v, m, b, n: np.testing.assert_almost_equal(v, VECTOR),
    "np.random.rand": lambda v, m, b, n: np.random.rand(n),
    "np.random.randn": lambda v, m, b, n: np.random.randn(n),
    "np.random.uniform": lambda v, m, b, n: np.random.uniform(0.0, v),
    "np.random.standard_normal": lambda v, m, b, n: np.random.standard_normal(n),
}


def word(value: Any) -> str:
    """How the table names a result: traced, concrete or static; the first leaf of a container decides."""
    leaves = jax.tree.leaves(value)
    if any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
        return "traced"
    return "concrete" if any(isinstance(leaf, jax.Array) for leaf in leaves) else "static"


def outcome(call: Callable[[], Any]) -> str:
    """The word for the result of `call`, or the name of the exception that it raises."""
    try:
        return word(call())
    except Exception as e:
        return type(e).__name__


def under(transform: str, call: Callable[[Any, Any, Any, Any], Any]) -> str:
    """What `call` does with tracers of jit, or of eager grad (where integers and booleans aren't wrapped)."""
    seen: list[str] = []
    b, n = jnp.array([True, False, True, True]), jnp.array(3)

    def probe(v: Any, m: Any, b: Any, n: Any) -> Any:
        seen.append(outcome(lambda: call(v, m, b, n)))
        return v.sum() + m.sum()

    v, m = jnp.array([0.1, 0.2, 0.3, 0.4]), jnp.array([[2.0, 0.5], [0.5, 3.0]])
    if transform == "jit":
        jax.jit(probe)(v, m, b, n)
    else:
        jax.grad(lambda v, m: probe(v, m, v > 0.2, n), argnums=(0, 1))(v, m)
    return seen[0]


def arguments_fail(call: Callable[[Any, Any, Any, Any], Any]) -> Exception | None:
    """What `call` raises on concrete arrays, which would say nothing about tracers."""
    try:
        call(jnp.array([0.1, 0.2, 0.3, 0.4]), jnp.array([[2.0, 0.5], [0.5, 3.0]]), jnp.arange(4) > 1, jnp.array(3))
    except Exception as e:
        return e
    return None


def table(measured: Iterator[dict[str, str]]) -> dict[str, Any]:
    """dotted NumPy name → word, or {"jit": word, "grad": word} where they differ."""
    facts: dict[str, tuple[str, str]] = {}
    for row in measured:
        facts[row["function"]] = (row["jit"], row["grad"])
    for name, call in CALLS.items():
        if isinstance(arguments_fail(call), Exception):
            raise RuntimeError(f"{name}: the call doesn't work on concrete arrays either")
        facts[name] = (under("jit", call), under("grad", call))
    out: dict[str, Any] = {}
    for name, (jit, grad) in facts.items():
        if name in SILENTLY_FALSE:
            jit = grad = "false"
        out[name.replace("np.", "numpy.", 1)] = jit if jit == grad else {"jit": jit, "grad": grad}
    return out
