"""What stands behind an import that fails: the places of a module that use what it binds."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from omnilint.api.live import Liveness
from omnilint.api.passing import walked
from omnilint.api.scopes import resolve
from omnilint.api.spots import Spot
from omnilint.api.uses import base_of, uses
from omnilint.api.walk import walk_module
from omnilint.index.module import ModuleIndex
from omnilint.index.project import Project

MOST = 50


class Behind:
    """The uses of the names of one module, plain names included; worked out when first asked for."""

    def __init__(self, module: ModuleIndex, project: Project | None, indices: Sequence[int]) -> None:
        self.module = module
        self.project = project
        self.indices = indices
        self._known: list[tuple[ast.expr, str]] | None = None

    def of(self, names: Collection[str]) -> list[ast.expr]:
        """The first places that use one of these dotted names and run unprotected: one a line, fifty at most."""
        by_line: dict[int, ast.expr] = {}
        if self._known is None:
            self._known = self._used()
        for node, used in self._known:
            if used in names:
                by_line.setdefault(node.lineno, node)
        return [by_line[line] for line in sorted(by_line)[:MOST]]

    def _used(self) -> list[tuple[ast.expr, str]]:
        """Names and attributes in the module's code, with every dotted name of JAX that leads to them."""
        if self.module.stars:
            walk = walked(self.module, self.project)
        else:
            walk = walk_module(self.module.tree, self.module.package)
        found = list(uses(walk))
        live = [Liveness(found, i) for i in self.indices]
        return [
            (spot.node, name)
            for spot in walk.spots
            if isinstance(spot.node, (ast.Name, ast.Attribute)) and spot.text is None
            for name in _names(spot.node, spot)
            if any(x.runs(spot.guards) for x in live)
        ]


def _names(node: ast.Name | ast.Attribute, spot: Spot) -> Iterator[str]:
    if not isinstance(base_of(node), ast.Name):
        return
    part: ast.expr = node
    while isinstance(part, (ast.Name, ast.Attribute)):
        for dotted in resolve(part, spot.scope):
            if dotted.name.startswith("jax."):
                yield dotted.name
        part = part.value if isinstance(part, ast.Attribute) else ast.Constant(None)
