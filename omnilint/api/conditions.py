"""The outcome of a test in one JAX release: version comparisons, `hasattr` and `getattr` probes, flags made of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from omnilint.api import history
from omnilint.api.flags import (
    INFOS,
    SIGNATURES,
    VERSIONS,
    Held,
    asks,
    brings_a_flag,
    elsewhere,
    functions_of,
    held,
    is_property,
    looks,
    mark_of,
    may_answer,
    may_be_a_flag,
    members,
    parameters_of,
)
from omnilint.api.guards import KEPT, Test
from omnilint.api.probed import (
    PLAIN,
    Open,
    Signature,
    Thing,
    Unreadable,
    Unrelated,
    Version,
    compare,
    members_of,
    object_has,
    signature_of,
)
from omnilint.api.relevance import PARSERS, SMELLS, may_look_at_the_release, speaks_of_the_release
from omnilint.api.scopes import Binding, Scope, resolve
from omnilint.api.specifiers import Specifiers

_TO_COME = "9999.0.0"
_PARTS_OF_SIGNATURES = {"parameters", "args", "kwonlyargs"}


class Conditions:
    """Evaluates tests for one release; `live(binding)` says whether a binding is made in that release.

    An index beyond the newest release stands for those to come: they have what the newest has, with a higher version.
    """

    def __init__(self, index: int, live: Callable[[Binding], bool | None]) -> None:
        self.asked = index
        newest = len(history.releases()) - 1
        self.index = min(index, newest)
        self.version = history.releases()[index] if index <= newest else _TO_COME
        self.live = live
        self._outcomes: dict[tuple[int, int], bool | str | None] = {}

    def outcome(self, test: ast.expr, scope: Scope) -> bool | str | None:
        """True or False in this release, "any" for a test that has nothing to do with it, None when unreadable."""
        there = self._of(scope)
        if there is not self:
            return there.outcome(test, scope)
        key = (id(test), id(scope))
        if key not in self._outcomes:
            self._outcomes[key] = None  # a flag that is set where it says so itself
            self._outcomes[key] = self._outcome(test, scope)
        return self._outcomes[key]

    def _of(self, scope: Scope) -> Conditions:
        """The conditions of the module that a scope belongs to, for the same release."""
        return self if scope.module.living is None else scope.module.living(self.asked)

    def _outcome(self, test: ast.expr, scope: Scope) -> bool | str | None:
        try:
            outcome = bool(self._value(test, scope, 0))
        except Unrelated:
            return "any"
        except Open:
            return None
        except Exception:
            # Unreadable, or about versions in a way that doesn't evaluate, `(0, 4) < "0.4"` for one.
            outcome = None
        # A list that is empty at first, or a flag of a loop, says nothing of the release though it has values.
        return outcome if may_look_at_the_release(test, scope) else "any"

    def _value(self, node: ast.expr, scope: Scope, depth: int) -> Any:
        if depth > 12:
            raise Unreadable
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
        return Unreadable() if speaks_of_the_release(node, scope) or looks(node, scope) else Unrelated()

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
            raise Unreadable
        out = []
        for item in items:
            inner = Scope(node, scope)
            inner.bind(target.id, Binding(value=ast.Constant(item)))
            out.append(self._value(node.elt, inner, depth + 1))
        return tuple(out)

    def _bool(self, node: ast.BoolOp, scope: Scope, depth: int) -> Any:
        decides = isinstance(node.op, ast.Or)
        values: list[Any] = []
        unrelated = False
        unreadable: Unreadable | None = None
        for part in node.values:
            try:
                value = self._value(part, scope, depth + 1)
            except Unrelated:
                unrelated = True
                continue
            except Unreadable as error:
                unreadable = error
                continue
            values.append(value)
            if bool(value) is decides:
                return value
        if unreadable is not None:
            raise unreadable
        if unrelated:
            raise Unrelated
        return values[-1]

    def _compare(self, node: ast.Compare, scope: Scope, depth: int) -> bool:
        sides = [node.left, *node.comparators]
        try:
            values = [self._value(s, scope, depth + 1) for s in sides]
        except Unrelated:
            # The release, compared with what isn't known.
            raise self._lost(node, scope) from None
        return all(compare(op, a, b) for op, a, b in zip(node.ops, values, values[1:], strict=False))

    def _name(self, node: ast.Name | ast.Attribute, scope: Scope, depth: int) -> Any:
        last = node.attr if isinstance(node, ast.Attribute) else node.id
        if last == "TYPE_CHECKING":
            return False
        if isinstance(node, ast.Attribute) and last == "__dict__":
            return members_of(node.value, scope, self.index)
        for d in resolve(node, scope):
            if d.name in VERSIONS:
                return self.version
            if d.name in INFOS:
                return tuple(int(p) for p in self.version.split("."))[:3]
        if isinstance(node, ast.Name):
            hit = scope.lookup(node.id)
            if hit is not None:
                return self._bound(node.id, *hit, depth)
            if elsewhere(node, scope) is not None:
                return self._elsewhere(node, scope, depth)
            if may_be_a_flag(node, scope):
                raise Open
        elif last in _PARTS_OF_SIGNATURES:
            base = self._value(node.value, scope, depth + 1)
            if isinstance(base, Signature):
                return base
        elif last == "co_varnames" and isinstance(node.value, ast.Attribute):
            return signature_of(node.value.value, scope, self.index)
        elif last in ("major", "minor", "micro", "release"):
            base = self._value(node.value, scope, depth + 1)
            if isinstance(base, Version):
                key = (*base.key, 0, 0, 0)
                return key[:3] if last == "release" else key[("major", "minor", "micro").index(last)]
        if isinstance(node, ast.Attribute):
            if elsewhere(node, scope) is not None:
                return self._elsewhere(node, scope, depth)
            if may_be_a_flag(node, scope):
                raise Open
            return self._member(node, scope, depth)
        raise Unreadable if SMELLS.search(last) else Unrelated

    def _elsewhere(self, node: ast.Name | ast.Attribute, scope: Scope, depth: int) -> Any:
        """What another module of the project says; where it can't be told, and that module asks for JAX, it is open."""
        there = elsewhere(node, scope)
        if there is None:
            raise Unrelated
        return self._held(there, depth)

    def _held(self, there: Held, depth: int) -> Any:
        scope, node = there
        try:
            return self._of(scope)._value(node, scope, depth + 1)
        except Unrelated:
            if asks(scope.module):
                raise Open from None
            raise

    def _member(self, node: ast.Attribute, scope: Scope, depth: int) -> Any:
        """A flag of a class of the project."""
        values: list[Any] = []
        for where, bindings in members(node, scope):
            functions = [b.function for b in bindings if b.function is not None]
            of = self._of(where)
            if functions and all(is_property(f) for f in functions):
                values += [of._answer(f, (), depth) for f in functions]
            else:
                values.append(of._bound(node.attr, where, bindings, depth + 1))
        if not values or any(v != values[0] for v in values):
            raise Unreadable if values else self._lost(node, scope)
        return values[0]

    def _bound(self, name: str, where: Scope, bindings: list[Binding], depth: int) -> Any:
        values: list[Any] = []
        for b in bindings:
            live = self.live(b)
            if live is False:
                continue
            if b.imported is not None:
                if b.imported.name.startswith("jax."):
                    values.append(Thing)
                    continue
                if b.imported.name.rpartition(".")[2] == "TYPE_CHECKING":
                    values.append(False)
                    continue
                there = held(b.imported.name, where)
                if there is not None and live is not None:
                    values.append(self._held(there, depth))
                    continue
                if there is None and brings_a_flag(b, name, where):
                    raise Open
                raise Unreadable if there is not None or SMELLS.search(name) else Unrelated
            made_of = b.value or b.part
            if made_of is None or live is None:
                raise Unreadable if live is None or SMELLS.search(name) else Unrelated
            values.append(self._value(made_of, where, depth + 1))
        # A flag that is set first and changed later in a branch: the later one counts.
        if len(values) > 1 and any(b.guards for b in bindings) and not bindings[0].guards:
            values = values[1:]
        if not values or any(v != values[0] for v in values):
            raise Unreadable if any(b.guards for b in bindings) else Unrelated
        return values[0]

    def _call(self, node: ast.Call, scope: Scope, depth: int) -> Any:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name == KEPT:
            return self._kept(node.args[0], scope, depth)
        if name in ("hasattr", "getattr") and len(node.args) >= 2:
            return self._probe(node, scope, depth)
        if name == "find_spec" and node.args and isinstance(node.args[0], ast.Constant):
            dotted = str(node.args[0].value)
            if dotted.startswith("jax."):
                return Thing if history.is_module(dotted, self.index) else None
            raise Unrelated
        if name == "version" and node.args and isinstance(node.args[0], ast.Constant):
            if node.args[0].value == "jax":
                return self.version
            raise Unrelated
        if name in PARSERS and node.args:
            value = self._value(node.args[0], scope, depth + 1)
            return Version.of(value) if isinstance(value, str) else value
        if name == "SpecifierSet" and node.args:
            return Specifiers(str(self._value(node.args[0], scope, depth + 1)))
        if name == "contains" and node.args and isinstance(node.func, ast.Attribute):
            return self._compare(ast.Compare(node.args[0], [ast.In()], [node.func.value]), scope, depth)
        if name in SIGNATURES and node.args:
            return signature_of(node.args[0], scope, self.index)
        if name in ("keys", "get") and isinstance(node.func, ast.Attribute):
            base = self._value(node.func.value, scope, depth + 1)
            if isinstance(base, Signature) and name == "keys":
                return base
            if isinstance(base, Signature) and node.args:
                return Thing if self._value(node.args[0], scope, depth + 1) in base else None
            raise Unrelated
        if name in ("dir", "vars") and node.args:
            return members_of(node.args[0], scope, self.index)
        if name in PLAIN and len(node.args) == 1:
            return PLAIN[name](self._value(node.args[0], scope, depth + 1))
        if name == "map" and len(node.args) == 2 and getattr(node.args[0], "id", "") == "int":
            return tuple(int(v) for v in self._value(node.args[1], scope, depth + 1))
        if name in ("split", "startswith", "partition", "rsplit", "replace") and isinstance(node.func, ast.Attribute):
            base = self._value(node.func.value, scope, depth + 1)
            if isinstance(base, str):
                return getattr(base, name)(*(self._value(a, scope, depth + 1) for a in node.args))
        for function in functions_of(node.func, scope):
            return self._of(function)._answer(function, [self._given(a, scope, depth) for a in node.args], depth)
        if may_answer(node, scope):
            raise Open
        raise self._lost(node, scope)

    def _kept(self, node: ast.expr, scope: Scope, depth: int) -> Any:
        """Whether a decorator that is kept in a name skips what it stands on."""
        for where, value in mark_of(node, scope):
            return self._of(where)._value(value, where, depth + 1)
        raise Unrelated

    def _given(self, node: ast.expr, scope: Scope, depth: int) -> Binding:
        """What a parameter is bound to by a call."""
        try:
            return Binding(value=ast.Constant(self._value(node, scope, depth + 1)))
        except (Unrelated, Unreadable):
            return Binding()

    def _answer(self, function: Scope, given: Sequence[Binding], depth: int) -> Any:
        """What a function of the project says of the release: the first thing that it gives back there.

        One that looks at the release in a way that can't be followed is unreadable.
        """
        try:
            return self._returned(function, given, depth)
        except Unrelated:
            if asks(function):
                raise Open from None
            raise

    def _returned(self, function: Scope, given: Sequence[Binding], depth: int) -> Any:
        body = getattr(function.node, "body", [])
        names = parameters_of(function)
        only = [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
        if (
            len(only) == 1
            and isinstance(only[0], ast.Return)
            and only[0].value is not None
            and len(names) == len(given)
        ):
            inner = Scope(function.node, function.parent)
            inner.bindings = {**function.bindings, **{n: [g] for n, g in zip(names, given, strict=True)}}
            inner.parameters = function.parameters
            return self._value(only[0].value, inner, depth + 1)
        if names or any(isinstance(p, ast.For | ast.While | ast.With | ast.Yield) for p in ast.walk(function.node)):
            raise Unrelated
        for value, guards in function.returns:
            if any(isinstance(g, Test) and self.outcome(g.test, g.scope) not in (True, False) for g in guards):
                raise Unrelated
            live = self.live(Binding(guards=guards))
            if live is None:
                raise Unrelated
            if live:
                return self._value(value, function, depth + 1)
        raise Unrelated

    def _probe(self, node: ast.Call, scope: Scope, depth: int) -> Any:
        attribute = self._named(node.args[1], scope, depth)
        names = resolve(node.args[0], scope)
        if not isinstance(attribute, str) or not names or not all(d.name.partition(".")[0] == "jax" for d in names):
            return object_has(node.args[0], attribute, scope, self.index)
        there = False
        for d in names:
            found = history.resolve(f"{d.name}.{attribute}", self.index, max(d.known, 1))
            if not found.known:
                raise Unreadable
            there = there or not found.missing
        if isinstance(node.func, ast.Name) and node.func.id == "hasattr":
            return there
        if there:
            return Thing
        if len(node.args) > 2:
            return self._value(node.args[2], scope, depth + 1)
        raise Unreadable

    def _named(self, node: ast.expr, scope: Scope, depth: int) -> Any:
        """The name that a probe asks for; None where it can't be told."""
        try:
            return self._value(node, scope, depth + 1)
        except (Unrelated, Unreadable):
            return None
