"""Write which private names of the installed JAX are the very objects that public names stand for.

    python rules/measure_public_twins.py

A function, class or type alias of `jax._src` counts that a public module passes on under the same name, as JAX does it
(`from jax._src.core import Tracer as Tracer`, or `__all__`); of several public names the shortest counts, and none of
`jax.experimental` or `jax.interpreters` where there is another.
The table goes to rules/tables/public_twins.json: private module → public module → names.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import pkgutil
import sys
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax

TABLE = Path(__file__).parent / "tables" / "public_twins.json"
LAST = ("jax.experimental", "jax.interpreters", "jax.extend", "jax.lib", "jax.tools")


def modules() -> Iterator[types.ModuleType]:
    """Every module of JAX that can be imported."""
    skipped = ("jax.experimental.mosaic", "jax.experimental.jax2tf", "jax.collect_profile", "jax.cloud_tpu_init")
    for found in pkgutil.walk_packages(jax.__path__, "jax.", onerror=lambda name: None):
        if not found.name.startswith(skipped) and "test" not in found.name:
            try:
                yield importlib.import_module(found.name)
            except Exception as error:
                print(f"{found.name}: {error}", file=sys.stderr)
    yield jax


def members(module: types.ModuleType) -> Iterator[tuple[str, Any]]:
    """The functions, classes and type aliases of JAX that a module has under public names."""
    for name in dir(module):
        value = getattr(module, name, None) if not name.startswith("_") else None
        own = callable(value) and str(getattr(value, "__module__", "") or "").startswith("jax")
        if own or isinstance(value, (types.UnionType, type(Any | None))) or type(value).__module__ == "typing":
            yield name, value


def passed_on(module: types.ModuleType) -> frozenset[str]:
    """The names that a public module means to have, not those that it happens to import."""
    tree = ast.parse(inspect.getsource(module))
    aliases = (a for s in ast.walk(tree) if isinstance(s, ast.ImportFrom) for a in s.names)
    return frozenset({*getattr(module, "__all__", ()), *(a.name for a in aliases if a.asname == a.name)})


def measure() -> dict[str, dict[str, list[str]]]:
    """Private module → public module → names."""
    public: dict[tuple[str, int], str] = {}
    private: list[tuple[str, str, Any]] = []
    for module in modules():
        parts = module.__name__.split(".")
        meant = frozenset() if "_src" in parts else passed_on(module)
        for name, value in members(module):
            if "_src" in parts:
                private.append((module.__name__, name, value))
            elif name in meant and not any(p.startswith("_") for p in parts):
                key = (name, id(value))
                public[key] = min(public.get(key, module.__name__), module.__name__, key=_rank)
    found: dict[str, dict[str, list[str]]] = {}
    for home, name, value in private:
        twin = public.get((name, id(value)))
        if twin is not None:
            found.setdefault(home, {}).setdefault(twin, []).append(name)
    return {home: {p: sorted(set(n)) for p, n in sorted(by.items())} for home, by in sorted(found.items())}


def _rank(module: str) -> tuple[bool, int, str]:
    return module.startswith(LAST), len(module), module


def main() -> None:
    warnings.simplefilter("ignore")
    table = {home: {public: " ".join(names) for public, names in by.items()} for home, by in measure().items()}
    source = {"jax": jax.__version__, "how": "the same object under the same name; see rules/measure_public_twins.py"}
    TABLE.write_text(json.dumps({"_source": source, **table}, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
