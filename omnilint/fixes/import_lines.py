"""Imports of names that moved, rewritten as a person would: the statement, the uses when the name changes too."""

from __future__ import annotations

import ast
import builtins
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from omnilint import knowledge
from omnilint.api import history
from omnilint.api.scopes import Scope
from omnilint.fixes import fits, import_parts, interface, module_members
from omnilint.fixes import names as uses
from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.replacements import Instead, call_rows, instead
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding

_DESCRIPTION = "import it from where it is now"


def propose(finding: Finding, book: Book, page: Page, statement: ast.Import | ast.ImportFrom) -> Repair:
    """The repair of a finding that stands on an import."""
    if isinstance(statement, ast.Import):
        return _whole_module(finding, book, page, statement)
    module = statement.module or ""
    if statement.level:
        raise Refusal("it is imported from the package itself")
    name = str(finding.data.get("name") or "")
    of_module = module == name or module.startswith(name + ".")
    chosen = [a for a in statement.names if of_module or f"{module}.{a.name}" == name or _holds(page, finding, a)]
    if chosen and chosen[0].name == "*":
        return _star(finding, book, page, statement)
    if not chosen:
        raise Refusal("what is imported isn't named")
    moved = [(a, _place_of(page, statement, a, f"{module}.{a.name}", book, finding)) for a in chosen]
    if len(chosen) < len(statement.names):
        moved = _together(page, statement, moved, module, book, finding)
    return _from(book, page, statement, moved)


def _star(finding: Finding, book: Book, page: Page, statement: ast.ImportFrom) -> Repair:
    """`from jax.old import *`: only where the whole module moved."""
    module = statement.module or ""
    new = instead(module, book.indices, finding.data.get("replacement"))
    if not all(history.is_module(new.text, i) for i in book.indices):
        raise Refusal("which names the module gave can't be told")
    releases = range(len(history.releases()))
    for name in sorted(page.module.identifiers):
        given = page.is_unbound(name) and any(history.exists(module, name, i) for i in releases)
        if given and not all(history.exists(new.text, name, i) for i in book.indices):
            raise Refusal(f"`{new.text}` has no `{name}`")
    kind = Applicability.SAFE if new.exact else Applicability.UNSAFE
    return Repair(kind, _DESCRIPTION, [(page, import_parts.other_module(page, statement, new.text))])


def _together(
    page: Page,
    statement: ast.ImportFrom,
    moved: list[tuple[ast.alias, _Moved]],
    module: str,
    book: Book,
    finding: Finding,
) -> list[tuple[ast.alias, _Moved]]:
    """All names of the statement where all of them went to the same place, else those that the finding is about.

    Those that moved within the range of the target are told apart from the rest together.
    """
    if any(m.new is None for _, m in moved) or any(a.name == "*" for a in statement.names):
        return moved
    every: list[tuple[ast.alias, _Moved]] = []
    for alias in statement.names:
        with contextlib.suppress(Refusal):
            every.append((alias, _place_of(page, statement, alias, f"{module}.{alias.name}", book, finding)))
    if any(m.new is not None and m.new.newer for _, m in moved):
        return [(a, m) for a, m in every if m.new is not None and m.new.newer]
    if len(every) < len(statement.names):
        return moved
    targets = {m.new.text.rpartition(".")[0] if m.new is not None and not m.new.newer else None for _, m in every}
    return every if len(targets) == 1 and None not in targets else moved


@dataclass(frozen=True)
class _Moved:
    """Where an imported name went: `new`, or None where every use of it is written anew.

    `kept`: others may take the name from this module, so it stays bound.
    """

    full: str
    new: Instead | None
    kept: bool = False


def _place_of(
    page: Page, statement: ast.ImportFrom, alias: ast.alias, full: str, book: Book, finding: Finding
) -> _Moved:
    if full in call_rows():
        return _Moved(full, None)
    is_module = any(history.is_module(full, i) for i in range(len(history.releases())))
    try:
        new = _new(full, book, finding)
    except Refusal:
        twin = module_members.public_twin(book, page, _scope(page, statement, full), alias, full) if is_module else None
        if twin is not None:
            return _Moved(full, twin)
        if is_module or (finding.code == "OMN401" and _unused(page, statement, alias, full, book)):
            return _Moved(full, None)
        raise
    leaf = new.text.rpartition(".")[2]
    if is_module and leaf != alias.name:
        return _Moved(full, None)
    local = alias.asname or alias.name
    if new.dotted and interface.may_be_taken(page, _scope(page, statement, full), local):
        return _Moved(full, new, kept=True)
    renamed = leaf != alias.name and alias.asname is None
    return _Moved(full, None if renamed and (hasattr(builtins, leaf) or leaf in page.names) else new)


def _unused(page: Page, statement: ast.ImportFrom, alias: ast.alias, full: str, book: Book) -> bool:
    """Whether nothing reads an imported name: neither the module, nor `__all__`, nor an import of the project."""
    scope = _scope(page, statement, full)
    if any(True for _ in page.loads(alias.asname or alias.name, scope)):
        return False
    return not interface.is_offered(page, scope, statement, alias, book)


def _holds(page: Page, finding: Finding, alias: ast.alias) -> bool:
    start, end = page.text.span(alias)
    return start <= page.text.offset(finding.place.line, finding.place.column) < end


def _new(full: str, book: Book, finding: Finding) -> Instead:
    said = finding.data.get("replacement") if full in (finding.data.get("used"), finding.data.get("name")) else None
    try:
        return instead(full, book.indices, said)
    except Refusal:
        if len(book.indices) > 1:
            newest = instead(full, book.indices[-1:])
            if not history.resolve(full, book.indices[0], full.count(".") + 1).missing:
                return replace(newest, newer=True)
        raise


def _from(book: Book, page: Page, statement: ast.ImportFrom, moved: Sequence[tuple[ast.alias, _Moved]]) -> Repair:
    if any(m.new is not None and m.new.newer for _, m in moved):
        return _both(book, page, statement, moved)
    text, spans = page.text, list[Span]()
    exact, gone, lines = True, list[ast.alias](), list[tuple[str, str]]()
    for alias, where in moved:
        local, new = alias.asname or alias.name, where.new
        if new is None or not new.dotted:
            exact = _may_go(page, statement, alias, where.full, book) and exact
            own, same = _every_use(page, statement, local, where.full, book)
            spans, exact = [*spans, *own], exact and same
            gone.append(alias)
            continue
        exact = exact and new.exact and _same(page, statement, alias, where, book)
        module, _, leaf = new.text.rpartition(".")
        keep = alias.asname is not None or where.kept
        written = leaf if local == leaf or not keep else f"{leaf} as {local}"
        if leaf != local and not keep:
            spans += [_renamed(page, node, leaf) for node in page.loads(local, _scope(page, statement, local))]
        lines.append((module, written))
        gone.append(alias)
    targets = {module for module, _ in lines}
    if len(lines) == len(statement.names) and len(targets) == 1:
        spans += import_parts.in_place(page, statement, targets.pop(), [w for _, w in lines])
    else:
        spans += import_parts.removed(page, statement, gone)
        at = text.span(statement)[1]
        existing = import_parts.others(page, statement)
        rest: list[tuple[str, str]] = []
        for module, written in lines:
            if module in existing:
                spans.append(import_parts.joined(page, existing[module], written))
            else:
                rest.append((module, written))
        indent = text.line(statement.lineno)[: statement.col_offset]
        if len(rest) > (len(gone) == len(statement.names)):
            import_parts.has_its_lines(page, statement)
        if len(gone) == len(statement.names):
            whole = [f"from {m} import {w}" for m, w in rest]
            start = text.span(statement)[0]
            if whole:
                spans.append(Span(start, at, f"\n{indent}".join(whole)))
            else:
                spans.append(import_parts.statement_gone(page, statement))
        elif rest:
            added = "".join(f"\n{indent}from {m} import {w}" for m, w in rest)
            end = text.offset(statement.end_lineno or statement.lineno, 1) + len(text.line(statement.end_lineno or 0))
            spans.append(Span(end, end, added))
    kind = Applicability.SAFE if exact else Applicability.UNSAFE
    unused = len(gone) == len(moved) and not lines and all(s.content in ("", "pass") for s in spans)
    says = "take out the import, which nothing uses" if unused else _DESCRIPTION
    return Repair(kind, says, [(page, s) for s in spans])


def _same(page: Page, statement: ast.ImportFrom, alias: ast.alias, where: _Moved, book: Book) -> bool:
    """Whether every use here means the same at the new place; refuses where one would not."""
    assert where.new is not None
    newest = book.indices[-1:] if where.new.newer else book.indices
    local, scope = alias.asname or alias.name, _scope(page, statement, where.full)
    same = fits.check_uses(page, scope, local, where.full, where.new.text, newest)
    return same and not (
        where.full in knowledge.table("repairs")["wider"] and interface.is_offered(page, scope, statement, alias, book)
    )


def _may_go(page: Page, statement: ast.ImportFrom, alias: ast.alias, full: str, book: Book) -> bool:
    """Whether nobody loses a name that isn't imported any more: no release of the target has it, or none can take it.

    Refuses where others take it.
    """
    local, scope = alias.asname or alias.name, _scope(page, statement, full)
    if interface.is_offered(page, scope, statement, alias, book):
        raise Refusal(f"others may take `{local}` from this module, and nothing can be imported in its place")
    lost = all(history.resolve(full, i, full.count(".") + 1).missing for i in book.indices)
    return lost or not interface.may_be_taken(page, scope, local)


def _scope(page: Page, statement: ast.stmt, local: str) -> Scope:
    scope = page.scope(statement)
    if scope is not None:
        return scope
    raise Refusal(f"where `{local}` is known can't be told")


def _every_use(page: Page, statement: ast.stmt, local: str, full: str, book: Book) -> tuple[list[Span], bool]:
    """(the spans for all uses of an imported name or module that are written in another way, whether all are sure)."""
    spans, exact = list[Span](), True
    is_module = any(history.is_module(full, i) for i in range(len(history.releases())))
    for name in page.loads(local, _scope(page, statement, local)):
        node: ast.expr = name
        used = full
        while is_module and any(history.is_module(used, i) for i in range(len(history.releases()))):
            parent = page.parent(node)
            if not isinstance(parent, ast.Attribute):
                raise Refusal(f"`{local}` is used as a whole")
            node, used = parent, f"{used}.{parent.attr}"
        if page.frozen(node):
            raise Refusal("it is used in an f-string")
        own, same = uses.at_site(page, node, used, None, book)
        spans, exact = [*spans, *own], exact and (same or used not in call_rows())
    return spans, exact


def _renamed(page: Page, node: ast.Name, leaf: str) -> Span:
    start, end = page.text.span(node)
    if page.frozen(node):
        raise Refusal("it is used in an f-string")
    return Span(start, end, leaf)


def _both(book: Book, page: Page, statement: ast.ImportFrom, moved: Sequence[tuple[ast.alias, _Moved]]) -> Repair:
    """Old and new place, whichever the installed release has: the target range needs both."""
    if isinstance(page.parent(statement), ast.Try):
        raise Refusal("the target's releases need both names")
    import_parts.has_its_lines(page, statement)
    by_module: dict[str, list[str]] = {}
    old, exact = list[str](), True
    for alias, where in moved:
        if where.new is None or not where.new.newer:
            raise Refusal("some of the names moved in all of the target's releases, others in some")
        module, _, leaf = where.new.text.rpartition(".")
        local = alias.asname or alias.name
        by_module.setdefault(module, []).append(leaf if leaf == local else f"{leaf} as {local}")
        old.append(alias.name if alias.asname is None else f"{alias.name} as {local}")
        exact = exact and where.new.exact and _same(page, statement, alias, where, book)
    start, end = page.text.span(statement)
    indent = page.text.line(statement.lineno)[: statement.col_offset]
    deeper = indent + page.text.indent
    new = [f"{deeper}from {module} import {', '.join(names)}" for module, names in by_module.items()]
    kept = f"{deeper}from {statement.module} import {', '.join(old)}"
    lines = [f"{indent}try:", *new, f"{indent}except ImportError:", kept]
    if len(moved) == len(statement.names):
        if "#" in page.text.text[start:end]:
            raise Refusal("a comment stands between the imported names")
        spans = [Span(start, end, "\n".join(lines)[len(indent) :])]
    else:
        last = statement.end_lineno or statement.lineno
        after = page.text.offset(last, 1) + len(page.text.line(last))
        spans = [
            *import_parts.removed(page, statement, [a for a, _ in moved]),
            Span(after, after, "\n" + "\n".join(lines)),
        ]
    kind = Applicability.SAFE if exact else Applicability.UNSAFE
    return Repair(kind, "import it from where each release of the target has it", [(page, s) for s in spans])


def _whole_module(finding: Finding, book: Book, page: Page, statement: ast.Import) -> Repair:
    """`import jax.old as x`: the module's new name; without `as`, everywhere it is spelled out."""
    alias = next((a for a in statement.names if _holds(page, finding, a)), None)
    if alias is None:
        raise Refusal("which import it is can't be told")
    said = finding.data.get("replacement") if alias.name == str(finding.data.get("name") or "") else None
    try:
        new = instead(alias.name, book.indices, said)
    except Refusal:
        new = module_members.home(book, page, _scope(page, statement, alias.name), alias, said)
    if not all(history.is_module(new.text, i) for i in book.indices):
        raise Refusal(f"`{new.text}` isn't a module")
    if alias.asname is not None:
        fits.check_uses(page, _scope(page, statement, alias.name), alias.asname, alias.name, new.text, book.indices)
    start, _ = page.text.span(alias)
    spans = [Span(start, start + len(alias.name), new.text)]
    if alias.asname is None:
        prefix = alias.name
        for spot in page.walk.spots:
            node = spot.node
            while isinstance(node, ast.Attribute):
                if ast.unparse(node) == prefix and page.dotted(node) == prefix:
                    member = page.parent(node)
                    if isinstance(member, ast.Attribute):
                        names = (f"{prefix}.{member.attr}", f"{new.text}.{member.attr}")
                        fits.check(page, member, *names, book.indices)
                    a, b = page.text.span(node)
                    spans.append(Span(a, b, new.text))
                node = node.value
    kind = Applicability.SAFE if new.exact else Applicability.UNSAFE
    return Repair(kind, _DESCRIPTION, [(page, s) for s in spans])
