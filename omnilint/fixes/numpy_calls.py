"""CONC: a NumPy or SciPy function on traced values becomes the function of the same name of JAX."""

from __future__ import annotations

import ast

from omnilint import knowledge
from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.kinds import takes_lists
from omnilint.fixes.needs import where
from omnilint.fixes.replacements import write
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding

_HOMES = {"numpy": "jax.numpy", "scipy": "jax.scipy"}


def propose(finding: Finding, book: Book) -> Repair:
    """The repair of a call of NumPy's; refuses functions that JAX lacks, and keywords that it doesn't take."""
    page, node = where(finding, book)
    if not isinstance(node, ast.Call):
        raise Refusal("it isn't a call")
    _refuse_writes(page, node)
    spans = _exchanged(page, node, book)
    for around in page.above(node):  # what is given the result gets a traced value as well
        if isinstance(around, ast.Call) and (page.dotted(around.func) or "").startswith(("numpy.", "scipy.")):
            spans += _exchanged(page, around, book)
        elif not isinstance(around, (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.keyword, ast.Attribute)):
            break
    dotted = page.dotted(node.func)
    description = f"use JAX's function, which takes traced values; its dtypes may be narrower than those of `{dotted}`"
    return Repair(Applicability.UNSAFE, description, [(page, s) for s in spans])


_IN_PLACE = ("fill", "itemset", "partition", "put", "resize", "setfield", "setflags", "sort", "tobytes")


def _refuse_writes(page: Page, node: ast.expr) -> None:
    """Refuses an array that is written into afterwards, which JAX's can't be."""
    statement = page.statement(node)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    scope = page.scope_within(statement)
    for name in (t.id for t in targets if isinstance(t, ast.Name)):
        for use in page.loads(name, scope) if scope is not None else ():
            parent = page.parent(use)
            stored = isinstance(parent, ast.Subscript) and not isinstance(parent.ctx, ast.Load)
            method = isinstance(parent, ast.Attribute) and isinstance(page.parent(parent), ast.Call)
            if stored or (method and isinstance(parent, ast.Attribute) and parent.attr in _IN_PLACE):
                raise Refusal(f"`{name}` is written into, which JAX's arrays can't be")


def _exchanged(page: Page, node: ast.Call, book: Book) -> list[Span]:
    dotted = page.dotted(node.func) or ""
    root, _, rest = dotted.partition(".")
    if root not in _HOMES or not rest:
        raise Refusal("which library's function it is isn't written out here")
    new = f"{_HOMES[root]}.{rest}"
    row = knowledge.table("jax_functions").get(new)
    if row is None:
        raise Refusal(f"JAX has no `{new}`")
    takes = {*row.get("params", ()), *row.get("kwonly", ())}
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg not in takes:
            raise Refusal(f"`{new}` doesn't take `{keyword.arg or '**'}`")
    start, end = page.text.span(node.func)
    text, added = write(page, new, book.indices)
    first = node.args[0] if node.args else None
    lists = (ast.List, ast.ListComp, ast.GeneratorExp)
    if not takes_lists(rest) and any(isinstance(n, lists) for n in (*node.args, *(k.value for k in node.keywords))):
        if not isinstance(first, ast.List) or sum(isinstance(n, lists) for n in node.args) > 1:
            raise Refusal(f"`{new}` takes no lists")
        a, b = page.text.span(first)
        array, more = write(page, "jax.numpy.array", book.indices)
        added = [*added, *more, Span(a, a, f"{array}("), Span(b, b, ")")]
    return [Span(start, end, text), *added]
