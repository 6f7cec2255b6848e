"""Who uses a jitted function, anywhere in the run, and whether a use gives a parameter what can't be static."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from omnilint.analysis import tables
from omnilint.fixes import given_values
from omnilint.fixes.context import Book, Page
from omnilint.fixes.static_values import is_none

_DEPTH = 6


@dataclass(frozen=True)
class Jitted:
    """A parameter of a jitted function, and where the function is bound.

    `node` is its definition, or the call that jits it; `name` the parameter, `at` its position in a call, if any.
    """

    page: Page
    node: ast.AST
    name: str
    at: int | None


def breaks(jitted: Jitted, book: Book) -> str | None:
    """In words, a use of the function that its parameter couldn't be static for; None where none is seen."""
    if isinstance(jitted.node, ast.Lambda):
        return None
    if isinstance(jitted.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        told = _of_decorators(jitted.page, jitted.node)
        return told or _of_name(jitted, jitted.node, jitted.node.name, book, 0)
    return _of_use(jitted, jitted.page, jitted.node, jitted.at, book, 0)


def _of_decorators(page: Page, function: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """What other transforms make of the jitted function above it: nobody sees what they are given."""
    for decorator in function.decorator_list:
        parts = [decorator.func, *decorator.args] if isinstance(decorator, ast.Call) else [decorator]
        names = [page.dotted(p) or "" for p in parts]
        above = next((n for n in names if _maps(n) or _differentiates(n)), None)
        if above is not None:
            return f"`{above}` is above it"
    return None


def _maps(dotted: str) -> bool:
    """Whether a transform maps over arguments, and hands on as they are those whose axis is None."""
    spec = tables.transforms().get(dotted)
    return spec is not None and (spec.kind == "vmap" or "static_broadcasted_argnums" in spec.statics)


def _differentiates(dotted: str) -> bool:
    """Whether a transform differentiates by some arguments, and hands on the others as they are."""
    spec = tables.transforms().get(dotted)
    return spec is not None and spec.kind == "grad"


def _of_name(jitted: Jitted, binder: ast.AST, name: str, book: Book, depth: int) -> str | None:
    """What the uses of a bound name say; of a method or an attribute, all uses of an attribute of its name."""
    if depth > _DEPTH:
        return "it goes by too many names"
    member = isinstance(jitted.page.parent(binder), ast.ClassDef) or isinstance(binder, ast.Attribute)
    for page, node in _uses(jitted.page, binder, name, member, book):
        told = _of_use(jitted, page, node, jitted.at, book, depth)
        if told is not None:
            return told
    return None


def _uses(home: Page, binder: ast.AST, name: str, member: bool, book: Book) -> Iterator[tuple[Page, ast.expr]]:
    local = home.function(binder) is not None and not member
    whole = f"{home.module.name}.{name}"
    for module in book.project.modules() if not local else [home.module]:
        taken = any(v == whole or v.endswith(f".{name}") for v in module.imports.values())
        page = book.page(module.path) if taken or name in module.identifiers else None
        if page is None:
            continue
        if page is home and not member:
            yield from ((page, n) for n in _own_reads(page, binder, name))
        locals_ = {name, *(local for local, v in module.imports.items() if v.endswith(f".{name}"))}
        for node in (n for local in locals_ for n in page.mentions(local) if isinstance(n.ctx, ast.Load)):
            if page.dotted(node) == whole if not member else isinstance(node, ast.Attribute):
                yield page, node


def _own_reads(page: Page, binder: ast.AST, name: str) -> Iterator[ast.Name]:
    function = page.function(binder)
    for scope, node in page.reads(name):
        hit = scope.lookup(name)
        if hit is None or not isinstance(node.ctx, ast.Load):
            continue
        owner = hit[0].node if isinstance(hit[0].node, _FUNCTIONS) else page.function(hit[0].node)
        if owner is function:
            yield node


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def _of_use(jitted: Jitted, page: Page, node: ast.AST, at: int | None, book: Book, depth: int) -> str | None:
    """What one use of the function, or of what a transform made of it, gives to the parameter."""
    parent = page.parent(node)
    if isinstance(parent, (ast.Return, ast.Expr, ast.Attribute, ast.FunctionDef, ast.AsyncFunctionDef)):
        return None  # given away, or something else is asked of it
    if isinstance(parent, ast.Call) and parent.func is node:
        return _of_call(jitted, page, parent, at)
    if isinstance(parent, ast.Call) and parent.args[:1] == [node]:
        return _of_transform(jitted, page, parent, at, book, depth)
    if isinstance(parent, (ast.Assign, ast.AnnAssign)):
        targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
        for target in targets:
            if isinstance(target, (ast.Name, ast.Attribute)):
                other = Jitted(page, target, jitted.name, at)
                name = target.id if isinstance(target, ast.Name) else target.attr
                told = _of_name(other, target, name, book, depth + 1)
                if told is not None:
                    return told
                continue
            return "the function is kept elsewhere"
        return None
    return "the function is kept elsewhere" if parent is not None else None


def _of_transform(jitted: Jitted, page: Page, call: ast.Call, at: int | None, book: Book, depth: int) -> str | None:
    """What a function that is handed the jitted one may give it: what it maps over, or differentiates by, is traced."""
    dotted = page.dotted(call.func) or ""
    leaf = dotted.rpartition(".")[2] or ast.unparse(call.func)
    keywords = {k.arg: k.value for k in call.keywords}
    if dotted == "functools.partial":
        if at is not None and len(call.args) - 1 > at:
            return _of_value(jitted, page, call.args[at + 1])
        if jitted.name in keywords:
            return _of_value(jitted, page, keywords[jitted.name])
        bound = len(call.args) - 1
        return _of_use(jitted, page, call, None if at is None else at - bound, book, depth + 1)
    if _maps(dotted):
        axes = keywords.get("in_axes", call.args[1] if len(call.args) > 1 else None)
        entries = axes.elts if isinstance(axes, ast.Tuple) else []
        apart = at is not None and at < len(entries) and is_none(entries[at])
    else:
        numbers = keywords.get("argnums", call.args[1] if len(call.args) > 1 else ast.Constant(0))
        listed: Sequence[ast.expr] = numbers.elts if isinstance(numbers, (ast.Tuple, ast.List)) else [numbers]
        known = all(isinstance(n, ast.Constant) for n in listed)
        others = {n.value for n in listed if isinstance(n, ast.Constant)}
        apart = _differentiates(dotted) and known and at not in others
    if not apart:
        return f"`{leaf}` is given the function, and may give it arrays"
    return _of_use(jitted, page, call, at, book, depth + 1)


def _of_call(jitted: Jitted, page: Page, call: ast.Call, at: int | None) -> str | None:
    given = next((k.value for k in call.keywords if k.arg == jitted.name), None)
    if given is None and at is not None and at < len(call.args):
        plain = not any(isinstance(a, ast.Starred) for a in call.args[: at + 1])
        given = call.args[at] if plain else None
    return None if given is None else _of_value(jitted, page, given)


def _of_value(jitted: Jitted, page: Page, value: ast.expr) -> str | None:
    if given_values.is_unhashable(page, value):
        return f"`{jitted.name}` is given what can't be hashed"
    if given_values.may_be_array(page, value):
        return f"`{jitted.name}` is given an array"
    return None
