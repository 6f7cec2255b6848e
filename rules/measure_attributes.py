"""Which attributes JAX's objects have in a release: measured by accessing them, and merged into jax_attributes.json.

Run it under each JAX to measure: `PYTHONPATH=… python rules/measure_attributes.py`. A release that the table already
holds is measured again.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

TABLE = Path(__file__).resolve().parent / "tables" / "jax_attributes.json"
SOURCE = {
    "how": "every attribute that some release has, accessed on each object on a CPU; see rules/measure_attributes.py",
    "words": "runs of positions in the list of releases: 3-7, or 9- for to the end; warns: a warning on access",
}


def objects() -> Iterator[tuple[str, Any]]:
    """One of each object, by name."""
    x = jnp.ones((2, 3), jnp.float32)
    jitted = jax.jit(lambda a: a + 1)
    lowered = jitted.lower(x)
    closed = jax.make_jaxpr(lambda a: a + 1)(x)
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))
    yield "Array", x
    yield "jitted", jitted
    yield "Lowered", lowered
    yield "Compiled", lowered.compile()
    yield "ShapeDtypeStruct", jax.ShapeDtypeStruct((2, 3), jnp.float32)
    yield "ShapedArray", closed.in_avals[0]
    yield "device", jax.devices()[0]
    yield "config", jax.config
    yield "ClosedJaxpr", closed
    yield "Jaxpr", closed.jaxpr
    yield "Mesh", mesh
    yield "PartitionSpec", jax.sharding.PartitionSpec("x")
    yield "NamedSharding", jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
    if hasattr(jax.random, "key"):
        yield "typed key", jax.random.key(0)
    if hasattr(jitted, "trace"):
        yield "traced", jitted.trace(x)


def states(thing: Any, more: set[str]) -> dict[str, bool]:
    """The attributes of an object, and whether access warns; `more` are names that `dir` may hide."""
    found: dict[str, bool] = {}
    for name in sorted({*dir(thing), *more}):
        if name.startswith("__"):
            continue
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                getattr(thing, name)
            except AttributeError:
                continue
            except Exception:
                pass
        found[name] = any(issubclass(w.category, DeprecationWarning | FutureWarning | UserWarning) for w in caught)
    return found


def measure(known: dict[str, set[str]]) -> dict[str, dict[str, bool]]:
    """The states of all objects, a tracer among them."""
    found: dict[str, dict[str, bool]] = {}

    def touch(a: jax.Array) -> jax.Array:
        found["Tracer"] = states(a, known.get("Tracer", set()))
        return a

    jax.jit(touch)(jnp.ones((2, 3)))
    for name, thing in objects():
        found[name] = states(thing, known.get(name, set()))
    return found


def spread(table: dict[str, Any]) -> dict[str, dict[str, dict[str, bool]]]:
    """Release → object → attribute → whether access warns, of a table."""
    out: dict[str, dict[str, dict[str, bool]]] = {v: {} for v in table["releases"]}

    def each(part: str) -> Iterator[tuple[str, str, str]]:
        for thing, by in table[part].items():
            for runs, names in by.items():
                for run in runs.split():
                    first, _, last = run.partition("-")
                    for v in table["releases"][int(first) : int(last) + 1 if last else None]:
                        yield from ((v, thing, n) for n in names.split())

    for v, thing, name in each("objects"):
        out[v].setdefault(thing, {})[name] = False
    for v, thing, name in each("warns"):
        out[v][thing][name] = True
    return out


def packed(by_release: dict[str, dict[str, dict[str, bool]]]) -> dict[str, Any]:
    """The table of what was measured, oldest release first."""
    releases = sorted(by_release, key=lambda v: [int(n) for n in v.split(".")])
    out: dict[str, Any] = {"_source": SOURCE, "releases": releases, "objects": {}, "warns": {}}
    for thing in sorted({o for found in by_release.values() for o in found}):
        names = sorted({n for found in by_release.values() for n in found.get(thing, {})})
        for part, wanted in (("objects", (False, True)), ("warns", (True,))):
            for name in names:
                flags = [by_release[v].get(thing, {}).get(name) in wanted for v in releases]
                if any(flags):
                    out[part].setdefault(thing, {}).setdefault(runs_of(flags), []).append(name)
    for part in ("objects", "warns"):
        out[part] = {o: {runs: " ".join(n) for runs, n in by.items()} for o, by in out[part].items()}
    return out


def runs_of(flags: list[bool]) -> str:
    """`3-7 9-` for the positions that are set."""
    out: list[str] = []
    start: int | None = None
    for i, flag in enumerate([*flags, False]):
        if flag and start is None:
            start = i
        elif not flag and start is not None:
            out.append(f"{start}-" if i == len(flags) else f"{start}-{i - 1}")
            start = None
    return " ".join(out)


def main() -> None:
    old = (
        json.loads(TABLE.read_text(encoding="utf-8"))
        if TABLE.exists()
        else {"releases": [], "objects": {}, "warns": {}}
    )
    by_release = spread(old)
    known: dict[str, set[str]] = {}
    for found in by_release.values():
        for thing, names in found.items():
            known.setdefault(thing, set()).update(names)
    by_release[jax.__version__] = measure(known)
    TABLE.write_text(json.dumps(packed(by_release), indent=1) + "\n", encoding="utf-8")
    print(f"jax {jax.__version__}: {sum(map(len, by_release[jax.__version__].values()))} attributes")


if __name__ == "__main__":
    main()
