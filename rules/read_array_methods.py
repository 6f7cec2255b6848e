"""The parameters of methods of JAX's arrays, release by release, read from the archives that the history is built from.

    python rules/read_array_methods.py [--cache FOLDER]

Run `python -m omnilint.api.build` before, which downloads the archives. Nothing of them is executed. Writes
rules/tables/array_methods.json: method → first release → signature (see omnilint.api.build.signature, without the
array itself), None where it can't be read.
"""

from __future__ import annotations

import argparse
import ast
import json
from collections.abc import Iterator
from pathlib import Path

from omnilint.api import history
from omnilint.api.build.expressions import chain_of, strings_of
from omnilint.api.build.release import sources
from omnilint.api.build.signature import function_signature

OUT = Path(__file__).resolve().parent / "tables" / "array_methods.json"
MODULES = ("numpy/array_methods.py", "numpy/lax_numpy.py")  # since 0.4.7; before
SETTERS = ("setattr", "maybe_setattr")


def methods(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """(method, function) of what a module makes methods of arrays."""
    for node in ast.walk(tree):
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        name = target.id if isinstance(target, ast.Name) else ""
        if name in ("_nondiff_methods", "_diff_methods") and isinstance(node, ast.Assign):
            yield from ((m, m) for m in strings_of(node.value))
        elif name == "_array_methods" and isinstance(value := getattr(node, "value", None), ast.Dict):
            for key, given in zip(value.keys, value.values, strict=True):
                if isinstance(key, ast.Constant):
                    yield key.value, (chain_of(given) or "").rpartition(".")[2]
        elif isinstance(node, ast.Call) and (chain_of(node.func) or "") in SETTERS:
            *_, key, given = node.args
            if isinstance(given, ast.Call) and (chain_of(given.func) or "").endswith("aval_method"):
                given = given.args[0]
            if isinstance(key, ast.Constant) and isinstance(given, ast.Name):
                yield str(key.value), given.id


def read(archive: Path, version: str) -> dict[str, str | None]:
    """The signatures of the methods in one release."""
    texts = {path.removeprefix("jax/_src/").removeprefix("jax/"): text for path, text in sources(archive)}
    text = next((texts[m] for m in MODULES if m in texts), "")
    tree = ast.parse(text)
    own = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    found: dict[str, str | None] = {}
    for method, function in methods(tree):
        if not method.startswith("_"):
            known = history.signature("jax.numpy", function, history.index_of(version))
            whole = function_signature(own[function]) if function in own else None
            found[method] = without_array(whole or known)
    return found


def without_array(signature: str | None) -> str | None:
    """A signature without its first parameter, None where it has no such."""
    first, *rest = signature.split(",") if signature else [""]
    if not first or first[0] in "*/" or first == "condition":  # `compress` has its array second
        return None
    return ",".join(rest[1:] if rest[:1] == ["/"] else rest)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "omnilint" / "jax-releases")
    args = parser.parse_args()
    table: dict[str, dict[str, str | None]] = {}
    last: dict[str, str | None] = {}
    for version in history.releases():
        archive = next(
            p for end in ("-py3-none-any.whl", ".tar.gz") if (p := args.cache / f"jax-{version}{end}").exists()
        )
        found = read(archive, version)
        for method in {*found, *last}:
            if method not in last or last[method] != found.get(method):
                table.setdefault(method, {})[version] = last[method] = found.get(method)
    source = "release archives of jax, by rules/read_array_methods.py"
    rows = {m: runs for m, runs in sorted(table.items()) if any(runs.values())}
    OUT.write_text(json.dumps({"_source": source, "methods": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
