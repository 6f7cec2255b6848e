"""A module of which only the imports are known so far: the rest is read off its text when somebody asks for it."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

from omnilint.index.module import ModuleIndex, index_module
from omnilint.model import Source

# What an outline has from the start; every other field of a module costs a parse.
KNOWN = ("source", "name", "package", "is_package", "imports", "stars", "roots")
LATE = tuple(f.name for f in dataclasses.fields(ModuleIndex) if f.name not in KNOWN)


class Outline(ModuleIndex):
    """A ModuleIndex that parses its source only when more than its imports is needed."""

    __slots__ = ()

    def __init__(self, source: Source, name: str, package: str, is_package: bool, imported: dict[str, Any]) -> None:
        self.source, self.name, self.package, self.is_package = source, name, package, is_package
        self.imports = dict(imported["imports"])
        self.stars = list(imported["stars"])
        self.roots = set(imported["roots"])

    def __reduce__(self) -> tuple[Any, ...]:
        # Sent to another process as text: trees are large, and can be too deep to be pickled.
        return Outline, (self.source, self.name, self.package, self.is_package, imported(self))

    def __getattr__(self, name: str) -> Any:
        # Python asks here for a slot that nobody has filled.
        if name not in LATE:
            raise AttributeError(name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            whole = index_module(self.source, self.name, self.package, self.is_package)
        for late in LATE:
            setattr(self, late, getattr(whole, late))
        return getattr(self, name)


def imported(module: ModuleIndex) -> dict[str, Any]:
    """What an outline of a module is made of, as JSON."""
    return {"imports": module.imports, "stars": module.stars, "roots": sorted(module.roots)}
