"""Whether code may look at the JAX release at hand, by the names in it and in what they are made of.

Two questions, which one answer for both would cost findings: a whole test may look at the release by a probe too, by
the conditions under which its names are bound, or in more steps than are followed; a part of it that can't be read
leaves the test open only where it is seen to speak of the release itself.
"""

from __future__ import annotations

import ast
import re
import sys

from omnilint.api.flags import INFOS, SIGNATURES, VERSIONS, asks, elsewhere, functions_of, members
from omnilint.api.guards import Quiet, Test
from omnilint.api.scopes import Binding, Scope, resolve
from omnilint.api.tried import may_fail_by_the_release

PARSERS = {"Version", "parse", "LooseVersion", "StrictVersion", "parse_version", "parse_ver", "version_parse"}
# Expressions that are looked through for the release before a test counts as one about something else.
_MAX_SOURCES = 50
SMELLS = re.compile(r"version|hasattr|^_*(old|new|gte?|lte?)_?.*jax|jax_?\d|jax.*(old|new|ge|lt|compat)", re.I)
# A parameter is whatever callers give: `version == 2` is about a file format as a rule.
_SMELLS_OF_PARAMETERS = re.compile(r"jax.*version|version.*jax|^_*(old|new|gte?|lte?)_?.*jax|jax_?\d", re.I)
_PROBES = {"hasattr", "getattr", "find_spec", "version", "dir", "vars", "SpecifierSet"} | PARSERS | SIGNATURES


def may_look_at_the_release(node: ast.AST, scope: Scope) -> bool:
    """Whether a test, or what the names in it are made of and under which conditions, may look at the release."""
    return _depends(node, scope, set())


def speaks_of_the_release(node: ast.expr, scope: Scope) -> bool:
    """Whether some part of an expression is named for a version, or is the release's or made of it."""
    return _speaks(node, scope, set())


def _speaks(node: ast.expr, scope: Scope, seen: set[int]) -> bool:
    if id(node) in seen or len(seen) > _MAX_SOURCES:
        return False
    seen.add(id(node))
    for part in ast.walk(node):
        if not isinstance(part, ast.Name | ast.Attribute):
            continue
        word = part.attr if isinstance(part, ast.Attribute) else part.id
        if SMELLS.search(word) or any(d.name in VERSIONS | INFOS for d in resolve(part, scope)):
            return True
        hit = scope.lookup(word) if isinstance(part, ast.Name) else None
        sources = [b.value or b.part for b in hit[1]] if hit else []
        if hit and any(s is not None and _speaks(s, hit[0], seen) for s in sources):
            return True
    return False


def _depends(node: ast.AST, scope: Scope, seen: set[int]) -> bool:
    if id(node) in seen or len(seen) > _MAX_SOURCES:
        return len(seen) > _MAX_SOURCES
    seen.add(id(node))
    names = [p for p in ast.walk(node) if isinstance(p, ast.Name | ast.Attribute | ast.Call)]
    return not names or any(_hints(part, scope, seen) for part in names)


def _hints(part: ast.Name | ast.Attribute | ast.Call, scope: Scope, seen: set[int]) -> bool:
    if isinstance(part, ast.Call):
        if any(asks(f) or _depends(f.node, f, seen) for f in functions_of(part.func, scope)):
            return True
        return (part.func.attr if isinstance(part.func, ast.Attribute) else getattr(part.func, "id", "")) in _PROBES
    word = part.attr if isinstance(part, ast.Attribute) else part.id
    if word in ("TYPE_CHECKING", "True", "False", "co_varnames", "__dict__"):
        return True
    names = {d.name for d in resolve(part, scope)}
    if names & (VERSIONS | INFOS) or any(n.endswith(".TYPE_CHECKING") for n in names):
        return True
    hit = scope.lookup(part.id) if isinstance(part, ast.Name) else None
    parameter = hit is not None and word in hit[0].parameters
    standard = any(n.partition(".")[0] in sys.stdlib_module_names for n in names)  # sys.version_info
    if not standard and (_SMELLS_OF_PARAMETERS if parameter else SMELLS).search(word):
        return True
    if hit is not None and any(_binds(b, hit[0], seen) for b in hit[1]):
        return True
    there = elsewhere(part, scope)
    if there is not None:
        return _depends(there[1], there[0], seen)
    kept = members(part, scope) if isinstance(part, ast.Attribute) else []
    return any(_binds(b, where, seen) for where, bindings in kept for b in bindings)


def _binds(binding: Binding, where: Scope, seen: set[int]) -> bool:
    """Whether what a binding binds, or whether it binds at all, may depend on the release."""
    for guard in binding.guards:
        if isinstance(guard, Test):
            depends = _depends(guard.test, guard.scope, seen)
        else:
            depends = isinstance(guard, Quiet) or may_fail_by_the_release(guard.attempt)
        if depends:
            return True
    if binding.function is not None:
        return _depends(binding.function.node, binding.function, seen)
    source = binding.value or binding.part
    return source is not None and not isinstance(source, ast.Constant) and _sources(source, where, seen)


def _sources(source: ast.expr, where: Scope, seen: set[int]) -> bool:
    named = any(isinstance(p, ast.Name | ast.Attribute | ast.Call) for p in ast.walk(source))
    return named and _depends(source, where, seen)
