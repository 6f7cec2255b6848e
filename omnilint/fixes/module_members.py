"""Where an imported module went, judged by the members that the code takes from it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from omnilint.api import history
from omnilint.api.replacement import instead_of
from omnilint.api.scopes import Scope
from omnilint.fixes.context import Book, Page, Refusal
from omnilint.fixes.replacements import Instead, instead


def _members(page: Page, scope: Scope, local: str) -> Iterator[str]:
    """The names that the code takes from a module that it knows as `local`; refuses where it hands the module on."""
    for use in page.loads(local, scope):
        member = page.parent(use)
        if not isinstance(member, ast.Attribute):
            raise Refusal(f"`{local}` is used as a whole")
        yield member.attr


def home(book: Book, page: Page, scope: Scope, alias: ast.alias, said: str | None) -> Instead:
    """The module that has all members which the code takes from one that is gone, imported as another name."""
    options = re.findall(r"`(jax[\w.]*)`", said or instead_of(alias.name, book.indices) or "")
    if not options or alias.asname is None:
        raise Refusal(f"no other module is known to hold what `{alias.name}` held")
    for name in _members(page, scope, alias.asname):
        if not all(history.exists(options[0], name, i) for i in book.indices):
            raise Refusal(f"`{options[0]}` has no `{name}`")
    return Instead(alias.name, options[0], True)


def public_twin(book: Book, page: Page, scope: Scope, alias: ast.alias, full: str) -> Instead | None:
    """The public module of the same name that has all members which the code takes from a private one."""
    public = full.replace("jax._src", "jax", 1)
    if public == full or not all(history.is_module(public, i) for i in book.indices):
        return None
    try:
        found = [
            instead(f"{full}.{name}", book.indices).text for name in _members(page, scope, alias.asname or alias.name)
        ]
    except Refusal:
        return None
    return Instead(full, public, True) if found and all(f.rpartition(".")[0] == public for f in found) else None
