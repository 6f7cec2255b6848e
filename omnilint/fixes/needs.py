"""What the repairs of CONC share: the node that needs the value, and the words of their descriptions."""

from __future__ import annotations

import ast

from omnilint.fixes.context import Book, Page, Refusal
from omnilint.model import Finding


def where(finding: Finding, book: Book) -> tuple[Page, ast.expr]:
    """The page and the expression that needs the value; refuses when other places need it as well."""
    needs = finding.data["needs"]
    if len({n["place"] for n in needs}) > 1:
        raise Refusal("several places need the value")
    page = book.page(needs[0]["place"].path)
    node = page.expression(needs[0]["place"]) if page is not None else None
    if page is None or node is None:
        raise Refusal("the place can't be found in the code")
    if page.frozen(node):
        raise Refusal("it stands in an f-string")
    return page, node


def what(finding: Finding) -> str:
    """The function, operator or keyword that needs the value, without its backticks."""
    return str(finding.data["needs"][0]["what"]).strip("`")


def builtin_call(page: Page, node: ast.expr, *names: str) -> ast.Call | None:
    """The call of one of these builtins that a node is."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
        return node if page.bindings(node.func) is None else None
    return None
