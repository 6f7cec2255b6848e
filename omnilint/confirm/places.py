"""Where a finding stands, in terms of what runs: the statement's lines and the names on it."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from omnilint.confirm.conditional import always
from omnilint.confirm.operand import operand
from omnilint.index.module import ModuleIndex
from omnilint.index.project import Project
from omnilint.model import Finding, Place


@dataclass(frozen=True, slots=True)
class Span:
    """Lines of one file, both ends included."""

    file: str
    first: int
    last: int

    def holds(self, file: str, line: int) -> bool:
        """Whether a line of a file lies inside."""
        return self.file == file and self.first <= line <= self.last


@dataclass(frozen=True, slots=True)
class Site:
    """A finding's place and related places as spans, the names read or written there, its statement.

    `always`: the place is evaluated each time its line runs. `operand` asks whether the value that the finding is
    about is a traced one; without it the names tell. `parts` are the place and the related ones to the column,
    where an exception has to come from one of them.
    """

    module: ModuleIndex
    place: Span
    related: tuple[Span, ...]
    names: tuple[str, ...]
    written: tuple[str, ...]
    statement: ast.stmt | None
    always: bool = True
    operand: list[Any] | None = None
    parts: tuple[Place, ...] = ()

    def holds(self, file: str, line: int) -> bool:
        """Whether the line is the finding's own or one of its related ones."""
        return any(s.holds(file, line) for s in (self.place, *self.related))

    def raised(self, frame: Sequence[Any]) -> bool:
        """Whether an exception's frame is at the place or a related one: at that part of the line, where it is known.

        What holds a place inside of it, or is held, is the same part: a call fails for its arguments.
        """
        file, line, position = frame[0], frame[1], frame[4] if len(frame) > 4 else None
        if not self.holds(file, line):
            return False
        if not self.parts or position is None or not self.place.holds(file, line):
            return True
        start, end = (position[0], position[2] + 1), (position[1], position[3] + 1)
        return any(start < (p.end_line, p.end_column) and (p.line, p.column) < end for p in self.parts)


def real_file(module: ModuleIndex) -> str:
    """The path that the worker will know the module's code by."""
    return _real(module.source.file or module.source.path)


@lru_cache(maxsize=4096)
def _real(path: str) -> str:
    return os.path.realpath(path)


def by_path(project: Project) -> dict[str, ModuleIndex]:
    """The project's modules by the path that findings name."""
    return {m.path: m for m in project.modules()}


def header(statement: ast.stmt) -> tuple[int, int]:
    """First and last line of a statement without the block it may carry."""
    first = _first(statement)
    last = statement.end_lineno or statement.lineno
    body = getattr(statement, "body", None) or getattr(statement, "cases", None)
    if isinstance(body, list) and body:
        inner = body[0]
        start = (
            min([inner.lineno, *(d.lineno for d in getattr(inner, "decorator_list", ()))])
            if isinstance(inner, ast.stmt)
            else inner.pattern.lineno
        )
        last = max(statement.lineno, start - 1) if start > statement.lineno else statement.lineno
    return first, last


def statements_at(module: ModuleIndex, place: Place) -> list[ast.stmt]:
    """The statements that hold the place's first line, the outermost first."""
    found: list[ast.stmt] = []
    inside: list[ast.stmt] = module.tree.body
    while inside:
        held = [s for s in inside if _first(s) <= place.line <= (s.end_lineno or s.lineno)]
        if not held:
            break
        found.append(held[-1])
        inside = list(_blocks(held[-1]))
    return found


def statement_at(module: ModuleIndex, place: Place) -> ast.stmt | None:
    """The innermost statement that holds the place's first line."""
    return next(reversed(statements_at(module, place)), None)


def _blocks(statement: ast.stmt) -> Iterator[ast.stmt]:
    """The statements of all blocks that a statement carries."""
    for field in ("body", "orelse", "finalbody"):
        yield from getattr(statement, field, ())
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield from part.body


def _first(statement: ast.stmt) -> int:
    """The first line of a statement, its decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(d.lineno for d in decorators)])


def _chain(node: ast.expr) -> str | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def _header_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement that belong to its own lines."""
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        yield node
        for field, value in ast.iter_fields(node):
            if node is statement and field in ("body", "orelse", "finalbody", "handlers", "cases"):
                continue
            stack.extend(v for v in (value if isinstance(value, list) else [value]) if isinstance(v, ast.AST))


def _names(statement: ast.stmt, place: Place | None) -> Iterator[str]:
    for node in _header_nodes(statement):
        if not isinstance(node, ast.Name | ast.Attribute):
            continue
        if place is not None and not _touches(node, place):
            continue
        chain = _chain(node)
        if chain is not None:
            yield chain


def _touches(node: ast.expr, place: Place) -> bool:
    start = (node.lineno, node.col_offset + 1)
    end = (node.end_lineno or node.lineno, (node.end_col_offset or node.col_offset) + 1)
    return start < (place.end_line, place.end_column) and (place.line, place.column) < end


def _words(statement: ast.stmt) -> Iterator[str]:
    """Identifiers and string constants on the statement: what a path to outer state may mention."""
    for node in _header_nodes(statement):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.FunctionDef) and node is statement:
            yield node.name  # a function that keeps what it made is itself the place


def span(module: ModuleIndex, place: Place) -> Span:
    """The lines of the statement that holds the place."""
    statement = statement_at(module, place)
    first, last = header(statement) if statement is not None else (place.line, place.end_line)
    return Span(real_file(module), min(first, place.line), max(last, place.line))


def site(finding: Finding, modules: dict[str, ModuleIndex]) -> Site | None:
    """What confirm needs to know of the finding's place; None when it is not in a module of the project."""
    module = modules.get(finding.place.path)
    if module is None:
        return None
    around = statements_at(module, finding.place)
    statement = around[-1] if around else None
    related = tuple(span(modules[r.place.path], r.place) for r in finding.related if r.place.path in modules)
    names: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    if statement is not None:
        inside = list(_names(statement, finding.place))
        # A place of one character, or of a whole line, says nothing about which names are meant.
        names = tuple(dict.fromkeys(inside or _names(statement, None)))
        written = tuple(dict.fromkeys(_words(statement)))
    here = span(module, finding.place)
    if isinstance(statement, ast.FunctionDef) and finding.code.startswith("OMN2"):
        # What a whole function does, such as keeping its results, it does when it is called, not when it is defined.
        here = Span(here.file, statement.body[0].lineno, statement.end_lineno or statement.lineno)
    parts: tuple[Place, ...] = ()
    if finding.code.startswith(("OMN1", "OMN5")):
        parts = (finding.place, *(r.place for r in finding.related if r.place.path == finding.place.path))
    asked, each_time = operand(finding, statement), always(around, finding.place)
    return Site(module, here, related, names, written, statement, each_time, asked, parts)
