"""Many releases as one table: lifetimes as runs, and what changes in them, in the form that the loader reads."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable
from pathlib import Path
from typing import Any

PARTS = ("names", "private", "signatures")

# Private modules that no release of a package was seen to import names from: half of all private names, and
# the table has to stay small. Names of modules that it doesn't hold are never judged.
UNTRACKED = (
    "jax._src.pallas", "jax._src.cudnn", "jax._src.clusters", "jax._src.thunky", "jax._src.debugger", "jax._src.hijax",
    "jax._src.lib.mlir", "jax._src.export", "jax._src.scipy", "jax._src.test_util", "jax._src.internal_test_util",
    "jax.experimental.mosaic", "jax.experimental.jax2tf", "jax.experimental.export", "jax.experimental.array_api",
    "jax.experimental.key_reuse", "jax.experimental.sparse", "jax.lax.lax", "jax.lax.lax_control_flow",
    "jax.numpy.lax_numpy", "jax._src.numpy.array_methods", "jax._src.random.core", "jax._src.state",
    "jax._src.lax.windowed_reductions", "jax._src.lax.control_flow.for_loop", "jax._src.sourcemap",
)  # fmt: skip

# Private modules of which packages also import what the modules themselves only import.
PASSED_ON = (
    "jax._src.api", "jax._src.core", "jax._src.lib", "jax._src.pjit", "jax._src.util", "jax._src.tree_util",
    "jax._src.dtypes", "jax._src.interpreters.pxla", "jax._src.interpreters.xla", "jax._src.lax.lax",
    "jax._src.numpy.lax_numpy", "jax._src.numpy.util", "jax._src.api_util", "jax._src.random",
)  # fmt: skip

# Public modules whose signatures aren't stored: machinery, and old homes of functions that have a public one.
UNSIGNED = (
    "jax.core", "jax.interpreters", "jax.lib", "jax.test_util", "jax.lax_reference", "jax.lax_linalg",
    "jax.lax.lax", "jax.lax.lax_control_flow", "jax.lax.lax_fft", "jax.lax.lax_parallel", "jax.numpy.lax_numpy",
    "jax.nn.functions", "jax.experimental.mosaic", "jax.experimental.jax2tf", "jax.experimental.export",
    "jax.experimental.array_api", "jax.experimental.djax", "jax.experimental.hijax", "jax.experimental.roofline",
    "jax.experimental.source_mapper", "jax.experimental.array_serialization", "jax.experimental.colocated_python",
    "jax.experimental.sparse.bcoo", "jax.experimental.sparse.bcsr", "jax.experimental.sparse.ad",
    "jax.experimental.pallas.tpu", "jax.experimental.pallas.mosaic_gpu", "jax.experimental.pallas.ops",
    "jax.experimental.pallas.tpu_sc", "jax.experimental.pallas.triton", "jax.experimental.pallas.fuser",
    "jax.experimental.attrs", "jax.experimental.slab", "jax.tools",
)  # fmt: skip


def is_private(dotted: str) -> bool:
    """Whether any part of a name is underscored (dunder names aren't)."""
    return any(p.startswith("_") and not p.startswith("__") for p in dotted.split("."))


def merge(releases: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The parts of the history (see PARTS) from the tables of its releases, oldest first."""
    count = len(releases)
    sets = {p: _Part() for p in PARTS}
    seen: dict[tuple[str, str], list[list[Any] | None]] = {}
    for i, r in enumerate(releases):
        documented = set(r["documented"])
        for module, names in r["modules"].items():
            own = ["m", module, None, r["warns"].get(module), None, module in documented, True]
            seen.setdefault((module, ""), [None] * count)[i] = own
            for name, entry in names.items():
                seen.setdefault((module, name), [None] * count)[i] = entry
    for (module, name), entries in sorted(seen.items()):
        private = is_private(f"{module}.{name}")
        if private and not _tracked(module, name, entries):
            continue
        part = sets["private" if private else "names"]
        part.add(module, name, entries)
        if not private:
            part.document(module, name, entries)
        if not private and not _within(module, UNSIGNED):
            sets["signatures"].add_signatures(module, name, entries)
    for i, r in enumerate(releases):
        for module in r["dynamic"]:
            sets["names"].mark("dynamic", module, i)
        for option in r["options"]:
            sets["names"].mark("options", option, i)
        for module, gone in r["gone"].items():
            for name, message in gone.items():
                sets["private" if is_private(f"{module}.{name}") else "names"].gone(module, name, message)
    out = {p: s.encoded() for p, s in sets.items()}
    out["names"]["releases"] = [r["version"] for r in releases]
    return out


def _within(module: str, prefixes: Iterable[str]) -> bool:
    return any(module == p or module.startswith(p + ".") for p in prefixes)


def _tracked(module: str, name: str, entries: list[list[Any] | None]) -> bool:
    if _within(module, UNTRACKED):
        return False
    last = next(e for e in reversed(entries) if e is not None)
    return not name or not is_private(module) or bool(last[6]) or (module in PASSED_ON and last[0] == "v")


def runs_of(flags: Iterable[bool]) -> str:
    """`3-7 9-` for the indices that are set; a run that lasts to the end has no end."""
    out: list[str] = []
    start: int | None = None
    last = -1
    for i, flag in enumerate(flags):
        last = i
        if flag and start is None:
            start = i
        elif not flag and start is not None:
            out.append(f"{start}-{i - 1}")
            start = None
    if start is not None:
        out.append(f"{start}-" if last >= 0 else "")
    return " ".join(out)


def _told(documented: bool | None) -> int:
    return -1 if documented is None else int(documented)


class _Pool:
    """Texts that are stored once and named by their index."""

    def __init__(self) -> None:
        self.items: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        return self.items.setdefault(text, len(self.items))


class _Part:
    def __init__(self) -> None:
        self.lives, self.texts = _Pool(), _Pool()
        self.modules: dict[str, dict[int, list[str]]] = {}
        self.details: dict[str, dict[str, Any]] = {}
        self.marks: dict[str, dict[str, set[int]]] = {}
        self.goners: dict[str, dict[str, int]] = {}
        self.documents, self.documented = _Pool(), dict[str, dict[str, int]]()

    def add(self, module: str, name: str, entries: list[list[Any] | None]) -> None:
        life = self.lives(runs_of(e is not None for e in entries))
        self.modules.setdefault(module, {}).setdefault(life, []).append(name)
        own = f"{module}.{name}" if name else module
        for key, pick in (("kind", 0), ("access", 3), ("call", 4)):
            changes: list[Any] = []
            current: Any = None
            for i, e in enumerate(entries):
                if e is None:
                    continue
                value: Any = e[pick]
                if pick == 0:
                    value = None if e[0] == "v" or e[1] == own else "!" if e[0] == "x" else e[1]
                value = None if value is None else self.texts(value)
                if value != current:
                    changes += [i, -1 if value is None else value]
                    current = value
            if changes:
                self.details.setdefault(key, {}).setdefault(module, {})[name] = changes
        own_module = [e is not None and e[0] == "m" and e[1] == own for e in entries]
        if name and any(own_module):
            self.details.setdefault("child", {}).setdefault(module, {})[name] = self.lives(runs_of(own_module))

    def document(self, module: str, name: str, entries: list[list[Any] | None]) -> None:
        """Note in which releases a name has a docstring: 1, 0, or -1 where that can't be told."""
        changes: list[int] = []
        for i, e in enumerate(entries):
            if e is not None and (not changes or _told(e[5]) != changes[-1]):
                changes += [i if changes else 0, _told(e[5])]
        self.documented.setdefault(module, {})[name] = self.documents(json.dumps(changes, separators=(",", ":")))

    def add_signatures(self, module: str, name: str, entries: list[list[Any] | None]) -> None:
        changes: list[int] = []
        current = -1
        for i, e in enumerate(entries):
            if e is None:
                continue
            value = -1 if e[2] is None else self.texts(e[2])
            if value != current:
                changes += [i, value]
                current = value
        if changes:
            key = json.dumps(changes, separators=(",", ":"))
            self.modules.setdefault(module, {}).setdefault(self.lives(key), []).append(name)

    def mark(self, kind: str, name: str, index: int) -> None:
        self.marks.setdefault(kind, {}).setdefault(name, set()).add(index)

    def gone(self, module: str, name: str, message: str) -> None:
        self.goners.setdefault(module, {})[name] = self.texts(message)

    def encoded(self) -> dict[str, Any]:
        last = max((i for names in self.marks.values() for s in names.values() for i in s), default=-1)
        out: dict[str, Any] = {
            "modules": {
                m: {str(k): " ".join(v) for k, v in sorted(lives.items())} for m, lives in sorted(self.modules.items())
            },
            "details": self.details,
        }
        for kind, names in self.marks.items():
            out[kind] = {n: self.lives(runs_of(i in s for i in range(last + 1))) for n, s in sorted(names.items())}
        out["gone"] = self.goners
        if self.documented:
            # In the order of the names above, which are thus written once.
            out["documented"] = {
                m: " ".join(str(self.documented[m][n]) for _, v in sorted(self.modules[m].items()) for n in v)
                for m in sorted(self.modules)
            }
            out["documents"] = [json.loads(d) for d in self.documents.items]
        out["lives"], out["texts"] = list(self.lives.items), list(self.texts.items)
        return out


def write(parts: dict[str, dict[str, Any]], folder: Path) -> dict[str, int]:
    """Write each part as `jax_api_<part>.json.xz`; returns the sizes in bytes."""
    sizes: dict[str, int] = {}
    for name, part in parts.items():
        text = json.dumps(part, separators=(",", ":"), ensure_ascii=False)
        data = lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)
        (folder / f"jax_api_{name}.json.xz").write_bytes(data)
        sizes[name] = len(data)
    return sizes
