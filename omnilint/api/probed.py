"""What a look at the release gives: its version, the names of a module, the parameters of a function."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from omnilint.api import history
from omnilint.api.arguments import parameters_at
from omnilint.api.attributes import attributes, is_there
from omnilint.api.objects import object_of, of_tracer
from omnilint.api.scopes import Scope, resolve
from omnilint.api.specifiers import Specifiers

_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip


# Functions of one argument that are what they are for whatever a probe found: what was found is callable.
PLAIN: dict[str, Callable[[Any], Any]] = {
    "tuple": tuple, "list": tuple, "int": int, "str": str, "len": len, "float": float,
    "bool": bool, "callable": bool, "any": any, "all": all,
}  # fmt: skip


class Unrelated(Exception):
    """The expression says nothing about the JAX release."""


class Unreadable(Exception):
    """The expression is about the release, or may be, in a way that can't be read."""


class Open(Unreadable):
    """It is about the release for all one knows: what keeps it looks at the release."""


class Thing:
    """Some object that is there and true: what a probe found."""


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """A version, by its numbers without the zeros at its end."""

    key: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> Version:
        """The version that a text holds."""
        key = list(history.version_key(text))
        while key and not key[-1]:
            key.pop()
        return cls(tuple(key))


@dataclass(frozen=True)
class Signature:
    """`inspect.signature(function).parameters` and its kin: the names of a function's parameters."""

    names: tuple[str, ...]

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __str__(self) -> str:
        return f"({', '.join(self.names)})"


@dataclass(frozen=True)
class Names:
    """`dir(module)`: the names that a module has."""

    module: str
    index: int

    def __contains__(self, name: str) -> bool:
        return not history.resolve(f"{self.module}.{name}", self.index, 1).missing


def compare(op: ast.cmpop, left: Any, right: Any) -> bool:
    """The outcome of one comparison, of versions as such."""
    if isinstance(right, Specifiers):
        key = left.key if isinstance(left, Version) else history.version_key(str(left))
        return (key in right) is not isinstance(op, ast.NotIn)
    if isinstance(left, Version) != isinstance(right, Version):
        left = left if isinstance(left, Version) else Version.of(str(left))
        right = right if isinstance(right, Version) else Version.of(str(right))
    return bool(_COMPARE[type(op)](left, right))


def members_of(node: ast.expr, scope: Scope, index: int) -> Names:
    """What `dir` of a module of JAX holds."""
    names = [d.name for d in resolve(node, scope) if d.name.partition(".")[0] == "jax"]
    if not names:
        raise Unrelated
    return Names(names[0], index)


def signature_of(node: ast.expr, scope: Scope, index: int) -> Signature:
    """The parameters of a function of JAX, which the code asks for."""
    names = resolve(node, scope)
    if not names or any(d.name.partition(".")[0] != "jax" for d in names):
        raise Unrelated
    known = [parameters_at(d.name, index) for d in names]
    if any(p is None for p in known) or len({p.names for p in known if p}) != 1:
        raise Unreadable
    return Signature(tuple(sorted(known[0].names)) if known[0] else ())


def object_has(node: ast.expr, attribute: Any, scope: Scope, index: int) -> bool:
    """A probe of some object for an attribute that JAX's objects may have only in some releases."""
    kind = object_of(node, scope)
    inside = of_tracer(ast.Attribute(node, attribute)) if isinstance(attribute, str) else None
    if inside is not None:
        kind, attribute = "tracer", inside
    there = is_there(kind, attribute, index) if kind and isinstance(attribute, str) else None
    if there is None:
        # Some object that the code doesn't show: JAX itself, for all one knows, when asked for a name of JAX's.
        raise Unreadable if attribute in attributes() or attribute in history.changing() else Unrelated
    return there
