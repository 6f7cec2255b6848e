"""Where even loose-looking tolerances matter: half precision, literals next to 1, finite differences."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from omnilint.index.module import ModuleIndex
from omnilint.rounding import spots


@dataclass(frozen=True)
class Reach:
    """Functions by qualified name; `everywhere`: all of them, and the module's body."""

    functions: frozenset[str] = frozenset()
    everywhere: bool = False

    def __contains__(self, qualname: str) -> bool:
        return self.everywhere or qualname in self.functions


NOWHERE = Reach()
# What runs before every test of a class.
SETUP = frozenset({"setUp", "setUpClass", "setup_method", "setup_class"})

_COARSE = ("float16", "bfloat16", ".half", '"half"', "'half'", '"f2"', "'f2'", ".9999", "1.0000")
# A difference of two calls, or of two values that is divided: perhaps a finite difference.
_CALLS = re.compile(r"\)\s*-\s*\w[\w.]*\(")
_PARTS = re.compile(r"-\s*\w[\w.\[\]]*\)\s*[/*]")


def strict(module: ModuleIndex, layout: spots.Layout) -> Reach:
    """The functions in which loose-looking tolerances matter too, by what they mention."""
    return reach(module, layout, _lines(module))


def around(module: ModuleIndex, layout: spots.Layout, lines: Iterable[int]) -> Reach:
    """The functions of `reach`, and those that they mention in turn: they work with the same values."""
    found = reach(module, layout, lines)
    marked = set(found.functions)
    pending = [d for d in layout.functions if d.qualname in marked]
    while pending and not found.everywhere:
        words = set().union(*(d.identifiers for d in pending))
        pending = [d for d in layout.functions if d.qualname not in marked and d.node.name in words]
        marked |= {d.qualname for d in pending}
    return Reach(frozenset(marked), found.everywhere)


def reach(module: ModuleIndex, layout: spots.Layout, lines: Iterable[int]) -> Reach:
    """The functions that hold one of the lines, or mention what does, over and over."""
    marked: set[str] = set()
    words: set[str] = set()
    for line in lines:
        function = layout.at(line)
        if function is not None:
            marked.add(function.qualname)
            words.add(function.owner)
            continue
        names = _bound_at(module.tree.body, line)
        if names is None:
            return Reach(frozenset(marked), True)
        words |= names
    marked, _ = spots.callers(layout, marked, words - {""})
    everywhere = any(d.qualname in marked and d.node.name in SETUP for d in layout.functions)
    return Reach(frozenset(marked), everywhere)


def _lines(module: ModuleIndex) -> Iterator[int]:
    text = module.source.text
    yield from spots.lines_with(_COARSE, text)
    lines = sorted({*spots.lines_of(_CALLS, text), *spots.lines_of(_PARTS, text)})
    if lines:
        for node in spots.nodes_on(module.tree.body, lines):
            if isinstance(node, ast.BinOp) and _quotient(node):
                yield node.lineno


def _quotient(node: ast.BinOp) -> bool:
    """`f(x + h) - f(x)`: the same function twice; or `(after - before) / step`."""
    left, right = node.left, node.right
    if isinstance(node.op, ast.Sub) and isinstance(left, ast.Call) and isinstance(right, ast.Call):
        return spots.name_of(left.func) == spots.name_of(right.func)
    if isinstance(node.op, ast.Div) and isinstance(left, ast.BinOp) and isinstance(left.op, ast.Sub):
        parts = (left.left, left.right)
        return all(isinstance(p, (ast.Name, ast.Call)) for p in parts) and not isinstance(right, ast.Call)
    return False


def _bound_at(body: Sequence[ast.stmt], line: int) -> set[str] | None:
    """The names that a statement outside of functions binds, and the class that holds it; None when it binds none."""
    for statement in body:
        if statement.lineno <= line <= (statement.end_lineno or statement.lineno):
            if isinstance(statement, ast.ClassDef):
                return {statement.name, *(_bound_at(statement.body, line) or ())}
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                return {a.asname or a.name for a in statement.names}
            nodes = spots.nodes_of(statement)
            return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)} or None
    return set()  # a comment
