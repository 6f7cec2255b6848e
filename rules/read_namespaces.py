"""The members of JAX's plain namespaces (`jax.ad = SimpleNamespace(…)`), release by release, read from its archives.

    python rules/read_namespaces.py [--cache FOLDER]

Run `python -m omnilint.api.build` before, which downloads the archives, with Python 3.12 or newer. Nothing of them is
executed. Writes rules/tables/jax_namespaces.json: dotted name → member → the releases that have it, as runs of their
numbers in the history; under "" those in which the name is such a namespace.
"""

from __future__ import annotations

import argparse
import ast
import json
from collections.abc import Iterator
from pathlib import Path

from omnilint.api import history
from omnilint.api.build.expressions import chain_of
from omnilint.api.build.release import sources

OUT = Path(__file__).resolve().parent / "tables" / "jax_namespaces.json"


def namespaces(text: str) -> Iterator[tuple[str, list[str]]]:
    """(name, members) of the namespaces that a module makes, and adds nothing to."""
    tree = ast.parse(text)
    added = {chain_of(t.value) for n in ast.walk(tree) if isinstance(n, ast.Assign)
             for t in n.targets if isinstance(t, ast.Attribute)}  # fmt: skip
    for node in tree.body:
        value = node.value if isinstance(node, ast.Assign) else None
        if not isinstance(node, ast.Assign) or not isinstance(value, ast.Call):
            continue
        name = chain_of(node.targets[0])
        plain = not value.args and all(k.arg for k in value.keywords)
        if (chain_of(value.func) or "").rpartition(".")[2] == "SimpleNamespace" and plain and name not in added:
            yield name or "", [str(k.arg) for k in value.keywords]


def public_names(module: str, name: str, index: int) -> Iterator[str]:
    """The names under which users reach what a module binds: for a private one all that share its last part."""
    if not history.private(module):
        yield f"{module}.{name}"
        return
    for other in history.modules():
        if history.exists(other, name, index) and not history.is_module(f"{other}.{name}", index):
            yield f"{other}.{name}"


def runs(indices: list[int], newest: int) -> str:
    """Indices as runs, such as "3-7 12-" (see omnilint.api.history)."""
    pieces: list[list[int]] = []
    for i in indices:
        if pieces and pieces[-1][1] == i - 1:
            pieces[-1][1] = i
        else:
            pieces.append([i, i])
    return " ".join(f"{a}-" if b == newest else f"{a}-{b}" for a, b in pieces)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "omnilint" / "jax-releases")
    args = parser.parse_args()
    found: dict[str, dict[str, list[int]]] = {}
    for index, version in enumerate(history.releases()):
        archive = next(
            p for end in ("-py3-none-any.whl", ".tar.gz") if (p := args.cache / f"jax-{version}{end}").exists()
        )
        for path, text in sources(archive):
            module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            for name, members in namespaces(text) if "SimpleNamespace" in text else ():
                for public in public_names(module, name, index):
                    for member in ("", *members):
                        found.setdefault(public, {}).setdefault(member, []).append(index)
    newest = len(history.releases()) - 1
    table = {
        name: {member: runs(indices, newest) for member, indices in sorted(members.items())}
        for name, members in sorted(found.items())
    }
    source = "release archives of jax, by rules/read_namespaces.py"
    OUT.write_text(json.dumps({"_source": source, "namespaces": table}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
