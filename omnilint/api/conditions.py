"""The outcome of a test in one JAX release: version comparisons, `hasattr` and `getattr` probes, flags made of them."""

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
from omnilint.api.relevance import (
    INFOS,
    PARSERS,
    SIGNATURES,
    SMELLS,
    VERSIONS,
    may_look_at_the_release,
    speaks_of_the_release,
)
from omnilint.api.scopes import Binding, Scope, resolve
from omnilint.api.specifiers import Specifiers

_PARTS_OF_SIGNATURES = {"parameters", "args", "kwonlyargs"}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip


class _Unrelated(Exception):
    """The expression says nothing about the JAX release."""


class _Unreadable(Exception):
    """The expression is about the release, or may be, in a way that can't be read."""


class _Thing:
    """Some object that is there and true: what a probe found."""


@dataclass(frozen=True, slots=True, order=True)
class _Version:
    key: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> _Version:
        key = list(history.version_key(text))
        while key and not key[-1]:
            key.pop()
        return cls(tuple(key))


class Conditions:
    """Evaluates tests for one release; `live(binding)` says whether a binding is made in that release."""

    def __init__(self, index: int, live: Callable[[Binding], bool | None]) -> None:
        self.index = index
        self.version = history.releases()[index]
        self.live = live
        self._outcomes: dict[tuple[int, int], bool | str | None] = {}

    def outcome(self, test: ast.expr, scope: Scope) -> bool | str | None:
        """True or False in this release, "any" for a test that has nothing to do with it, None when unreadable."""
        key = (id(test), id(scope))
        if key not in self._outcomes:
            self._outcomes[key] = self._outcome(test, scope)
        return self._outcomes[key]

    def _outcome(self, test: ast.expr, scope: Scope) -> bool | str | None:
        try:
            outcome = bool(self._value(test, scope, 0))
        except _Unrelated:
            return "any"
        except Exception:
            # Unreadable, or about versions in a way that doesn't evaluate, `(0, 4) < "0.4"` for one.
            outcome = None
        # A list that is empty at first, or a flag of a loop, says nothing of the release though it has values.
        return outcome if may_look_at_the_release(test, scope) else "any"

    def _value(self, node: ast.expr, scope: Scope, depth: int) -> Any:
        if depth > 12:
            raise _Unreadable
        match node:
            case ast.Constant():
                return node.value
            case ast.Tuple() | ast.List():
                return tuple(self._value(e, scope, depth + 1) for e in node.elts)
            case ast.UnaryOp(op=ast.Not()):
                return not self._value(node.operand, scope, depth + 1)
            case ast.BoolOp():
                return self._bool(node, scope, depth)
            case ast.Compare():
                return self._compare(node, scope, depth)
            case ast.Call():
                return self._call(node, scope, depth)
            case ast.Name() | ast.Attribute():
                return self._name(node, scope, depth)
            case ast.Subscript():
                return self._value(node.value, scope, depth + 1)[self._index(node.slice, scope, depth)]
            case ast.IfExp():
                chosen = node.body if self._value(node.test, scope, depth + 1) else node.orelse
                return self._value(chosen, scope, depth + 1)
            case ast.NamedExpr():
                return self._value(node.value, scope, depth + 1)
            case ast.GeneratorExp() | ast.ListComp() if len(node.generators) == 1:
                return self._each(node, scope, depth)
        raise self._lost(node, scope)

    def _lost(self, node: ast.expr, scope: Scope) -> Exception:
        """What to raise for an expression that isn't understood: it may still speak of the release."""
        return _Unreadable() if speaks_of_the_release(node, scope) else _Unrelated()

    def _index(self, node: ast.expr, scope: Scope, depth: int) -> Any:
        if isinstance(node, ast.Slice):
            ends = [
                None if e is None else self._value(e, scope, depth + 1) for e in (node.lower, node.upper, node.step)
            ]
            return slice(*ends)
        return self._value(node, scope, depth + 1)

    def _each(self, node: ast.GeneratorExp | ast.ListComp, scope: Scope, depth: int) -> Any:
        """`tuple(int(x) for x in jax.__version__.split("."))` and its kin."""
        items = self._value(node.generators[0].iter, scope, depth + 1)
        target = node.generators[0].target
        if not isinstance(target, ast.Name):
            raise _Unreadable
        out = []
        for item in items:
            inner = Scope(node, scope)
            inner.bind(target.id, Binding(value=ast.Constant(item)))
            out.append(self._value(node.elt, inner, depth + 1))
        return tuple(out)

    def _bool(self, node: ast.BoolOp, scope: Scope, depth: int) -> Any:
        decides = isinstance(node.op, ast.Or)
        values: list[Any] = []
        unrelated = unreadable = False
        for part in node.values:
            try:
                value = self._value(part, scope, depth + 1)
            except _Unrelated:
                unrelated = True
                continue
            except _Unreadable:
                unreadable = True
                continue
            values.append(value)
            if bool(value) is decides:
                return value
        if unreadable:
            raise _Unreadable
        if unrelated:
            raise _Unrelated
        return values[-1]

    def _compare(self, node: ast.Compare, scope: Scope, depth: int) -> bool:
        sides = [node.left, *node.comparators]
        try:
            values = [self._value(s, scope, depth + 1) for s in sides]
        except _Unrelated:
            # The release, compared with what isn't known.
            raise self._lost(node, scope) from None
        for op, left, right in zip(node.ops, values, values[1:], strict=False):
            if isinstance(right, Specifiers):
                key = left.key if isinstance(left, _Version) else history.version_key(str(left))
                if (key in right) is isinstance(op, ast.NotIn):
                    return False
                continue
            if isinstance(left, _Version) != isinstance(right, _Version):
                left = left if isinstance(left, _Version) else _Version.of(str(left))
                right = right if isinstance(right, _Version) else _Version.of(str(right))
            if not _COMPARE[type(op)](left, right):
                return False
        return True

    def _name(self, node: ast.Name | ast.Attribute, scope: Scope, depth: int) -> Any:
        last = node.attr if isinstance(node, ast.Attribute) else node.id
        if last == "TYPE_CHECKING":
            return False
        if isinstance(node, ast.Attribute) and last == "__dict__":
            return self._members(node.value, scope)
        if isinstance(node, ast.Name) and node.id in ("True", "False", "None"):
            return {"True": True, "False": False, "None": None}[node.id]
        for d in resolve(node, scope):
            if d.name in VERSIONS:
                return self.version
            if d.name in INFOS:
                return tuple(int(p) for p in self.version.split("."))[:3]
        if isinstance(node, ast.Name):
            hit = scope.lookup(node.id)
            if hit is not None:
                return self._bound(node.id, *hit, depth)
        elif last in _PARTS_OF_SIGNATURES:
            base = self._value(node.value, scope, depth + 1)
            if isinstance(base, _Signature):
                return base
        elif last == "co_varnames" and isinstance(node.value, ast.Attribute):
            return self._signature(node.value.value, scope)
        elif last in ("major", "minor", "micro", "release"):
            base = self._value(node.value, scope, depth + 1)
            if isinstance(base, _Version):
                key = (*base.key, 0, 0, 0)
                return key[:3] if last == "release" else key[("major", "minor", "micro").index(last)]
        raise _Unreadable if SMELLS.search(last) else _Unrelated

    def _bound(self, name: str, where: Scope, bindings: list[Binding], depth: int) -> Any:
        values: list[Any] = []
        for b in bindings:
            live = self.live(b)
            if live is False:
                continue
            if b.imported is not None:
                if b.imported.name.startswith("jax."):
                    values.append(_Thing)
                    continue
                if b.imported.name.rpartition(".")[2] == "TYPE_CHECKING":
                    values.append(False)
                    continue
                raise _Unreadable if SMELLS.search(name) else _Unrelated
            made_of = b.value or b.part
            if made_of is None or live is None:
                raise _Unreadable if live is None or SMELLS.search(name) else _Unrelated
            values.append(self._value(made_of, where, depth + 1))
        # A flag that is set first and changed later in a branch: the later one counts.
        if len(values) > 1 and any(b.guards for b in bindings) and not bindings[0].guards:
            values = values[1:]
        if not values or any(v != values[0] for v in values):
            raise _Unreadable if any(b.guards for b in bindings) else _Unrelated
        return values[0]

    def _call(self, node: ast.Call, scope: Scope, depth: int) -> Any:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in ("hasattr", "getattr") and len(node.args) >= 2:
            return self._probe(node, scope, depth)
        if name == "find_spec" and node.args and isinstance(node.args[0], ast.Constant):
            dotted = str(node.args[0].value)
            if dotted.startswith("jax."):
                return _Thing if history.is_module(dotted, self.index) else None
            raise _Unrelated
        if name == "version" and node.args and isinstance(node.args[0], ast.Constant):
            if node.args[0].value == "jax":
                return self.version
            raise _Unrelated
        if name in PARSERS and node.args:
            value = self._value(node.args[0], scope, depth + 1)
            return _Version.of(value) if isinstance(value, str) else value
        if name == "SpecifierSet" and node.args:
            return Specifiers(str(self._value(node.args[0], scope, depth + 1)))
        if name == "contains" and node.args and isinstance(node.func, ast.Attribute):
            return self._compare(ast.Compare(node.args[0], [ast.In()], [node.func.value]), scope, depth)
        if name in SIGNATURES and node.args:
            return self._signature(node.args[0], scope)
        if name in ("keys", "get") and isinstance(node.func, ast.Attribute):
            base = self._value(node.func.value, scope, depth + 1)
            if isinstance(base, _Signature) and name == "keys":
                return base
            if isinstance(base, _Signature) and node.args:
                return _Thing if self._value(node.args[0], scope, depth + 1) in base else None
            raise _Unrelated
        if name in ("dir", "vars") and node.args:
            return self._members(node.args[0], scope)
        if name in ("tuple", "list", "int", "str", "len", "float") and len(node.args) == 1:
            value = self._value(node.args[0], scope, depth + 1)
            return {"tuple": tuple, "list": tuple, "int": int, "str": str, "len": len, "float": float}[name](value)  # type: ignore[operator]
        if name == "map" and len(node.args) == 2 and getattr(node.args[0], "id", "") == "int":
            return tuple(int(v) for v in self._value(node.args[1], scope, depth + 1))
        if name in ("split", "startswith", "partition", "rsplit", "replace") and isinstance(node.func, ast.Attribute):
            base = self._value(node.func.value, scope, depth + 1)
            if isinstance(base, str):
                return getattr(base, name)(*(self._value(a, scope, depth + 1) for a in node.args))
        if isinstance(node.func, ast.Name):
            answer = self._own_function(node, scope, depth)
            if answer is not None:
                return answer
        raise self._lost(node, scope)

    def _own_function(self, node: ast.Call, scope: Scope, depth: int) -> Any:
        """What a function of the module says of the release, when it is one expression without parameters.

        A function that looks at the release in any other way is unreadable; None for one that doesn't.
        """
        hit = scope.lookup(getattr(node.func, "id", ""))
        functions = [b.function for b in hit[1] if b.function is not None] if hit else []
        for f in functions:
            body = getattr(f.node, "body", [])
            if len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is not None and not f.parameters:
                return self._value(body[0].value, f, depth + 1)
            for part in ast.walk(f.node):
                if isinstance(part, ast.Name | ast.Attribute):
                    names = {d.name for d in resolve(part, f)}
                    if names & (VERSIONS | INFOS):
                        raise _Unreadable
        return None

    def _members(self, node: ast.expr, scope: Scope) -> _Names:
        names = [d.name for d in resolve(node, scope) if d.name.partition(".")[0] == "jax"]
        if not names:
            raise _Unrelated
        return _Names(names[0], self.index)

    def _signature(self, node: ast.expr, scope: Scope) -> _Signature:
        """The parameters of a function of JAX, which the code asks for."""
        names = resolve(node, scope)
        if not names or any(d.name.partition(".")[0] != "jax" for d in names):
            raise _Unrelated
        known = [parameters_at(d.name, self.index) for d in names]
        if any(p is None for p in known) or len({p.names for p in known if p}) != 1:
            raise _Unreadable
        return _Signature(tuple(sorted(known[0].names)) if known[0] else ())

    def _probe(self, node: ast.Call, scope: Scope, depth: int) -> Any:
        attribute = node.args[1].value if isinstance(node.args[1], ast.Constant) else None
        names = resolve(node.args[0], scope)
        if not isinstance(attribute, str) or not names or not all(d.name.partition(".")[0] == "jax" for d in names):
            return self._probe_object(node.args[0], attribute, scope)
        there = False
        for d in names:
            found = history.resolve(f"{d.name}.{attribute}", self.index, max(d.known, 1))
            if not found.known:
                raise _Unreadable
            there = there or not found.missing
        if isinstance(node.func, ast.Name) and node.func.id == "hasattr":
            return there
        if there:
            return _Thing
        if len(node.args) > 2:
            return self._value(node.args[2], scope, depth + 1)
        raise _Unreadable

    def _probe_object(self, node: ast.expr, attribute: Any, scope: Scope) -> bool:
        """A probe of some object for an attribute that JAX's objects may have only in some releases."""
        kind = object_of(node, scope)
        inside = of_tracer(ast.Attribute(node, attribute)) if isinstance(attribute, str) else None
        if inside is not None:
            kind, attribute = "tracer", inside
        there = is_there(kind, attribute, self.index) if kind and isinstance(attribute, str) else None
        if there is None:
            # Some object that the code doesn't show: JAX itself, for all one knows, when asked for a name of JAX's.
            raise _Unreadable if attribute in attributes() or attribute in history.changing() else _Unrelated
        return there


@dataclass(frozen=True)
class _Signature:
    """`inspect.signature(function).parameters` and its kin: the names of a function's parameters."""

    names: tuple[str, ...]

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __str__(self) -> str:
        return f"({', '.join(self.names)})"


@dataclass(frozen=True)
class _Names:
    """`dir(module)`: the names that a module has."""

    module: str
    index: int

    def __contains__(self, name: str) -> bool:
        return not history.resolve(f"{self.module}.{name}", self.index, 1).missing
