"""CONC: `print` of traced values becomes `jax.debug.print`, which prints them when the program runs."""

from __future__ import annotations

import ast

from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.needs import builtin_call
from omnilint.fixes.replacements import write
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding


def propose(finding: Finding, book: Book) -> Repair:
    """The repair of a call of `print` whose format can be written down; refuses its keywords."""
    place = finding.data["needs"][0]["place"]
    page = book.page(place.path)
    node = next(iter(page.at(place)), None) if page is not None else None
    if page is None or node is None:
        raise Refusal("the place can't be found in the code")
    found = (builtin_call(page, n, "print") for n in (node, *page.above(node)) if isinstance(n, ast.expr))
    call = next((c for c in found if c is not None), None)
    if call is None or call.keywords or not call.args or not isinstance(page.parent(call), ast.Expr):
        raise Refusal("it isn't printed")
    template, values = "", list[str]()
    for i, argument in enumerate(call.args):
        text, more = _piece(page, argument)
        template += (" " if i else "") + text
        values += more
    name, added = write(page, "jax.debug.print", book.indices)
    quote = "'" if '"' in template else '"'
    if quote in template or "\\" in template or "\n" in template:
        raise Refusal("its text has to be quoted anew")
    start, end = page.text.span(call)
    new = f"{name}({', '.join([quote + template + quote, *values])})"
    spans = [Span(start, end, new), *added]
    return Repair(Applicability.UNSAFE, "print it when the program runs", [(page, s) for s in spans])


def _formats(page: Page, node: ast.AST) -> bool:
    """`"%f" % x`, `"{}".format(x)`, `str(x)`: what makes a text of a value before it is printed."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Mod) and isinstance(node.left, (ast.Constant, ast.JoinedStr))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return True
    return isinstance(node, ast.expr) and builtin_call(page, node, "str", "repr", "format") is not None


def _piece(page: Page, node: ast.expr) -> tuple[str, list[str]]:
    """(text with braces, values) of one argument."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.replace("{", "{{").replace("}", "}}"), []
    if isinstance(node, ast.Starred):
        raise Refusal("how many values are printed can't be told")
    if any(_formats(page, n) for n in ast.walk(node)):
        raise Refusal("the text is made in Python")
    if not isinstance(node, ast.JoinedStr):
        return "{}", [page.text.cut(node)]
    text, values = "", list[str]()
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += str(part.value).replace("{", "{{").replace("}", "}}")
        elif isinstance(part, ast.FormattedValue) and part.conversion == -1:
            spec = ast.unparse(part.format_spec)[2:-1] if part.format_spec is not None else ""
            if "{" in spec:
                raise Refusal("its format depends on values")
            text += "{:" + spec + "}" if spec else "{}"
            values.append(ast.unparse(part.value))
    return text, values
