"""Calls taken apart and written anew by LibCST, comments and line breaks of the arguments kept."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import libcst as cst

from omnilint.fixes.context import Page, Refusal
from omnilint.fixes.pure import keeps_order
from omnilint.fixes.text import Span


def parse(page: Page, call: ast.Call) -> cst.Call:
    """The call as LibCST reads it, from its own text."""
    try:
        tree = cst.parse_expression("(" + page.text.cut(call) + "\n)")
    except cst.ParserSyntaxError:
        raise Refusal("the call can't be read by itself") from None
    if not isinstance(tree, cst.Call):
        raise Refusal("the call can't be read by itself")
    return tree.with_changes(lpar=(), rpar=())


def code(node: cst.BaseExpression) -> str:
    """The text of a changed call."""
    return cst.Module(body=()).code_for_node(node)


def without(page: Page, call: ast.Call, argument: str) -> Span:
    """The call without a keyword argument: what stood around it closes up as a person would have it."""
    tree = parse(page, call)
    args = list(tree.args)
    at = next((i for i, a in enumerate(args) if a.keyword is not None and a.keyword.value == argument), None)
    if at is None:
        raise Refusal(f"`{argument}` isn't given by name")
    gone = args.pop(at)
    if isinstance(gone.comma, cst.Comma) and _has_comment(gone.comma.whitespace_after):
        raise Refusal("a comment stands beside the argument")
    if at == len(args) and args:  # the last one now ends as the dropped one did
        args[-1] = args[-1].with_changes(comma=gone.comma, whitespace_after_arg=gone.whitespace_after_arg)
    changed = tree.with_changes(args=args)
    if not args:
        changed = changed.with_changes(whitespace_before_args=cst.SimpleWhitespace(""))
    start, end = page.text.span(call)
    return Span(start, end, code(changed))


def by_position(page: Page, call: ast.Call, arguments: Sequence[str]) -> Span:
    """The call with keyword arguments made positional, in their order, after those that are positional already."""
    tree = parse(page, call)
    given = [a for a in tree.args if a.keyword is None]
    if any(a.star for a in tree.args):
        raise Refusal("its arguments can't be told apart")
    wanted = list(arguments[len(given) :])
    named = {a.keyword.value: a for a in tree.args if a.keyword is not None}
    while wanted and wanted[-1] not in named:
        wanted.pop()
    if any(w not in named for w in wanted) or not wanted:
        raise Refusal("an argument before it isn't given")
    values = {k.arg: k.value for k in call.keywords if k.arg is not None}
    if not keeps_order([*(values[w] for w in wanted), *(v for k, v in values.items() if k not in wanted)]):
        raise Refusal("its arguments would be computed in another order")
    order = [*given, *(named[w] for w in wanted), *(a for k, a in named.items() if k not in wanted)]
    plain = [
        a.with_changes(keyword=None, equal=cst.MaybeSentinel.DEFAULT)
        if a.keyword is not None and a.keyword.value in wanted
        else a
        for a in order
    ]
    # Commas and line breaks belong to the places, not to the arguments.
    placed = [
        a.with_changes(comma=old.comma, whitespace_after_arg=old.whitespace_after_arg)
        for a, old in zip(plain, tree.args, strict=True)
    ]
    start, end = page.text.span(call)
    return Span(start, end, code(tree.with_changes(args=placed)))


def _has_comment(whitespace: cst.BaseParenthesizableWhitespace) -> bool:
    return isinstance(whitespace, cst.ParenthesizedWhitespace) and (
        whitespace.first_line.comment is not None or any(line.comment for line in whitespace.empty_lines)
    )
