"""What a walk over a module gives: the spots that may name something of JAX, in source order."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from omnilint.api.guards import Guard
from omnilint.api.scopes import Scope

if TYPE_CHECKING:
    from omnilint.api.live import Liveness
    from omnilint.api.uses import Call, Use


@dataclass(slots=True, eq=False)
class Spot:
    """A node that may name something of JAX. For annotations in strings, `text` is the constant that holds it.

    `idle`: it stands in an annotation that isn't evaluated when the code runs.
    """

    node: ast.AST
    scope: Scope
    guards: tuple[Guard, ...]
    statement: ast.stmt
    text: ast.Constant | None = None
    idle: bool = False


@dataclass(slots=True)
class Walk:
    """The result: the module's scope, its spots in source order, and the modules that it imports by `import x.y`.

    `sets` are the attributes and items that it assigns to; `found` its uses of JAX, and `live` what judges its guards,
    by release, where somebody asked for them.
    """

    scope: Scope
    package: str
    spots: list[Spot] = field(default_factory=list)
    imported: set[str] = field(default_factory=set)
    sets: list[Spot] = field(default_factory=list)
    found: list[Use | Call] | None = None
    live: dict[int, Liveness] = field(default_factory=dict)
