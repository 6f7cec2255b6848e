"""Write the generated tables of JAX facts; run under an interpreter with JAX: `python rules/generate_tables.py`.

`jax_functions.json` joins the signatures of the installed JAX with the measurements in `tables/measured/`
(each public function called under `jax.jit` with one parameter traced at a time, jax 0.10.2).
`array_members.json`, `scipy_on_tracer.json` and the tail of `numpy_on_tracer.json` are measured by calling things on
tracers.
"""

from __future__ import annotations

import csv
import importlib
import inspect
import itertools
import json
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax

sys.path.insert(0, str(Path(__file__).parent))

import measure_members
import measure_numpy
import measure_scipy

TABLES = Path(__file__).parent / "tables"
HAND = tomllib.loads((TABLES / "measured" / "by_hand.toml").read_text(encoding="utf-8"))
SOURCE = {
    "jax": jax.__version__,
    "how": "inspect.signature of the installed JAX, joined with tables/measured/: every parameter handed over traced "
    "under jax.jit, and every function called under jax.jit with constants; see rules/generate_tables.py",
    "keys": "params: positional parameters in order; vararg: name of *args; kwonly: keyword-only parameters; static: "
    "must not be traced, with what JAX raises; sometimes: depends on other arguments; by_type: takes no array",
    "results": "traced: staged out whatever the operands are; static: a Python, NumPy or dtype value; data-dependent: "
    "the output's shape depends on values unless every parameter in needs is given (or all in or_needs, or all in "
    "unless_static are static), and on those of the parameters in sized_by alone where they are given; "
    "leaves: a container of the leaves "
    "that go in; applied: what the function that is passed in returns; callable: a function; otherwise the "
    "exception that a call under jit raises",
}


def rows(name: str) -> Iterator[dict[str, str]]:
    with open(TABLES / "measured" / name, newline="", encoding="utf-8") as f:
        yield from csv.DictReader(f)


def signature(function: Any) -> dict[str, Any]:
    """Positional, variadic and keyword-only parameters of `function`; empty when it has no signature."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return {"params": []}
    out: dict[str, Any] = {
        "params": [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    }
    for key, names in (
        ("vararg", [p.name for p in parameters if p.kind is p.VAR_POSITIONAL]),
        ("kwonly", [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]),
        ("kwarg", [p.name for p in parameters if p.kind is p.VAR_KEYWORD]),
    ):
        if names:
            out[key] = names if key == "kwonly" else names[0]
    return out


def result_of(name: str, measured: dict[str, tuple[str, str]]) -> str | None:
    """The word for what a call of `name` gives under jit (see SOURCE), None when nobody has measured it."""
    if name in HAND["needs"]:
        return "data-dependent"
    for word, names in HAND["results"].items():
        if name in names:
            return str(word)
    kind, error = measured.get(name, (None, ""))
    if kind is None:
        return None
    if kind == "error":
        return error
    return {"tracer": "traced", "function": "callable", "ufunc": "callable"}.get(kind, "static")


# Measured by handing over a tracer for the whole parameter, which holds more than the static part: cho_solve takes
# (factor, lower), of which only `lower` must be static.
NOT_STATIC = {("jax.scipy.linalg.cho_solve", "c_and_lower")}


def lookup(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    parts = module.split(".")
    for cut in range(len(parts), 0, -1):  # a distribution of jax.scipy.stats is a module, a ufunc isn't
        try:
            value = importlib.import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        for part in [*parts[cut:], attribute]:
            value = getattr(value, part, None)
        return value
    return None


def functions() -> dict[str, dict[str, Any]]:
    """Every public function that is in the measurements or in a module of the hand table with a known result."""
    measured = {r["function"]: (r["result"], r["exception"]) for r in rows("results.csv")}
    flags: dict[str, dict[str, dict[str, str]]] = {}
    for r in rows("parameters.csv"):
        if (r["function"], r["parameter"]) in NOT_STATIC:
            continue
        key = {"yes": "static", "sometimes": "sometimes", "by type": "by_type"}[r["must_be_static"]]
        flags.setdefault(r["function"], {}).setdefault(key, {})[r["parameter"].replace("kwargs.", "")] = r["exception"]
    names = {f"{m}.{n}" for m in HAND["modules"] for n in dir(importlib.import_module(m)) if not n.startswith("_")}
    table: dict[str, dict[str, Any]] = {}
    for name in sorted({*names, *measured, *flags, *itertools.chain(*HAND["results"].values())}):
        value, result = lookup(name), result_of(name, measured)
        if value is None or inspect.ismodule(value):
            continue
        entry = signature(value)
        for key, found in flags.get(name, {}).items():
            entry[key] = sorted(found) if key == "by_type" else dict(sorted(found.items()))
        entry["result"] = result
        for key in ("needs", "or_needs", "unless_static", "sized_by"):
            if name in HAND[key]:
                entry[key] = HAND[key][name]
        if result is not None:
            table[name] = entry
    table.update(constants())
    return table


def constants() -> dict[str, dict[str, Any]]:
    """Numbers, scalar types and indexing helpers of jax.numpy, which no signature describes."""
    out: dict[str, dict[str, Any]] = {}
    for name in dir(jax.numpy):
        value = getattr(jax.numpy, name)
        subscripted = HAND["subscripted"].get(f"jax.numpy.{name}")
        if subscripted:
            out[f"jax.numpy.{name}"] = {"params": [], "result": subscripted, "subscripted": True}
        elif isinstance(value, int | float) or value is None:
            out[f"jax.numpy.{name}"] = {"params": [], "result": "static", "constant": True}
        elif type(value).__name__ == "_ScalarMeta":
            out[f"jax.numpy.{name}"] = {"params": ["x"], "result": "traced", "scalar_type": True}
    return out


def lines(table: dict[str, Any]) -> str:
    """The members of a JSON object; sections (attributes, methods) are spread over lines too."""
    spread = {k: f"{{\n{lines(v)}}}" if k in ("attributes", "methods") else json.dumps(v) for k, v in table.items()}
    return ",\n".join(f"{json.dumps(k)}: {v}" for k, v in sorted(spread.items()))


def write(name: str, table: dict[str, Any], source: dict[str, str]) -> None:
    """One entry a line, sorted, so that a change of JAX shows as a readable diff."""
    (TABLES / name).write_text(f'{{"_source": {json.dumps(source)},\n{lines(table)}}}\n', encoding="utf-8")
    print(f"{name}: {len(table)} entries, {(TABLES / name).stat().st_size} bytes")


def main() -> None:
    write("jax_functions.json", functions(), SOURCE)
    write("array_members.json", measure_members.members(), measure_members.SOURCE)
    write("numpy_on_tracer.json", measure_numpy.table(rows("numpy_on_tracer.csv")), measure_numpy.SOURCE)
    write("scipy_on_tracer.json", measure_scipy.table(), measure_scipy.SOURCE)


if __name__ == "__main__":
    main()
