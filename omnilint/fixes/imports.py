"""Imports that a repair needs: an alias that the file has already, or a new line where a person would put it."""

from __future__ import annotations

import ast
import sys

from omnilint.api import history
from omnilint.fixes.context import Page, Refusal
from omnilint.fixes.text import Span
from omnilint.sources.notebook import Notebook

# How people call a library, best first; the file's own habit goes before.
USUAL = {"numpy": ("np", "onp", "numpy"), "jax.numpy": ("jnp",), "jax.lax": ("lax",), "jax": ("jax",)}
_STDLIB = getattr(sys, "stdlib_module_names", frozenset({"functools", "math", "os", "sys", "typing", "collections"}))


def known_as(page: Page, dotted: str, at: ast.AST | None = None) -> str | None:
    """The expression that the module's own imports give for a dotted name, imported whole at its top level.

    It has to mean that where `at` stands; without `at`, wherever it is written.
    """
    for statement in page.imports:
        for alias in statement.names:
            local = alias.asname or alias.name
            if isinstance(statement, ast.Import):
                full = alias.name
            elif statement.level or alias.name == "*":
                continue
            else:
                full = f"{statement.module}.{alias.name}"
            root = local.partition(".")[0]
            if full == dotted and _starred_later(page, root, statement):
                continue
            if full == dotted and not page.shadows.hides(root, root if root != local else full, at):
                return local
    return None


def is_free(page: Page, name: str, at: ast.AST | None = None) -> bool:
    """Whether the module may import something by this name, to be read where `at` stands."""
    return name not in page.names or (at is not None and page.shadows.can_import(name, at))


def module_alias(page: Page, module: str, at: ast.AST | None = None) -> tuple[str, list[Span]]:
    """How to write `module`, and the import to add for it; refuses when every usual name is taken."""
    known = known_as(page, module, at)
    if known is not None:
        return known, []
    root = module.partition(".")[0]
    choices = USUAL.get(module, (module,))
    # A name that is free in the whole file suits all of its repairs, wherever they stand.
    for name in sorted(choices, key=lambda name: not is_free(page, name)):
        if is_free(page, name, at):
            parent, _, leaf = module.rpartition(".")
            plain = f"import {module} as {name}"
            if name in (module, leaf):
                plain = f"import {module}" if name == module else f"from {parent} import {leaf}"
            return name, [insertion(page, plain, root)]
    raise Refusal(f"the names {', '.join(choices)} are taken, so {module} can't be imported")


def member(page: Page, dotted: str, at: ast.AST | None = None) -> tuple[str, list[Span]]:
    """How to write `module.name` of a module that isn't JAX's, in the file's habit, and the import to add."""
    known = known_as(page, dotted, at)
    if known is not None:
        return known, []
    module, _, name = dotted.rpartition(".")
    alias, spans = module_alias(page, module, at)
    return f"{alias}.{name}", spans


def _stars(page: Page, name: str) -> list[ast.ImportFrom]:
    """The star imports of the module that may bind a name: of JAX what it has, of the project anything."""
    found = []
    for node in page.star_imports:
        module = node.module or ""
        root = module.partition(".")[0]
        if root == "jax" and not node.level:
            binds = history.ever(f"{module}.{name}")
        else:
            binds = bool(node.level) or root not in (*_STDLIB, "numpy")
        found += [node] if binds else []
    return found


def _starred_later(page: Page, name: str, statement: ast.stmt) -> bool:
    return any((s.lineno, s.col_offset) > (statement.lineno, statement.col_offset) for s in _stars(page, name))


def insertion(page: Page, line: str, root: str) -> Span:
    """The import line, where it belongs: among its kind, in order; after docstring and `__future__`.

    It goes below star imports that may bind its name; refuses where one stands further down.
    """
    text = page.text
    block = _first_block(page)
    stars = _stars(page, line.split()[-1].partition(".")[0])
    if stars:
        if not all(s in block for s in stars):
            raise Refusal(f"a star import further down may bind `{line.split()[-1]}`")
        return _after(page, stars[-1], line)
    if not block:
        return _at_top(page, line)
    standard = root in _STDLIB
    same = [s for s in block if (_root(s) in _STDLIB) is standard and not _is_future(s)]
    plain = line.startswith("import ")
    if not same:
        first = next((s for s in block if not _is_future(s)), None)
        if first is None:
            return _after(page, block[-1], "\n" + line)
        if standard:
            start = text.span(first)[0]
            return Span(start, start, line + "\n\n")
        return _after(page, block[-1], "\n" + line)
    before = [s for s in same if _key(s) < (not plain, line.split()[1].lower())]
    if before:
        return _after(page, before[-1], line)
    start = text.span(same[0])[0]
    return Span(start, start, line + "\n")


def _first_block(page: Page) -> list[ast.Import | ast.ImportFrom]:
    """The first run of imports at module level, other statements within it not counted."""
    found: list[ast.Import | ast.ImportFrom] = []
    for i, statement in enumerate(page.tree.body):
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            found.append(statement)
        elif found and not all(_is_future(s) for s in found):
            break
        elif not (i == 0 and _is_docstring(statement)):
            later = page.tree.body[i + 1 : i + 6]
            if not any(isinstance(s, (ast.Import, ast.ImportFrom)) for s in later):
                break
    return found


def _root(statement: ast.Import | ast.ImportFrom) -> str:
    if isinstance(statement, ast.Import):
        return statement.names[0].name.partition(".")[0]
    return "." if statement.level else (statement.module or "").partition(".")[0]


def _key(statement: ast.Import | ast.ImportFrom) -> tuple[bool, str]:
    name = statement.names[0].name if isinstance(statement, ast.Import) else (statement.module or "")
    return isinstance(statement, ast.ImportFrom), name.lower()


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _after(page: Page, statement: ast.stmt, line: str) -> Span:
    """The line below a statement, and below what follows it on its own line."""
    text = page.text
    last = _last_line(page, statement)
    source = page.module.source
    if isinstance(source, Notebook) and last + 1 in source.starts:  # the next line is another cell's
        at = text.offset(last, len(text.line(last)) + 1)
        return Span(at, at, "\n" + line)
    if last < len(text.starts):
        at = text.starts[last]
        return Span(at, at, line.lstrip("\n") + "\n" if not line.startswith("\n") else line + "\n")
    return Span(len(text.text), len(text.text), "\n" + line + "\n")


def _last_line(page: Page, statement: ast.stmt) -> int:
    """The last line of a statement, and of those that begin where one before ends, after a semicolon."""
    last = statement.end_lineno or statement.lineno
    while page.last_lines.get(last, 0) > last:
        last = page.last_lines[last]
    return last


def _at_top(page: Page, line: str) -> Span:
    body = page.tree.body
    if body and _is_docstring(body[0]):
        return _after(page, body[0], "\n" + line)
    start = page.text.span(body[0])[0] if body else 0
    if body and isinstance(body[0], (ast.FunctionDef, ast.ClassDef)) and body[0].decorator_list:
        start = page.text.whole_lines(*page.text.span(body[0].decorator_list[0]))[0]
    start = page.text.starts[page.text.position(start)[0] - 1]
    return Span(start, start, line + "\n\n")
