"""Which expressions a repair changes, and both texts with probes around them, which tell whether they are evaluated."""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from omnilint.fixes.differing import pairs
from omnilint.fixes.edited_functions import functions
from omnilint.model import Place

Json = dict[str, Any]
NAME = "__omnilint_probe__"
UNSEEN = -1  # the number of what has to be evaluated, and nothing can stand around

_NOTHING: Mapping[str, Any] = {}
_LINE = re.compile(r"\r\n|\r|\n")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NEVER = (ast.Slice, ast.Starred, ast.FormattedValue)
# Fields that no run evaluates for sure, or whose value nothing depends on.
_WORDS = frozenset(("annotation", "returns", "type_params", "type_comment"))


class Probed(NamedTuple):
    """One side of a repair: texts with probes by file, and what a run of them has to tell.

    `asked`: numbers of probes that have to be passed; `inside`: those of them that stand in functions.
    `used`: defaults that a call has to take, by probe, function and parameter. `entered`: functions to be called.
    """

    texts: dict[str, str]
    asked: list[int]
    inside: list[int]
    used: list[Json]
    entered: list[str]

    def request(self) -> Json:
        """What the worker has to know of it."""
        return {"inside": self.inside, "used": self.used}


# A place before a repair, and where it is after it.
Need = tuple[Place, Place]


def probed(
    before: Mapping[str, str], after: Mapping[str, str], needs: Mapping[str, Sequence[Need]] = _NOTHING
) -> tuple[Probed, Probed]:
    """Both sides of a repair; texts are by file, and so are the unedited places that have to be evaluated too."""
    sides = Probed(dict(before), [], [], [], []), Probed(dict(after), [], [], [], [])
    for file, text in after.items():
        if before.get(file, text) == text:
            continue
        trees = [_Tree(file, t) for t in (before[file], text)]
        both = trees[0].known.keys() & trees[1].known.keys()
        for pair in pairs(trees[0].tree, trees[1].tree):
            places = [list(t.places(n, both)) if n is not None else [] for t, n in zip(trees, pair, strict=True)]
            for i, tree in enumerate(trees):
                tree.ask(places[i], [n for n in (pair[1 - i], *places[1 - i]) if n is not None], both)
        for need in needs.get(file, ()):
            for place, tree in zip(need, trees, strict=True):
                tree.ask(list(tree.places(tree.at(place), both)), (), both)
        for side, tree in zip(sides, trees, strict=True):
            tree.write(side)
    return sides


class _Tree:
    """One text, and what is asked of it."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self.tree = ast.parse(text)
        starts = [0, *(m.end() for m in _LINE.finditer(text))]
        self.lines = [(a, text[a:b]) for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
        self.parents: dict[ast.AST, tuple[ast.AST, str]] = {}
        for parent in ast.walk(self.tree):
            for name, value in ast.iter_fields(parent):
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        self.parents[child] = parent, name
        self.known = dict(functions(self.tree))
        self.which = {node: which for which, node in self.known.items()}
        self.asked: dict[ast.expr, bool] = {}
        self.unseen = False
        self.used: list[tuple[ast.expr, str, str]] = []
        self.entered: list[str] = []

    def at(self, place: Place) -> ast.AST:
        """The smallest node that holds a place."""
        first, last = (place.line, place.column - 1), (place.end_line, place.end_column - 1)
        best: ast.AST = self.tree
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.expr, ast.stmt)) and node.lineno <= first[0] and (node.end_lineno or 0) >= last[0]:
                start, end = self._span(node)
                if start <= self._start(*first) and end >= self._start(*last):
                    best = node
        return best

    def ask(self, places: Sequence[ast.expr], others: Sequence[ast.AST], both: Collection[str]) -> None:
        """Ask whether expressions are evaluated, for which `others` stand on the other side."""
        there = {ast.dump(n) for other in others for n in ast.walk(other)}
        for place in places:
            self._probe(place)
            for part in _at_times(place) if others else ():  # what is new in it may be skipped by itself
                if ast.dump(part) not in there:
                    inner = list(self.places(part, both))
                    self.unseen |= inner != [part]
                    for expression in inner:
                        self._probe(expression)

    def places(self, node: ast.AST, both: Collection[str]) -> Iterator[ast.expr]:
        """The expressions to stand around: the node's own, or those of what holds it."""
        skipped = False
        while not isinstance(node, ast.stmt):
            parent, name = self.parents.get(node, (None, ""))
            if name in _WORDS or parent is None:
                return
            if isinstance(node, ast.expr) and self._can_stand(node):
                while (
                    isinstance(parent, ast.expr)
                    and (name in ("func", "value"))
                    and isinstance(parent, (ast.Call, ast.Attribute))
                ):
                    node = parent
                    parent, name = self.parents[node]
                self.unseen |= skipped
                yield node
                return
            skipped |= node in _at_times(parent)
            node = parent
        yield from self._of_statement(node, both)

    def _of_statement(self, node: ast.stmt, both: Collection[str]) -> Iterator[ast.expr]:
        """What a statement evaluates whenever it runs; of one with a body the simple ones of it as well."""
        which = self.which.get(node)  # type: ignore[call-overload]
        if isinstance(node, _FUNCTIONS) and which in both:
            self.entered.append(f"{self.file}\0{which}")
            return
        for name in ("value", "test", "iter", "subject", "exc"):
            value = getattr(node, name, None)
            words = isinstance(node, ast.Expr) and isinstance(value, ast.Constant)
            if isinstance(value, ast.expr) and not words and self._can_stand(value):
                yield value
        for item in getattr(node, "items", ()):
            yield item.context_expr
        if isinstance(node, (*_FUNCTIONS, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try)):
            for inner in node.body:
                yield from self._of_statement(inner, both)

    def _can_stand(self, node: ast.expr) -> bool:
        """Whether `node` may become the argument of a call, by itself."""
        if not isinstance(getattr(node, "ctx", None) or ast.Load(), ast.Load) or isinstance(node, _NEVER):
            return False
        parent, name = self.parents[node]
        if isinstance(node, ast.GeneratorExp) and isinstance(parent, ast.Call) and name == "args":
            return len(parent.args) + len(parent.keywords) > 1  # else both share the parentheses
        if isinstance(parent, ast.Subscript) and isinstance(node, ast.Tuple):
            return not any(isinstance(x, _NEVER) for x in node.elts)
        above: ast.AST | None = parent
        while above is not None and not isinstance(above, ast.stmt):
            if isinstance(above, (ast.JoinedStr, ast.pattern)):  # before Python 3.12 nobody knows where parts stand
                return False
            above = self.parents[above][0] if above in self.parents else None
        return True

    def _probe(self, node: ast.expr) -> None:
        """Have a probe around an expression, and ask for what it depends on that it matters."""
        if node in self.asked:
            return
        self.asked[node] = False
        child: ast.AST = node
        while child in self.parents:
            parent, name = self.parents[child]
            if isinstance(parent, ast.arguments) and name in ("defaults", "kw_defaults"):
                holder = self.parents[parent][0]
                if holder in self.which:
                    self.used.append((node, self.which[holder], _parameter(parent, child)))
            elif name == "decorator_list" and parent in self.which:
                self.entered.append(f"{self.file}\0{self.which[parent]}")
            elif isinstance(parent, (*_FUNCTIONS, ast.Lambda)) and name == "body":
                self.asked[node] = True
            child = parent

    def write(self, side: Probed) -> None:
        """Put the probes into the text, and what is asked into the side."""
        number = {node: len(side.asked) + i for i, node in enumerate(self.asked)}
        side.asked.extend(number.values())
        side.inside.extend(number[node] for node, inside in self.asked.items() if inside)
        if self.unseen:
            side.asked.append(UNSEEN)
        for node, which, parameter in self.used:
            side.used.append({"id": number[node], "function": f"{self.file}\0{which}", "parameter": parameter})
        side.entered.extend(x for x in self.entered if x not in side.entered)
        side.texts[self.file] = self._with(number)

    def _with(self, number: Mapping[ast.expr, int]) -> str:
        """The text with probes; as it is, so that none is passed, where they can't be put in."""
        put: list[tuple[int, int, int, str]] = []
        for node, n in number.items():
            start, end = self._span(node)
            apart = " " if start and (self.text[start - 1].isalnum() or self.text[start - 1] == "_") else ""
            put.append((start, 1, -end, f"{apart}{NAME}({n}, ("))
            put.append((end, 0, -start, "))"))
        out, at = list[str](), 0
        for where, _, _, what in sorted(put):
            out += [self.text[at:where], what]
            at = where
        text = "".join([*out, self.text[at:]])
        with contextlib.suppress(SyntaxError, ValueError):
            if ast.dump(_Without().visit(ast.parse(text))) == ast.dump(self.tree):
                return text
        return self.text

    def _start(self, line: int, column: int) -> int:
        """The offset of a line and a column of characters, counted from 0."""
        return self.lines[line - 1][0] + column

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """The offsets of a node; `ast` counts bytes of UTF-8."""
        ends = ((node.lineno, node.col_offset), (node.end_lineno or node.lineno, node.end_col_offset or 0))
        found = []
        for line, column in ends:
            start, text = self.lines[line - 1]
            found.append(start + len(text.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore")))
        return found[0], found[1]


class _Without(ast.NodeTransformer):
    """Takes probes out."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """The argument of a probe; other calls stay."""
        self.generic_visit(node)
        return node.args[1] if isinstance(node.func, ast.Name) and node.func.id == NAME else node


def _parameter(arguments: ast.arguments, default: ast.AST) -> str:
    """The parameter that has this default."""
    if default in arguments.kw_defaults:
        return arguments.kwonlyargs[arguments.kw_defaults.index(default)].arg
    given = [*arguments.posonlyargs, *arguments.args]
    return given[len(given) - len(arguments.defaults) + arguments.defaults.index(default)].arg  # type: ignore[arg-type]


def _at_times(node: ast.AST) -> list[ast.expr]:
    """The expressions in a node, or in what it holds, that are not evaluated whenever it is."""
    found: list[ast.expr] = []
    for n in ast.walk(node):
        if isinstance(n, ast.IfExp):
            found += [n.body, n.orelse]
        elif isinstance(n, ast.BoolOp):
            found += n.values[1:]
        elif isinstance(n, ast.Compare):
            found += n.comparators[1:]
        elif isinstance(n, ast.Lambda):
            found.append(n.body)
        elif isinstance(n, ast.DictComp):
            found += [n.key, n.value]
        elif isinstance(n, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            found.append(n.elt)
        elif isinstance(n, ast.comprehension):
            found += n.ifs
        elif isinstance(n, ast.Assert) and n.msg is not None:
            found.append(n.msg)
    return found
