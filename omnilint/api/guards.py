"""What makes a use conditional on the JAX version at hand: tests, handlers, suppressions."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from omnilint.api.scopes import Scope

IMPORT_ERRORS = {"ImportError", "ModuleNotFoundError"}
BROAD_ERRORS = {"Exception", "BaseException"}
# A whole main loop under `except Exception` isn't a probe for a name; a few statements are.
PROBE_SIZE = 3

_STOPS = ("skip", "exit", "fail", "importorskip", "skipTest", "xfail")


@dataclass(frozen=True, slots=True, eq=False)
class Test:
    """The code runs only where `test`, read in `scope`, has this outcome."""

    test: ast.expr
    outcome: bool
    scope: Scope


@dataclass(frozen=True, slots=True)
class Quiet:
    """The code expects the failure, or runs only under conditions that can't be read: never judged."""

    why: str


@dataclass(slots=True, eq=False)
class Attempt:
    """A span of the module's spots, by index: the body of a `try` that catches a missing name."""

    first: int
    last: int


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """The code stands in the body of an attempt: a missing name there is caught."""

    attempt: Attempt


@dataclass(frozen=True, slots=True, eq=False)
class After:
    """The code runs only where the attempt failed (a handler) or only where it worked (else, what follows)."""

    attempt: Attempt
    failed: bool


Guard = Test | Quiet | Tried | After


def caught(handler: ast.ExceptHandler) -> set[str]:
    """The last parts of the names of the exceptions that a handler catches; a bare one catches BaseException."""
    if handler.type is None:
        return {"BaseException"}
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {_last(t) for t in types}


def _last(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def quiet_for(errors: set[str], body: Sequence[ast.stmt]) -> bool:
    """Whether handlers of these errors make the missing names of `body` expected."""
    if errors & {*IMPORT_ERRORS, "AttributeError"}:
        return True
    imports = all(isinstance(s, ast.Import | ast.ImportFrom) for s in body)
    return bool(errors & BROAD_ERRORS) and (imports or len(body) <= PROBE_SIZE)


def suppresses(node: ast.With | ast.AsyncWith) -> bool:
    """Whether a `with` statement swallows or expects exceptions: contextlib.suppress, pytest.raises, assertRaises."""
    names = {_last(i.context_expr) for i in node.items if isinstance(i.context_expr, ast.Call)}
    return bool(
        names & {"suppress", "raises", "assertRaises", "assertRaisesRegex", "warns", "assertWarns", "deprecated_call"}
    )


def skips(decorator: ast.expr) -> ast.expr | None:
    """The condition of `@pytest.mark.skipif(cond)`, `@unittest.skipIf(cond, why)` and the like; True for `skip`."""
    if isinstance(decorator, ast.Call) and _last(decorator) in ("skipif", "skipIf", "xfail") and decorator.args:
        return decorator.args[0]
    if _last(decorator) in ("skip", "xfail"):
        return ast.Constant(True)
    return None


def leaves(body: Sequence[ast.stmt]) -> bool:
    """Whether a block never falls through to what follows it."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.Return | ast.Raise | ast.Continue | ast.Break):
        return True
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return _last(last.value) in _STOPS
    return isinstance(last, ast.If) and leaves(last.body) and leaves(last.orelse)
