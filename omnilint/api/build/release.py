"""One release as a table: which dotted names exist in it, what they lead to, which warn; nothing is executed."""

from __future__ import annotations

import tarfile
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from omnilint.api.build.namespace import Bound, Namespace, read_namespace

_SKIPPED = ("/tests/", "/test/", "/examples/", "/internal_test_util/", "/_src/test_loader", "/google/")


@dataclass(slots=True)
class Release:
    """The modules of one release, by name, and their names, each with what `_Linker` found of it.

    That is `[kind, detail, signature, access_warns, call_warns, documented, own]`. Kinds: "m" a module of jax (detail:
    its dotted name), "x" something of another package, "v" anything else. `documented`: with a docstring (True),
    without (False), or not to be told (None). `own`: defined in the module, or shown by a package that holds the
    definition, not merely imported for use. The list `documented` holds the modules that have a docstring.
    """

    version: str
    modules: dict[str, dict[str, list[Any]]] = field(default_factory=dict)
    warns: dict[str, str] = field(default_factory=dict)
    gone: dict[str, dict[str, str]] = field(default_factory=dict)
    dynamic: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    documented: list[str] = field(default_factory=list)


def sources(archive: Path) -> Iterator[tuple[str, str]]:
    """(path below the archive's jax package, text) of each Python file; paths start with `jax/`."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as z:
            for name in z.namelist():
                if name.startswith("jax/") and name.endswith(".py"):
                    yield name, z.read(name).decode("utf-8", "replace")
        return
    with tarfile.open(archive) as t:
        for member in t:
            path = member.name.partition("/")[2]
            if member.isfile() and path.startswith("jax/") and path.endswith(".py"):
                stream = t.extractfile(member)
                if stream is not None:
                    yield path, stream.read().decode("utf-8", "replace")


def read_release(archive: Path, version: str) -> Release:
    """Read the archive of one release."""
    release = Release(version)
    spaces: dict[str, Namespace] = {}
    for path, text in sources(archive):
        if any(s in "/" + path for s in _SKIPPED) or path.endswith("_test.py"):
            continue
        parts = path.removesuffix(".py").split("/")
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        package = name if is_package else name.rpartition(".")[0]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                spaces[name] = read_namespace(text, name, package)
        except SyntaxError:
            release.unread.append(name)
    # A folder without `__init__.py` is importable too, as a namespace package.
    for name in list(spaces):
        while "." in name:
            name = name.rpartition(".")[0]
            spaces.setdefault(name, Namespace(name, name))
    _Linker(spaces, release).link()
    return release


class _Linker:
    """Follows every binding to where it ends."""

    def __init__(self, spaces: dict[str, Namespace], release: Release) -> None:
        self.spaces = spaces
        self.release = release
        self.children: dict[str, set[str]] = {}
        for name in spaces:
            head, _, leaf = name.rpartition(".")
            self.children.setdefault(head, set()).add(leaf)
        self._stars: dict[str, dict[str, Bound]] = {}

    def link(self) -> None:
        options: set[str] = set()
        self._set_attributes()
        for name, ns in self.spaces.items():
            options.update(ns.options)
            if ns.raises:
                continue
            self.release.modules[name] = self._names(ns)
            if ns.documented:
                self.release.documented.append(name)
            gone = {n: d.message for n, d in ns.deprecations.items() if d.value is None}
            if gone:
                self.release.gone[name] = gone
            if ns.dynamic or any(m in self.spaces and self.spaces[m].dynamic for m in ns.stars):
                self.release.dynamic.append(name)
            if ns.warns:
                self.release.warns[name] = ns.warns
        self.release.options = sorted(options)

    def _set_attributes(self) -> None:
        """Names that one module sets on another: `xla.device_put = device_put`."""
        for ns in list(self.spaces.values()):
            for holder, attribute in ns.sets:
                bound = ns.names.get(holder)
                entry = self._end(bound, ns.name, holder, 0) if bound is not None else None
                if entry is not None and entry[0] == "m":
                    self.spaces[entry[1]].names.setdefault(attribute, Bound("value"))

    def _names(self, ns: Namespace) -> dict[str, list[Any]]:
        out: dict[str, list[Any]] = {}
        for n, bound in self._visible(ns).items():
            entry = self._end(bound, ns.name, n, 0)
            if entry is not None:
                own = bound.kind == "value" or (bound.kind == "from" and bound.target.startswith(ns.name + "."))
                out[n] = [*entry, own]
        for n in ns.lazy:
            full = f"{ns.name}.{n}"
            out.setdefault(n, [*(self._module(full) if full in self.spaces else _plain("v")), True])
        for n, d in ns.deprecations.items():
            if d.value is None or n in ns.names:
                continue
            entry = self._end(d.value, ns.name, n, 0) or _plain("v")
            out[n] = [*entry[:3], d.message, *entry[4:], True]
        for n in self.children.get(ns.name, ()):
            if not self.spaces[f"{ns.name}.{n}"].raises:
                out.setdefault(n, [*self._module(f"{ns.name}.{n}"), True])
        return out

    def _visible(self, ns: Namespace) -> dict[str, Bound]:
        if ns.name in self._stars:
            return self._stars[ns.name]
        self._stars[ns.name] = ns.names  # a cycle of star imports sees what is there so far
        out: dict[str, Bound] = {}
        for module in ns.stars:
            other = self.spaces.get(module)
            if other is None:
                continue
            names = self._visible(other)
            exported = other.exported if other.exported is not None else [n for n in names if not n.startswith("_")]
            out.update({n: Bound("from", module, n) for n in exported})
        out.update(ns.names)
        self._stars[ns.name] = out
        return out

    def _end(self, bound: Bound, where: str, name: str, depth: int) -> list[Any] | None:
        """The entry that a binding leads to; None when it leads to a name that isn't there."""
        if depth > 20:
            return _plain("v")
        if bound.kind == "module":
            if bound.target in self.spaces:
                return self._module(bound.target)
            return _plain("x", bound.target) if not bound.target.startswith("jax.") else None
        if bound.kind != "from":
            return ["v", None, bound.signature, None, bound.calls_warn, bound.documented]
        root = bound.target.partition(".")[0]
        if root != "jax":
            return _plain("x", f"{bound.target}.{bound.name}")
        other = self.spaces.get(bound.target)
        if other is None:
            return self._through(bound, where, name, depth)
        found = self._visible(other).get(bound.name)
        if found is not None and not (bound.target == where and bound.name == name):
            return self._end(found, bound.target, bound.name, depth + 1)
        full = f"{bound.target}.{bound.name}"
        if full in self.spaces:
            return self._module(full)
        old = other.deprecations.get(bound.name)
        if old is not None and old.value is not None:
            return self._end(old.value, bound.target, bound.name, depth + 1)
        if other.prefixed and bound.name.startswith("_deprecated_"):
            plain = bound.name.removeprefix("_deprecated_")
            inner = self._end(Bound("from", bound.target, plain), where, "", depth + 1)
            if inner is not None:
                words = f"jax.{plain} is deprecated; use {bound.target.replace('._src', '')}.{plain}"
                return [*inner[:4], words, *inner[5:]]
        if other.dynamic or bound.name in other.lazy:
            return _plain("v")
        return None

    def _through(self, bound: Bound, where: str, name: str, depth: int) -> list[Any] | None:
        """A chain through something that isn't a module's own path: an alias of a module, or a class."""
        head, _, leaf = bound.target.rpartition(".")
        if not head:
            return None
        holder = self._end(Bound("from", head, leaf), where, name, depth + 1)
        if holder is None:
            return None
        if holder[0] == "m":
            return self._end(Bound("from", holder[1], bound.name), where, name, depth + 1)
        return _plain("x" if holder[0] == "x" else "v")

    def _module(self, name: str) -> list[Any]:
        """The entry of a name that leads to a module of JAX."""
        return ["m", name, None, None, None, self.spaces[name].documented]


def _plain(kind: str, detail: str | None = None) -> list[Any]:
    """An entry of which nothing but its kind is known."""
    return [kind, detail, None, None, None, None]
