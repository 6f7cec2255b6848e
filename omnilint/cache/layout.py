"""A module cut into its functions' bodies and all the rest: what depends on one part outlives changes of the others.

What stands outside of the bodies, and what is read off the bodies without entering them, is the module's face. Blank
lines and comments of their own line belong to no part: they only move the others.
"""

from __future__ import annotations

import ast
import bisect
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from omnilint.cache import keys
from omnilint.index.module import FunctionNode, ModuleIndex

FACE = 0
# For each part, the first and last line of its runs.
Runs = Sequence[Sequence[Sequence[int]]]

_INNER = ("body", "orelse", "finalbody", "handlers", "cases")
_OWN_SCOPE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass
class Layout:
    """The lines of each part: of the face, then of each body; `bodies` has their numbers by the line of the `def`."""

    module: ModuleIndex
    parts: list[list[int]] = field(default_factory=list)
    bodies: dict[int, int] = field(default_factory=dict)

    def face(self, entered: Iterable[int]) -> str:
        """All but the bodies; the body of a function that imports enter, given by its line, is part of the face."""
        m, lines = self.module, self.parts[FACE]
        starts = [bisect.bisect(lines, part[0]) for part in self.parts[1:]]
        # The same name twice has a line number in it.
        stored = sorted((name.partition("@")[0], sorted(d.stored)) for name, d in m.definitions.items())
        bound = (sorted(m.imports.items()), m.stars, sorted(m.roots), sorted(m.rebound))
        return keys.digest(self.text(FACE), starts, self.inside(sorted(self.numbers(entered))), stored, bound)

    def numbers(self, lines: Iterable[int]) -> set[int]:
        """The bodies of the functions on these lines."""
        return {self.bodies[line] for line in lines if line in self.bodies}

    def inside(self, numbers: Iterable[int]) -> list[tuple[int, str]]:
        """What these parts say, "" for one that isn't there any more."""
        return [(n, self.text(n)) for n in numbers]

    def text(self, n: int) -> str:
        """The lines of a part."""
        return "\n".join(self.module.lines[line - 1] for line in self.parts[n]) if n < len(self.parts) else ""

    def runs(self) -> Runs:
        """The lines of all parts, in short."""
        return [list(_runs(part)) for part in self.parts]

    def moved(self, line: int, before: Runs, visible: Container[int]) -> int | None:
        """Where a line is today that was in a part that is as it was, `before` it moved; None for any other line."""
        for n, runs in enumerate(before):
            passed = 0
            for first, last in runs:
                if first <= line <= last:
                    return self.parts[n][passed + line - first] if n in visible else None
                passed += last - first + 1
        return None


def layout(module: ModuleIndex) -> Layout:
    """The layout of a module, which is parsed for it if it wasn't yet."""
    found = Layout(module)
    owner = [FACE] * (len(module.lines) + 2)
    for number, function in enumerate(_functions(module.tree.body), 1):
        found.bodies[function.lineno] = number
        first, last = _first(function.body[0]), function.end_lineno or function.lineno
        owner[first : last + 1] = [number] * (last + 1 - first)
    found.parts = [[] for _ in range(len(found.bodies) + 1)]
    kept = _statement_lines(module)
    for line, text in enumerate(module.lines, 1):
        if kept[line] or text.strip()[:1] not in ("", "#"):
            found.parts[owner[line]].append(line)
    return found


def _functions(statements: Iterable[ast.stmt]) -> Iterator[FunctionNode]:
    """The functions of module and class level whose bodies have lines of their own."""
    for s in statements:
        if isinstance(s, ast.ClassDef):
            yield from _functions(s.body)
        elif isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef)) and _first(s.body[0]) > _head(s):
            yield s


def _statement_lines(module: ModuleIndex) -> bytearray:
    """Lines inside of statements, where a blank line or a `#` can be part of a string."""
    kept = bytearray(len(module.lines) + 2)
    holders: list[ast.AST] = [module.tree]
    for holder in holders:
        for part in _INNER:
            for node in getattr(holder, part, ()):
                holders.append(node)
                if isinstance(node, ast.stmt):
                    first, last = _first(node), _last(node)
                    kept[first : last + 1] = b"\1" * (last + 1 - first)
    return kept


def _last(s: ast.stmt) -> int:
    """The last line of a statement, of a compound one that of its header."""
    if isinstance(s, _OWN_SCOPE):
        return _head(s)
    inner: list[ast.stmt] = getattr(s, "body", [])
    return max(s.lineno, _first(inner[0]) - 1) if inner else s.end_lineno or s.lineno


def _first(s: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(s, "decorator_list", [])
    return min([s.lineno, *(d.lineno for d in decorators)])


def _head(s: FunctionNode | ast.ClassDef) -> int:
    """The last line of what stands before the body."""
    parts: list[ast.AST] = [*s.decorator_list, *getattr(s, "type_params", ())]
    if isinstance(s, ast.ClassDef):
        parts += [*s.bases, *s.keywords]
    else:
        a = s.args
        given = [*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg, *a.defaults, *a.kw_defaults, s.returns]
        parts += [x for x in given if x is not None]
    return max([s.lineno, *(getattr(x, "end_lineno", 0) or 0 for x in parts)])


def _runs(lines: Sequence[int]) -> Iterator[tuple[int, int]]:
    first = 0
    for i, line in enumerate(lines):
        if i + 1 == len(lines) or lines[i + 1] != line + 1:
            yield lines[first], line
            first = i + 1
