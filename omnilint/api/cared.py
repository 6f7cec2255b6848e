"""Whether somebody has taken care of what is deprecated: a condition keeps it from the releases that lack it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from omnilint.api import history
from omnilint.api.flags import INFOS, SIGNATURES, VERSIONS, elsewhere, functions_of, members
from omnilint.api.fold import literal
from omnilint.api.guards import Guard, Test, last_name
from omnilint.api.live import Liveness
from omnilint.api.scopes import Binding, Scope, resolve

_PROBES = {"hasattr", "getattr"}
_MAX_SOURCES = 50
VERSION, TRIED = "the version", "what is tried"


def cared_for(name: str, gone: str | None, guards: Sequence[Guard], live: Callable[[int], Liveness]) -> bool:
    """Whether a test around the use of a name asks for it, or for the release, and stops where the name is gone.

    A test that asks for other names alone says nothing of this one; an argument goes by its function, `jax.jit()`.
    `live` gives what judges the guards in a release; one beyond the newest stands for those to come.
    """
    tests = [g for g in guards if isinstance(g, Test)]
    lacking = history.index_of(gone) if gone else len(history.releases())
    for guard in tests:
        asked = set(_asked(guard.test, guard.scope, set()))
        named = any(_same(name, other) for other in asked)
        if gone is None and named:
            return True
        if (named or asked & {VERSION, TRIED}) and not live(lacking).may_run((guard,)):
            return True
    return False


def _same(name: str, asked: str) -> bool:
    return (name + ".").startswith(asked + ".") or asked.startswith(name + ".")


def _asked(node: ast.AST, scope: Scope, seen: set[int]) -> Iterator[str]:
    """What a test, and what the names in it are made of, ask of JAX: names that it may have, or its version."""
    if id(node) in seen or len(seen) > _MAX_SOURCES:
        return
    seen.add(id(node))
    for part in ast.walk(node):
        if isinstance(part, ast.Compare):
            yield from _listed(part, scope)
        if isinstance(part, ast.Call):
            yield from _probed(part, scope)
            for function in functions_of(part.func, scope):
                yield from _asked(function.node, function, seen)
        if isinstance(part, ast.Name | ast.Attribute):
            if any(d.name in VERSIONS | INFOS for d in resolve(part, scope)):
                yield VERSION
            for where, bindings in _bindings(part, scope):
                for binding in bindings:
                    yield from _kept(binding, where, seen)
            there = elsewhere(part, scope)
            if there is not None:
                yield from _asked(there[1], there[0], seen)


def _probed(call: ast.Call, scope: Scope) -> Iterator[str]:
    name = last_name(call)
    if name in _PROBES and len(call.args) > 1:
        attribute = literal(call.args[1])
        if isinstance(attribute, str):
            yield from (f"{d.name}.{attribute}" for d in resolve(call.args[0], scope))
    elif name in SIGNATURES and call.args:
        yield from (f"{d.name}()" for d in resolve(call.args[0], scope))
    elif name == "find_spec" and call.args:
        yield str(literal(call.args[0]))
    elif name == "version" and call.args and literal(call.args[0]) == "jax":
        yield VERSION


def _listed(test: ast.Compare, scope: Scope) -> Iterator[str]:
    """The name that `"x" in dir(jax)` or `"x" in jax.__dict__` asks for."""
    holder, name = test.comparators[0], literal(test.left)
    if isinstance(holder, ast.Call) and last_name(holder) in ("dir", "vars") and holder.args:
        holder = holder.args[0]
    elif isinstance(holder, ast.Attribute) and holder.attr == "__dict__":
        holder = holder.value
    else:
        return
    if isinstance(name, str):
        yield from (f"{d.name}.{name}" for d in resolve(holder, scope))


def _bindings(part: ast.Name | ast.Attribute, scope: Scope) -> list[tuple[Scope, list[Binding]]]:
    if isinstance(part, ast.Attribute):
        return members(part, scope)
    hit = scope.lookup(part.id)
    return [] if hit is None else [hit]


def _kept(binding: Binding, where: Scope, seen: set[int]) -> Iterator[str]:
    for guard in binding.guards:
        if isinstance(guard, Test):
            yield from _asked(guard.test, guard.scope, seen)
        else:
            yield TRIED
    if binding.function is not None:
        return  # asked for where it is called
    source = binding.value or binding.part
    if source is not None:
        yield from _asked(source, where, seen)
