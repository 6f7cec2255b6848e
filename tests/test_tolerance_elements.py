"""Leaf by leaf and element by element: gradients as trees, solvers, lists of numbers, errors made by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tolerance_support import HEAD, of_body

# A loss whose gradients bend, a system of equations, a list of sums; each with its float64 reference.
MODEL = (
    HEAD
    + """
import cmath
import math

import chex
import pytest
from jax.scipy.sparse.linalg import bicgstab, cg, gmres

P = {"w": jnp.array([0.1, -0.4, 0.3]), "b": jnp.array([0.2, 0.7, 1.1])}
V = np.random.default_rng(1).normal(size=40).astype(np.float32)
A = np.random.default_rng(2).normal(size=(8, 8)) + 8 * np.eye(8)
B = np.random.default_rng(3).normal(size=8)
TIGHT = {"loose": 1e-2, "strict": 1e-9}


def loss(p, x):
    z = jnp.exp(-((x[:, None] - p["w"][None]) ** 2)) * jnp.sin(p["b"]) + jnp.tanh(p["b"] * x[:, None])
    return jnp.mean(jax.nn.logsumexp(z * jnp.exp(p["w"]) + 0.3, axis=1))


def pair(w, b):
    return loss({"w": w, "b": b}, V)


GRAD = jax.grad(loss)


def total(values):
    out, sum_ = [], 0.0
    for v in values.tolist():
        sum_ += math.sin(v)
        out.append(sum_)
    return out


def totals(values):
    return jnp.cumsum(jnp.sin(values))
"""
)

TREES = [
    pytest.param("for k in GRAD(P, V):\n        assert_equal(COMPILED[k], EAGER[k])", id="keys"),
    pytest.param("for k, v in EAGER.items():\n        assert_equal(COMPILED[k], v)", id="items"),
    pytest.param("for k, v in EAGER.items():\n        assert (COMPILED[k] == v).all()", id="operator"),
    pytest.param("jax.tree.map(assert_equal, COMPILED, EAGER)", id="tree-map"),
    pytest.param("chex.assert_trees_all_equal(COMPILED, EAGER)", id="whole-trees"),
    pytest.param("chex.assert_trees_all_close(COMPILED, EAGER, rtol=1e-9)", id="whole-trees-close"),
    pytest.param(
        "assert jax.tree.all(jax.tree.map(lambda a, b: jnp.array_equal(a, b), COMPILED, EAGER))", id="tree-all"
    ),
    pytest.param(
        "for a, b in zip(jax.tree.leaves(COMPILED), jax.tree.leaves(EAGER)):\n        assert jnp.array_equal(a, b)",
        id="leaves",
    ),
    pytest.param(
        "a, _ = jax.tree.flatten(COMPILED)\n    b, _ = jax.tree.flatten(EAGER)\n    assert_equal(a[0], b[0])", id="flat"
    ),
    pytest.param("assert all(jnp.array_equal(COMPILED[k], EAGER[k]) for k in P)", id="generator"),
    pytest.param(
        "g, w, b = jax.grad(pair, argnums=(0, 1)), P['w'], P['b']\n    "
        "for left, right in zip(jax.jit(g)(w, b), g(w, b)):\n        assert_equal(left, right)",
        id="tuple-of-argnums",
    ),
    pytest.param(
        "f = jax.value_and_grad(loss)\n    (_, a), (_, b) = jax.jit(f)(P, V), f(P, V)\n    "
        "assert_equal(a['w'], b['w'])",
        id="value-and-grad",
    ),
]

SOLVERS = [
    pytest.param("x = cg(lambda v: jnp.asarray(A) @ v, jnp.asarray(B), tol=1e-8)[0]", id="cg"),
    pytest.param("x, _ = gmres(jnp.asarray(A), jnp.asarray(B), tol=1e-8)", id="gmres-matrix"),
    pytest.param("x, info = bicgstab(A=lambda v: A @ v, b=B)", id="bicgstab-keywords"),
    pytest.param("x = jax.jit(jnp.linalg.solve)(A, B)", id="solve"),
    pytest.param("x = jnp.linalg.inv(A) @ jnp.asarray(B)", id="inv"),
    pytest.param("x, *_ = jnp.linalg.lstsq(jnp.asarray(A), jnp.asarray(B))", id="lstsq"),
    pytest.param(
        "x = jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(jnp.asarray(A)), jnp.asarray(B))", id="cho"
    ),
    pytest.param(
        "q, r = jnp.linalg.qr(jnp.asarray(A))\n    x = jax.scipy.linalg.solve_triangular(r, q.T @ jnp.asarray(B))",
        id="qr",
    ),
    pytest.param("u, s, vt = jnp.linalg.svd(jnp.asarray(A))\n    x = vt.T @ ((u.T @ jnp.asarray(B)) / s)", id="svd"),
    pytest.param("w, v = jnp.linalg.eigh(jnp.asarray(A + A.T))\n    x = v @ ((v.T @ jnp.asarray(B)) / w)", id="eigh"),
]

ERRORS = [
    pytest.param("assert np.abs(x - want).max() / np.abs(want).max() < LIMIT", id="largest"),
    pytest.param("assert np.linalg.norm(x - want) / np.linalg.norm(want) < LIMIT", id="norms"),
    pytest.param("err = np.max(np.abs((x - want) / want))\n    assert err < LIMIT", id="ratio"),
    pytest.param("assert float(jnp.max(jnp.abs(x - want))) <= LIMIT * np.abs(want).max()", id="scaled-bound"),
    pytest.param("assert np.linalg.norm(x - want) < LIMIT * np.linalg.norm(want)", id="scaled-norm"),
    pytest.param("assert (np.abs(np.asarray(x, np.float64) - want) / np.abs(want) < LIMIT).all()", id="elementwise"),
]

LIMITS = [
    pytest.param("1e-9", id="literal"),
    pytest.param("TIGHT['strict']", id="key"),
    pytest.param("TIGHT.get('strict', 1e-2)", id="get"),
    pytest.param("TIGHT[level]", id="default"),
]

ELEMENTS = [
    pytest.param(
        "for a, b in zip(totals(V).tolist(), total(V)):\n        assert math.isclose(a, b, rel_tol=1e-9)", id="zip"
    ),
    pytest.param("for a, b in zip(totals(V), total(V), strict=True):\n        assert math.isclose(a, b)", id="array"),
    pytest.param("for a, b in zip(totals(V).tolist(), total(V)):\n        assert abs(a - b) <= 1e-10", id="abs"),
    pytest.param("for a, b in zip(totals(V).tolist(), total(V)):\n        assert math.fabs(a - b) < 1e-10", id="fabs"),
    pytest.param(
        "for a, b in zip(totals(V).tolist(), total(V)):\n        assert a == pytest.approx(b, rel=1e-12)", id="approx"
    ),
    pytest.param(
        "for a, b in zip(totals(V).tolist(), total(V)):\n        assert abs(a - b) / abs(b) < 1e-10", id="ratio"
    ),
    pytest.param(
        "for a, b in zip(totals(V).tolist(), total(V)):\n        assert abs(a - b) <= 1e-10 * abs(b)", id="bound"
    ),
    pytest.param("for a, b in zip(totals(V).tolist(), total(V)):\n        assert cmath.isclose(a, b)", id="cmath"),
    pytest.param("assert all(math.isclose(a, b) for a, b in zip(totals(V).tolist(), total(V)))", id="generator"),
    pytest.param(
        "for i, a in enumerate(totals(V).tolist()):\n        assert math.isclose(a, total(V)[i])", id="enumerate"
    ),
    pytest.param(
        "for i, (a, b) in enumerate(zip(map(float, totals(V)), total(V))):\n        assert math.isclose(a, b), i",
        id="map",
    ),
    pytest.param("for a, b in zip(list(totals(V)), total(V)):\n        assert math.isclose(float(a), b)", id="list"),
    pytest.param(
        "for a, b in zip(reversed(totals(V).tolist()), total(V)[::-1]):\n        assert math.isclose(a, b)",
        id="reversed",
    ),
    pytest.param(
        "for a, b in zip(totals(V)[2:].tolist(), total(V)[2:]):\n        "
        "if not math.isclose(a, b):\n            raise AssertionError\n    assert V.size",
        id="raise",
    ),
]


# Right as they stand: what comes back from a wider dtype is what went there, a change may be small for a reason.
RIGHT = [
    pytest.param("back = jnp.asarray(np.asarray(totals(V), np.float64))\n    LISTED", id="by-way-of-numpy"),
    pytest.param("back = jnp.asarray(totals(V).tolist())\n    LISTED", id="by-way-of-a-list"),
    pytest.param("back = jnp.array([float(v) for v in totals(V)])\n    LISTED", id="by-way-of-floats"),
    pytest.param(
        "back = jnp.asarray(np.asarray(totals(V), np.float64).reshape(4, 10).T).T.ravel()\n    LISTED", id="moved"
    ),
    pytest.param("a, b = jnp.linalg.slogdet(A)[0], np.linalg.slogdet(A)[0]\n    assert math.isclose(a, b)", id="sign"),
    pytest.param("assert jnp.linalg.norm(A @ cg(A, B)[0] - B) <= 1e-5 * jnp.linalg.norm(B)", id="residual"),
    pytest.param("y = jnp.cos(V)\n    assert jnp.abs((jnp.cos(y) - y) / V).max() < 1e-6", id="scaled-by-another"),
    pytest.param("y = totals(V)\n    assert jnp.abs(y - total(V)).max() < 1e-9 * y.size", id="count"),
]


def lines(body: str, root: Path) -> list[str]:
    return [f.statement for f in of_body(body, root, MODEL)]


def in_trees(body: str) -> str:
    given = "assert_equal = np.testing.assert_array_equal\n    COMPILED, EAGER = jax.jit(GRAD)(P, V), GRAD(P, V)"
    return f"\ndef test():\n    {given}\n    {body}\n"


def in_solver(solver: str, error: str, limit: str) -> str:
    want = "want = np.linalg.solve(A, B)"
    return f"\ndef test(level='strict'):\n    {solver}\n    {want}\n    {error.replace('LIMIT', limit)}\n"


@pytest.mark.parametrize("body", TREES)
def test_compiled_gradients(body: str, tmp_path: Path) -> None:
    assert len(lines(in_trees(body), tmp_path)) == 1


@pytest.mark.parametrize("body", RIGHT)
def test_right_as_it_stands(body: str, tmp_path: Path) -> None:
    listed = "for a, b in zip(back.tolist(), totals(V).tolist()):\n        assert math.isclose(a, b, rel_tol=1e-9)"
    assert lines(f"\ndef test():\n    {body.replace('LISTED', listed)}\n", tmp_path) == []


@pytest.mark.parametrize("solver", SOLVERS)
def test_solvers(solver: str, tmp_path: Path) -> None:
    assert len(lines(in_solver(solver, ERRORS[0].values[0], "1e-9"), tmp_path)) == 1  # type: ignore[arg-type]


@pytest.mark.parametrize("error", ERRORS)
def test_errors_made_by_hand(error: str, tmp_path: Path) -> None:
    assert len(lines(in_solver("x = jnp.linalg.solve(A, B)", error, "1e-9"), tmp_path)) == 1
    assert lines(in_solver("x = jnp.linalg.solve(A, B)", error, "1e-3"), tmp_path) == []


@pytest.mark.parametrize("limit", LIMITS)
def test_limits(limit: str, tmp_path: Path) -> None:
    error = ERRORS[1].values[0]
    assert len(lines(in_solver("x = jnp.linalg.solve(A, B)", error, limit), tmp_path)) == 1  # type: ignore[arg-type]


@pytest.mark.parametrize("body", ELEMENTS)
def test_elements(body: str, tmp_path: Path) -> None:
    assert len(lines(f"\ndef test():\n    {body}\n", tmp_path)) == 1
