"""Whether what took a name's place takes the arguments that the code gives, and is asked for nothing that it isn't."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from omnilint import knowledge
from omnilint.api import history
from omnilint.api.arguments import Parameters, parameters_at
from omnilint.api.scopes import Scope
from omnilint.fixes.context import Page, Refusal


def check(page: Page, node: ast.expr, old: str, new: str, indices: Sequence[int]) -> bool:
    """Refuse a use of `old` whose arguments mean something else to `new` in a release; whether it means the same.

    A call is judged by what it gives; handed on as a value, a function must take all that the old one took.
    """
    if old in knowledge.table("repairs")["differs"]:
        raise Refusal(f"`{new}` is another thing than `{old}`")
    before = _before(old, new, indices)
    call = page.parent(node)
    for i in indices:
        after = parameters_at(new, i)
        if after is None:
            continue
        if isinstance(call, ast.Call) and call.func is node:
            given = (len(call.args), [k.arg for k in call.keywords])
            if any(isinstance(a, ast.Starred) for a in call.args) or None in given[1]:
                fits = before is None or _takes_all(before, after)
            else:
                fits = _fits(before, after, given[0], [k for k in given[1] if k])
        elif new.rpartition(".")[2][:1].isupper():  # a class: nobody says that it is called
            fits = True
        elif _decorates(page, node):
            fits = _fits(before, after, 1, [])
        else:
            fits = before is None or _takes_all(before, after)
        if not fits:
            raise Refusal(f"`{new}` takes other arguments than `{old}`")
    return old not in knowledge.table("repairs")["wider"] or _annotates(page, node)


def check_uses(page: Page, scope: Scope, local: str, old: str, new: str, indices: Sequence[int]) -> bool:
    """`check` for every use of an imported name, and of each member that is taken where it is a module."""
    every = [check(page, node, was, now, indices) for node, was, now in _uses(page, scope, local, old, new)]
    return all(every)


def _uses(page: Page, scope: Scope, local: str, old: str, new: str) -> Iterator[tuple[ast.expr, str, str]]:
    for name in page.loads(local, scope):
        node: ast.expr = name
        was, now = old, new
        while _was_module(was) and isinstance(parent := page.parent(node), ast.Attribute):
            node, was, now = parent, f"{was}.{parent.attr}", f"{now}.{parent.attr}"
        yield node, was, now


@cache
def _was_module(name: str) -> bool:
    return any(history.is_module(name, i) for i in range(len(history.releases())))


@cache
def _there(name: str) -> tuple[int, ...]:
    found = (history.resolve(name, i, name.count(".") + 1) for i in range(len(history.releases())))
    return tuple(i for i, r in enumerate(found) if r.known and not r.missing)


def _before(old: str, new: str, indices: Sequence[int]) -> Parameters | None:
    """The parameters that the code was written for: those of the last release of the target, or before, that has them.

    Of a module that only passed names on nothing is known by itself: the new name's, as it was by then.
    """
    there = [i for i in _there(old) if i <= indices[-1]]
    last = next((p for i in reversed(there) if (p := parameters_at(old, i)) is not None), None)
    if last is not None or not there:
        return last
    return parameters_at(new, there[-1])


def _fits(before: Parameters | None, after: Parameters, count: int, keywords: Sequence[str]) -> bool:
    """Whether arguments by position and by name reach parameters of the same names, or of names that are new."""
    if count > len(after.positional) and not after.many:
        return False
    if not all(k in after.keywords or after.open for k in keywords):
        return False
    if before is None:
        return True
    pairs = list(zip(before.positional[:count], after.positional, strict=False))
    return all(a == b or (a not in after.names and b not in before.names) for a, b in pairs)


def _takes_all(before: Parameters, after: Parameters) -> bool:
    """Whether everything that could be given before means the same after."""
    same = after.positional[: len(before.positional)] == before.positional
    return (same or not before.positional) and (before.names <= after.names or after.open)


def _decorates(page: Page, node: ast.expr) -> bool:
    parent = page.parent(node)
    return node in getattr(parent, "decorator_list", ())


def _annotates(page: Page, node: ast.expr) -> bool:
    """Whether an expression is part of an annotation, which nobody asks at run time."""
    inner: ast.AST = node
    for outer in page.above(node):
        if isinstance(outer, (ast.arg, ast.AnnAssign)):
            return inner is outer.annotation
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return inner is outer.returns
        if not isinstance(outer, (ast.Subscript, ast.Tuple, ast.List, ast.BinOp)):
            return False
        inner = outer
    return False


def accepts(text: str, indices: Sequence[int]) -> Mapping[str, str]:
    """The keywords that calls in an expression give to functions of JAX that don't take them in all releases."""
    missing: dict[str, str] = {}
    for node in ast.walk(ast.parse(text, mode="eval")):
        if isinstance(node, ast.Call) and (name := ast.unparse(node.func)).startswith("jax."):
            for i in indices:
                known = parameters_at(name, i)
                for k in node.keywords:
                    if k.arg and known is not None and k.arg not in known.keywords and not known.open:
                        missing[k.arg] = name
    return missing
