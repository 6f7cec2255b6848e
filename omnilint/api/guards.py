"""What makes a use conditional on the JAX version at hand: tests, handlers, suppressions."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from omnilint.api.scopes import Scope

IMPORT_ERRORS = {"ImportError", "ModuleNotFoundError"}
STUB_ERRORS = {"NotImplementedError", "RuntimeError"}
BROAD_ERRORS = {"Exception", "BaseException"}
# A whole main loop under `except Exception` isn't a probe for a name; a few statements are.
PROBE_SIZE = 3

# What a test of a decorator that is kept in a name is written as: no name of Python.
KEPT = "<skips>"

_KINDS = {"isinstance", "hasattr", "getattr", "type", "callable"}
_STOPS = ("skip", "exit", "fail", "importorskip", "skipTest", "xfail")


@dataclass(frozen=True, eq=False)
class Test:
    """The code runs only where `test`, read in `scope`, has this outcome."""

    test: ast.expr
    outcome: bool
    scope: Scope


@dataclass(frozen=True)
class Quiet:
    """The code expects the failure, or runs only under conditions that can't be read: never judged."""

    why: str


@dataclass(eq=False)
class Attempt:
    """A span of the module's spots, by index: the body of a `try` that catches what `catches` says.

    "name": a missing name; "call": arguments that a function doesn't take; "stub": a function that only raises.
    `foreign`: nothing in its body, which is read in `scope`, is of JAX; None until somebody asks.
    """

    first: int
    last: int
    catches: frozenset[str]
    body: Sequence[ast.stmt] = ()
    scope: Scope | None = None
    foreign: bool | None = None


@dataclass(frozen=True, eq=False)
class Tried:
    """The code stands in the body of an attempt: what the attempt catches is expected there."""

    attempt: Attempt


@dataclass(frozen=True, eq=False)
class After:
    """The code runs only where the attempt failed (a handler) or only where it worked (else, what follows).

    `catches` says of which failures: a handler runs for its own alone.
    """

    attempt: Attempt
    failed: bool
    catches: frozenset[str]


Guard = Test | Quiet | Tried | After


def caught(handler: ast.ExceptHandler) -> set[str]:
    """The last parts of the names of the exceptions that a handler catches; a bare one catches BaseException."""
    if handler.type is None:
        return {"BaseException"}
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {last_name(t) for t in types}


def last_name(node: ast.expr) -> str:
    """The last part of the name that an expression, or the function that it calls, is written as."""
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def expected(errors: set[str], body: Sequence[ast.stmt]) -> frozenset[str]:
    """What handlers of these errors make expected in `body`: missing names, refused arguments, … (see Attempt)."""
    imports = all(isinstance(s, (ast.Import, ast.ImportFrom)) for s in body)
    probe = imports or len(body) <= PROBE_SIZE
    broad = bool(errors & BROAD_ERRORS) and probe
    kinds = set()
    if broad or errors & {*IMPORT_ERRORS, "AttributeError"}:
        kinds.add("name")
    if broad or ("TypeError" in errors and probe):
        kinds.add("call")
    if broad or (errors & STUB_ERRORS and probe):
        kinds.add("stub")
    return frozenset(kinds)


def suppresses(node: ast.With | ast.AsyncWith) -> bool:
    """Whether a `with` statement swallows or expects exceptions: contextlib.suppress, pytest.raises, assertRaises."""
    names = {last_name(i.context_expr) for i in node.items if isinstance(i.context_expr, ast.Call)}
    return bool(
        names & {"suppress", "raises", "assertRaises", "assertRaisesRegex", "warns", "assertWarns", "deprecated_call"}
    )


def skips(decorator: ast.expr) -> ast.expr | None:
    """The condition of `@pytest.mark.skipif(cond)`, `@unittest.skipIf(cond, why)` and the like; True for `skip`."""
    if isinstance(decorator, ast.Call) and last_name(decorator) in ("skipif", "skipIf", "xfail") and decorator.args:
        return decorator.args[0]
    if last_name(decorator) in ("skip", "xfail"):
        return ast.Constant(True)
    return None


def marks(value: ast.expr | None) -> list[ast.expr]:
    """The conditions under which `pytestmark = …` skips the tests of a module."""
    each = value.elts if isinstance(value, ast.List | ast.Tuple) else [value] if value is not None else []
    return [c for c in map(skips, each) if c is not None]


def kept_mark(decorator: ast.expr, scope: Scope) -> ast.expr | None:
    """The condition of a decorator that is kept in a name, or that another module holds: asked for by its name.

    None for one that is plainly something else, as most are.
    """
    base = decorator
    while isinstance(base, ast.Attribute):
        base = base.value
    hit = scope.lookup(base.id) if isinstance(base, ast.Name) and not isinstance(decorator, ast.Call) else None
    bindings = hit[1] if hit is not None else []
    if any(b.value is not None and skips(b.value) is not None for b in bindings):
        return ast.Call(ast.Name(KEPT, ast.Load()), [decorator], [])
    known = {"jax", "functools", "pytest", "unittest", "numpy", "abc", "dataclasses", "typing", "contextlib"}
    if any(b.imported is not None and b.imported.name.partition(".")[0] not in known for b in bindings):
        return ast.Call(ast.Name(KEPT, ast.Load()), [decorator], [])
    return None


def leaves(body: Sequence[ast.stmt]) -> bool:
    """Whether a block never falls through to what follows it."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, (ast.Return, ast.Raise, ast.Continue, ast.Break)):
        return True
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return last_name(last.value) in _STOPS
    return isinstance(last, ast.If) and leaves(last.body) and leaves(last.orelse)


def asks_about(name: str, guards: Sequence[Guard]) -> bool:
    """Whether a test around the code asks what kind of thing a variable holds, or what it has."""
    for guard in guards:
        if isinstance(guard, Test):
            for node in ast.walk(guard.test):
                if isinstance(node, ast.Call) and last_name(node) in _KINDS and node.args:
                    asked = node.args[0]
                    if isinstance(asked, ast.Name) and asked.id == name:
                        return True
    return False
