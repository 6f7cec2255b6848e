"""INTERNAL: removed, deprecated and private names get what took their place."""

from __future__ import annotations

import ast

from omnilint import knowledge
from omnilint.fixes import fits, import_lines
from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.replacements import accessible, at_use, call_rows, instead, rewritten_call
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding


def propose(finding: Finding, book: Book) -> Repair:
    """The repair of a finding about a name; refuses where what took its place isn't the same thing."""
    page = book.of(finding)
    nodes = page.at(finding.place)
    statement = page.import_at(finding.place)
    if statement is not None:
        return import_lines.propose(finding, book, page, statement)
    node = next((n for n in reversed(nodes) if isinstance(n, (ast.Attribute, ast.Name))), None)
    if node is None:
        raise Refusal("the name isn't written out where it is used")
    if page.frozen(node):
        raise Refusal("it stands in an f-string")
    if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
        raise Refusal("it is assigned to")
    name = str(finding.data.get("name") or "")
    if isinstance(node, ast.Name) and page.module.stars and page.is_unbound(node.id):
        raise Refusal("it comes from `import *`: import it by its name first")
    if not isinstance(node, ast.Attribute) or node.attr != name.rpartition(".")[2] or page.dotted(node) != name:
        raise Refusal("the name isn't written out where it is used")
    used = str(finding.data.get("used") or name)
    try:
        spans, exact = at_site(page, _member(page, node, name, used), used, finding, book)
    except Refusal:
        if used == name:
            raise
        if not _has_members(name, used, finding, book):
            raise
        spans, exact = at_site(page, node, name, finding, book)  # the module as a whole has another place
    kind = Applicability.SAFE if exact and finding.code != "OMN407" else Applicability.UNSAFE
    says = f"write what took the place of `{name}`"
    if used in knowledge.table("repairs")["wider"] and not exact:
        says += ", a type that tracers have too"
    elif used in call_rows() and not exact:
        says += "; JAX takes no list as the index"
    return Repair(kind, says, [(page, s) for s in spans])


def _member(page: Page, node: ast.Attribute, name: str, used: str) -> ast.Attribute:
    """The name as it is used: of a module that is gone, the member that the code takes from it."""
    for part in used[len(name) + 1 :].split(".") if used.startswith(name + ".") else ():
        parent = page.parent(node)
        if not isinstance(parent, ast.Attribute) or parent.attr != part:
            raise Refusal(f"what is used of `{name}` isn't written out")
        node = parent
    return node


def _has_members(name: str, used: str, finding: Finding, book: Book) -> bool:
    """Whether what is used of a module that has another place is there too, in all of the target's releases."""
    new = instead(name, book.indices, finding.data.get("replacement")).text
    return accessible(new + used[len(name) :], new.count(".") + 1, book.indices)


def at_site(page: Page, node: ast.expr, name: str, finding: Finding | None, book: Book) -> tuple[list[Span], bool]:
    """The spans for one use of a name, and whether it means exactly the same."""
    call = page.parent(node)
    if name in call_rows():
        if not (isinstance(call, ast.Call) and call.func is node):
            raise Refusal(f"`{name}` isn't called where it is used")
        return rewritten_call(page, call, name, book.indices)
    said = None
    if finding is not None and name in (finding.data.get("name"), finding.data.get("used")):
        said = finding.data.get("replacement")
    typo = finding is not None and finding.code == "OMN407" and said is not None
    new = instead(name, book.indices, said, typo)
    same = not new.dotted or fits.check(page, node, name, new.text, book.indices)
    return at_use(page, node, new, book.indices), new.exact and same
