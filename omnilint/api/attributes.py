"""The verdict on an attribute of one of JAX's objects, where the code shows what object it is."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from omnilint import knowledge
from omnilint.api import history
from omnilint.api.judge import DEPRECATED, REMOVED, UNKNOWN, Verdict
from omnilint.api.scopes import Scope, resolve

_TABLE = "internal_attributes"
_CONFIG = ("jax.config", "jax.config.config")
_JIT = {"jax.jit", "jax.api.jit", "jax.experimental.pjit.pjit"}
_DEVICES = {"jax.devices", "jax.local_devices"}
_CONSTRUCTORS = {"jax.ShapeDtypeStruct": "ShapeDtypeStruct", "jax.core.ShapedArray": "ShapedArray"}
# Functions that return one array whatever they are given.
_ARRAYS = {
    "jax.device_put",
    *(f"jax.numpy.{n}" for n in (
        "array", "asarray", "zeros", "ones", "full", "empty", "arange", "linspace", "eye", "zeros_like", "ones_like",
        "full_like", "reshape", "concatenate", "stack", "dot", "matmul", "sum", "mean", "sin", "cos", "exp", "log",
        "sqrt", "abs", "maximum", "minimum", "where", "transpose", "add", "multiply")),
    *(f"jax.random.{n}" for n in ("normal", "uniform", "randint", "permutation", "bernoulli", "categorical")),
}  # fmt: skip


@cache
def _rows() -> Mapping[tuple[str, str], Mapping[str, Any]]:
    return {(r["object"], r["attribute"]): r for r in knowledge.table(_TABLE)["attribute"]}


@cache
def attributes() -> frozenset[str]:
    """Every attribute that the table has a line for."""
    return frozenset(a for _, a in _rows())


def object_of(node: ast.expr, scope: Scope, depth: int = 0) -> str | None:
    """Which of the table's objects an expression is, as far as the code shows it."""
    if depth > 6:
        return None
    if isinstance(node, ast.Call):
        return _result_of(node, scope, depth)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call):
        return "device" if _names(node.value.func, scope) & _DEVICES else None
    names = _names(node, scope) if isinstance(node, ast.Name | ast.Attribute) else set()
    if names and names <= set(_CONFIG):
        return "config"
    if isinstance(node, ast.Name):
        hit = scope.lookup(node.id)
        if hit is not None:
            where, bindings = hit
            kinds = {None if b.value is None else object_of(b.value, where, depth + 1) for b in bindings}
            return kinds.pop() if len(kinds) == 1 else None
    return None


def _names(node: ast.expr, scope: Scope) -> set[str]:
    return {d.name for d in resolve(node, scope)}


def _result_of(node: ast.Call, scope: Scope, depth: int) -> str | None:
    names = _names(node.func, scope)
    if len(names) == 1:
        (name,) = names
        if name in _JIT:
            return "jitted"
        return "Array" if name in _ARRAYS else _CONSTRUCTORS.get(name)
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("lower", "compile"):
        wanted, result = {"lower": ("jitted", "Lowered"), "compile": ("Lowered", "Compiled")}[node.func.attr]
        return result if object_of(node.func.value, scope, depth + 1) == wanted else None
    return None


def within(runs: Sequence[str], index: int) -> bool:
    """Whether a release lies in runs such as "0.4.27..", "..0.6.0" or "0.4.27..0.4.30"."""
    for run in runs:
        first, _, last = run.partition("..")
        if (not first or index >= history.index_of(first)) and (not last or index <= history.index_of(last)):
            return True
    return False


def judge_attribute(kind: str, attribute: str, indices: Sequence[int]) -> Verdict | None:
    """The verdict on an attribute of one of the table's objects in a target."""
    row = _rows().get((kind, attribute))
    if row is None:
        return None
    name = f"jax.config.{attribute}" if kind == "config" else f"{kind}.{attribute}"
    advice = f"; use {row['instead']}" if "instead" in row else f"; {row['note']}" if "note" in row else ""
    releases = history.releases()
    missing = next((i for i in indices if within(row["missing"], i)), None)
    if missing is None:
        warns = next((i for i in indices if within(row.get("warns", ()), i)), None)
        if warns is None:
            return None
        since = next(run.partition("..")[0] for run in row["warns"] if within([run], warns))
        return Verdict(
            DEPRECATED, name, 1, f"`{name}` is deprecated since JAX {since}{advice}", row.get("instead"), since
        )
    run = next(r for r in row["missing"] if within([r], missing))
    first, _, last = run.partition("..")
    if first:
        message = f"`{name}` isn't there since JAX {first}{advice}"
        return Verdict(REMOVED, name, 1, message, row.get("instead"), None, first)
    came = releases[history.index_of(last) + 1]
    message = f"`{name}` isn't in JAX {releases[missing]}: it came with JAX {came}"
    return Verdict(UNKNOWN, name, 1, message, None, came)
