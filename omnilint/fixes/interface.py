"""Names that a module binds by import and that other code may take from it: they have to stay bound."""

from __future__ import annotations

import ast
import re

from omnilint.api.scopes import Scope
from omnilint.fixes.context import Book, Page
from omnilint.sources.notebook import Notebook

_MARKED = re.compile(r"#.*(noqa(?!\s*:)|noqa\s*:.*\bF401|unused-import|re-?export)", re.IGNORECASE)


def may_be_taken(page: Page, scope: Scope, local: str) -> bool:
    """Whether code elsewhere can reach an imported name: at module or class level, outside of notebooks."""
    if isinstance(page.module.source, Notebook):
        return False
    owner = scope.outer.get(local, scope)  # `global local` inside of a function
    return isinstance(owner.node, (ast.Module, ast.ClassDef))


def is_offered(page: Page, scope: Scope, statement: ast.ImportFrom, alias: ast.alias, book: Book) -> bool:
    """Whether a name is there for others by all signs: listed, marked, a class's, a package's, or taken in this run."""
    local = alias.asname or alias.name
    if not may_be_taken(page, scope, local):
        return False
    if isinstance(scope.node, ast.ClassDef) or local in exported(page) or alias.asname == alias.name:
        return True
    lines = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
    return any(_MARKED.search(page.text.line(n)) for n in lines) or _is_taken(page, local, book)


def _is_taken(page: Page, local: str, book: Book) -> bool:
    """Whether another module of the run takes the name from this one, or may do so."""
    own = page.module.name
    for m in book.project.modules():
        if m is page.module:
            continue
        if own in m.stars or any(v == f"{own}.{local}" or v.startswith(f"{own}.{local}.") for v in m.imports.values()):
            return True
        if local in m.identifiers and any(v == own or own.startswith(f"{v}.") for v in m.imports.values()):
            return True
    return False


def exported(page: Page) -> frozenset[str]:
    """The names that `__all__` lists; all of them in a package's `__init__`, whose imports are its interface."""
    if page.module.is_package:
        return page.names
    found = [
        n.value
        for s in page.tree.body
        if "__all__" in ast.unparse(s).partition("=")[0].partition("(")[0] and not hasattr(s, "body")
        for n in ast.walk(s)
        if isinstance(n, ast.Constant) and isinstance(n.value, str)
    ]
    return frozenset(found)
