"""Import statements in parts: the module exchanged, names taken out or added, the whole taken out with its lines."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from omnilint.fixes.context import Page, Refusal
from omnilint.fixes.text import Span


def in_place(page: Page, statement: ast.ImportFrom, module: str, written: Sequence[str]) -> list[Span]:
    """The same statement with another module; names that change as well are exchanged one by one."""
    text = page.text
    spans = [other_module(page, statement, module)]
    for alias, new in zip(statement.names, written, strict=True):
        a, b = text.span(alias)
        if text.text[a:b].split() != new.split():
            spans.append(Span(a, b, new))
    return spans


def other_module(page: Page, statement: ast.ImportFrom, module: str) -> Span:
    old = statement.module or ""
    at = page.text.text.index(old, page.text.span(statement)[0] + len("from"))
    return Span(at, at + len(old), module)


def removed(page: Page, statement: ast.ImportFrom, gone: Sequence[ast.alias]) -> list[Span]:
    """The names leave the statement, each with a comma."""
    text = page.text
    rest = [a for a in statement.names if a not in gone]
    spans: list[Span] = []
    if not rest:
        return spans
    for i, alias in enumerate(statement.names):
        if alias not in gone:
            continue
        start, _ = text.span(alias)
        later = [a for a in statement.names[i + 1 :] if a not in gone]
        if later:
            following = statement.names[i + 1]
            spans.append(Span(start, text.span(following)[0]))
        else:
            last = rest[-1]
            before = text.span(last)[1]
            spans.append(Span(before, text.span(statement.names[-1])[1]))
            break
    for s in spans:
        if "#" in text.text[s.start : s.end]:
            raise Refusal("a comment stands between the imported names")
    return spans


def others(page: Page, statement: ast.ImportFrom) -> dict[str, ast.ImportFrom]:
    """Top-level imports that a name can be added to, by module; only for a statement at top level itself."""
    if statement not in page.tree.body:
        return {}
    return {
        s.module: s
        for s in page.tree.body
        if isinstance(s, ast.ImportFrom) and s is not statement and s.module and not s.level and s.names[0].name != "*"
    }


def joined(page: Page, statement: ast.ImportFrom, written: str) -> Span:
    """One more name in an import statement, in alphabetical order."""
    for alias in statement.names:
        if alias.name == written:
            raise Refusal(f"`{written}` is imported twice then")
        if alias.name.lower() > written.lower():
            start = page.text.span(alias)[0]
            return Span(start, start, f"{written}, ")
    end = page.text.span(statement.names[-1])[1]
    return Span(end, end, f", {written}")


def has_its_lines(page: Page, statement: ast.stmt) -> None:
    """Refuse to write lines for a statement that shares its own: what stands there would go before or into them."""
    start, end = page.text.span(statement)
    first, last = page.text.whole_lines(start, end)
    if page.text.text[first:start].strip() or re.sub(r"#.*", "", page.text.text[end:last]).strip():
        raise Refusal("something else stands on its line")


def statement_gone(page: Page, statement: ast.stmt) -> Span:
    """A statement that isn't needed any more: its lines, or `pass` where a block would be empty."""
    parent = page.parent(statement)
    for field in ("body", "orelse", "finalbody", "handlers"):
        block = getattr(parent, field, None)
        if isinstance(block, list) and statement in block:
            start, end = page.text.span(statement)
            first, last = page.text.whole_lines(start, end)
            # What is said of the statement on its own line goes with it.
            around = page.text.text[first:start] + re.sub(r"#.*", "", page.text.text[end:last])
            if len(block) == 1 and not isinstance(parent, ast.Module):
                return Span(start, end, "pass")
            if around.strip():
                raise Refusal("something else stands on its line")
            return Span(first, last)
    raise Refusal("it can't be taken out")
