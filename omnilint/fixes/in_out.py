"""One parameter more and one result more: how a function takes a piece of state and gives the new one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from omnilint.fixes.context import Page, Refusal
from omnilint.fixes.text import Span

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def parameter(page: Page, function: FunctionNode, name: str) -> Span:
    """One more parameter at the end; by keyword only where one with a default, or `*args`, stands before it."""
    a = function.args
    if name in {p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg) if p is not None}:
        raise Refusal(f"`{name}` is a parameter already")
    star = "*, " if a.defaults and not a.vararg and not a.kwonlyargs else ""
    before = [*a.posonlyargs, *a.args, *([a.vararg] if a.vararg else []), *a.kwonlyargs, *a.defaults]
    before += [d for d in a.kw_defaults if d is not None]
    if before:
        at = max(_end(page, n) for n in before)
        return Span(at, at, f", {star}{name}")
    text = page.text.text
    at = text.index("(", text.index(function.name, page.text.span(function)[0])) + 1
    return Span(at, at, f"{name}, " if a.kwarg else name)


def _end(page: Page, node: ast.AST) -> int:
    """Where a parameter or its default ends, with the parentheses that stand around it."""
    at = page.text.span(node)[1]
    text = page.text.text
    opened = text[: page.text.span(node)[0]].rstrip()
    while opened.endswith("(") and isinstance(node, ast.expr) and text[at:].lstrip().startswith(")"):
        if opened[:-1].rstrip().endswith(("=", "(")):
            at = text.index(")", at) + 1
            opened = opened[:-1].rstrip()
        else:
            break
    return at


def results(page: Page, function: FunctionNode, name: str, old: str) -> Iterator[Span]:
    """Each return also gives `name`; where all give just the state, written as `old`, they stay as they are."""
    found = page.inside(function).returns
    if _ends(function.body) and all(n.value is not None and ast.unparse(n.value) in (old, name) for n in found):
        return
    for node in found:
        if node.value is None:
            end = page.text.span(node)[1]
            yield Span(end, end, f" None, {name}" if any(n.value is not None for n in found) else f" {name}")
        else:
            yield from _with(page, node.value, name)
    if not _ends(function.body):
        last = function.body[-1]
        end = page.text.span(last)[1]
        indent = page.text.line(last.lineno)[: last.col_offset]
        value = f"None, {name}" if any(n.value is not None for n in found) else name
        line = page.text.offset(last.end_lineno or last.lineno, 1)
        end = max(end, line + len(page.text.line(last.end_lineno or last.lineno)))
        yield Span(end, end, f"\n{indent}return {value}")


def _with(page: Page, value: ast.expr, name: str) -> Iterator[Span]:
    start, end = page.text.span(value)
    bare = isinstance(value, ast.Tuple) and page.text.text[start] != "("
    if bare or isinstance(value, (ast.Lambda, ast.IfExp)):
        yield Span(start, start, "(")
        yield Span(end, end, f"), {name}")
        return
    closing = page.text.text[end : page.text.starts[value.end_lineno or 1] if value.end_lineno else None]
    shut = len(closing) - len(closing.lstrip(" \t)"))
    after = end + len(closing[:shut].rstrip())  # what stands in parentheses of its own
    yield Span(after, after, f", {name}")


def _ends(body: list[ast.stmt]) -> bool:
    """Whether a block surely ends in a return or a raise."""
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _ends(last.body) and _ends(last.orelse)
    if isinstance(last, (ast.With, ast.AsyncWith)):
        return _ends(last.body)
    return isinstance(last, (ast.Return, ast.Raise))
