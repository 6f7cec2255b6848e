"""What a fixer may ask of a module: nodes by place, their parents and scopes, what names stand for."""

from __future__ import annotations

import ast
import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from omnilint.api.scopes import Binding, Scope, resolve
from omnilint.api.spots import Walk
from omnilint.api.walk import walk_module
from omnilint.fixes import comments, shadowing
from omnilint.fixes.inside import Inside
from omnilint.fixes.text import Span, Text, clash, trimmed
from omnilint.index.module import ModuleIndex
from omnilint.index.project import Project
from omnilint.model import Applicability, Edit, Finding, Fix, Place, Source

Function = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Refusal(Exception):
    """No repair is offered; the message says why, for people."""


class Settled(Refusal):
    """Nor is any other repair that could be tried."""


@dataclass(frozen=True)
class Repair:
    """What a fixer proposes: spans to replace, by module, and the parameters that become static by it."""

    applicability: Applicability
    description: str
    spans: Sequence[tuple[Page | Text, Span]]
    static: Sequence[str] = ()

    def fix(self) -> Fix:
        """The repair as findings carry it; each span once, in the order of the text.

        Refused where two of them clash, or a comment would be lost.
        """
        edits: dict[Edit, None] = {}
        by_text: dict[str, list[Span]] = {}
        for own in {id(page): page for page, _ in self.spans if isinstance(page, Page)}.values():
            if comments.lost(own.text, dict.fromkeys(span for page, span in self.spans if page is own)) is not None:
                raise Refusal("a comment stands inside of what would be written anew")
        for page, span in self.spans:
            text = page if isinstance(page, Text) else page.text
            span = trimmed(text.text, text.native(span))
            if span.start == span.end and not span.content:
                continue
            others = by_text.setdefault(text.source.path, [])
            if any(clash(span, other) for other in others):
                raise Refusal("its parts overlap")
            others.append(span)
            edits[text.edit(span)] = None
        if not edits:
            raise Refusal("nothing would change")
        return Fix(self.applicability, self.description, tuple(sorted(edits, key=lambda e: (e.place, e.content))))


class Page:
    """One module as fixers see it."""

    def __init__(self, module: ModuleIndex) -> None:
        self.module = module
        self.text = Text(module.source)
        self.tree = module.tree

    @cached_property
    def walk(self) -> Walk:
        """Scopes and spots of the module."""
        return walk_module(self.tree, self.module.package)

    @cached_property
    def _scopes(self) -> dict[int, Scope]:
        return {id(spot.node): spot.scope for spot in self.walk.spots}

    @cached_property
    def _scopes_of_statements(self) -> dict[int, Scope]:
        found: dict[int, Scope] = {}
        for spot in self.walk.spots:
            found.setdefault(id(spot.statement), spot.scope)
        return found

    @cached_property
    def _parents(self) -> dict[int, ast.AST]:
        found: dict[int, ast.AST] = {}
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                found[id(child)] = node
        return found

    @cached_property
    def names(self) -> frozenset[str]:
        """Every identifier that the module mentions, binds or imports."""
        found = set(self.module.identifiers) | set(self.module.imports)
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                found.add(node.name)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, ast.Name):
                found.add(node.id)
        return frozenset(found)

    @cached_property
    def shadows(self) -> shadowing.Shadows:
        """What the names that repairs write mean, by the place that they would be read at."""
        return shadowing.Shadows(self.tree)

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The names of all parameters of all functions."""
        return frozenset(node.arg for node in ast.walk(self.tree) if isinstance(node, ast.arg))

    @cached_property
    def imports(self) -> list[ast.Import | ast.ImportFrom]:
        """The import statements that run whenever the module does."""
        return [s for s in self.tree.body if isinstance(s, (ast.Import, ast.ImportFrom))]

    @cached_property
    def star_imports(self) -> list[ast.ImportFrom]:
        """The star imports of the module, in the order of its text."""
        found = [n for n in ast.walk(self.tree) if isinstance(n, ast.ImportFrom) and n.names[0].name == "*"]
        return sorted(found, key=lambda n: n.lineno)

    @cached_property
    def last_lines(self) -> Mapping[int, int]:
        """Where the statements at the top level that begin on a line end at the latest."""
        found: dict[int, int] = {}
        for s in self.tree.body:
            found[s.lineno] = max(found.get(s.lineno, 0), s.end_lineno or s.lineno)
        return found

    @cached_property
    def _import_spans(self) -> list[tuple[int, int, ast.Import | ast.ImportFrom]]:
        found = [n for n in ast.walk(self.tree) if isinstance(n, (ast.Import, ast.ImportFrom))]
        return sorted(((*self.text.span(n), n) for n in found), key=lambda entry: entry[0])

    def import_at(self, place: Place) -> ast.Import | ast.ImportFrom | None:
        """The import statement, anywhere in the module, that a place lies in."""
        offset = self.text.offset(place.line, place.column)
        i = bisect.bisect_right(self._import_spans, offset, key=lambda entry: entry[0])
        if i == 0:
            return None
        _, end, node = self._import_spans[i - 1]
        return node if offset < end else None

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node that holds `node`."""
        return self._parents.get(id(node))

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around `node`, the nearest first."""
        at = self.parent(node)
        while at is not None:
            yield at
            at = self.parent(at)

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that holds `node`, or is it."""
        for n in (node, *self.above(node)):
            if isinstance(n, ast.stmt):
                return n
        raise Refusal("it stands in no statement")

    def function(self, node: ast.AST) -> ast.AST | None:
        """The innermost function or lambda around `node`."""
        return next((n for n in self.above(node) if isinstance(n, Function)), None)

    def frozen(self, node: ast.AST) -> bool:
        """Whether the node's place can't be trusted, or edited: it stands in an f-string or an annotation in quotes."""
        return any(isinstance(n, ast.JoinedStr) for n in self.above(node))

    def scope(self, node: ast.AST) -> Scope | None:
        """The scope that a name, attribute or call is read in."""
        return self._scopes.get(id(node))

    def scope_within(self, statement: ast.stmt) -> Scope | None:
        """The scope that a statement stands in, where something is read in it."""
        return self._scopes_of_statements.get(id(statement))

    def dotted(self, node: ast.AST) -> str | None:
        """The one dotted name that an expression stands for, when it is sure."""
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return None
        scope = self.scope(node)
        base: ast.AST | None = node
        while scope is None and base is not None:  # an inner part of a chain has the scope of the whole
            base = self.parent(base)
            scope = self.scope(base) if isinstance(base, ast.Attribute) else None
            if not isinstance(base, ast.Attribute):
                break
        if scope is None:
            return None
        found = {d.name for d in resolve(node, scope)}
        return found.pop() if len(found) == 1 else None

    def bindings(self, name: ast.Name) -> tuple[Scope, list[Binding]] | None:
        """The scope that a name is bound in, and how."""
        scope = self.scope(name)
        return scope.lookup(name.id) if scope is not None else None

    @cached_property
    def _read(self) -> dict[str, list[tuple[Scope, ast.Name]]]:
        found: dict[str, list[tuple[Scope, ast.Name]]] = {}
        seen: set[int] = set()
        for spot in self.walk.spots:
            node = spot.node
            while isinstance(node, ast.Attribute):
                node = node.value
            if isinstance(node, ast.Name) and id(node) not in seen:
                seen.add(id(node))
                found.setdefault(node.id, []).append((spot.scope, node))
        return found

    def reads(self, name: str) -> Sequence[tuple[Scope, ast.Name]]:
        """Every spot with `name` in it, once, with the scope that it stands in."""
        return self._read.get(name, ())

    @cached_property
    def _named(self) -> dict[str, list[ast.Attribute | ast.Name]]:
        found: dict[str, list[ast.Attribute | ast.Name]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Attribute):
                found.setdefault(node.attr, []).append(node)
            elif isinstance(node, ast.Name):
                found.setdefault(node.id, []).append(node)
        return found

    def mentions(self, name: str) -> Sequence[ast.Attribute | ast.Name]:
        """Every name and attribute of this name, read or bound."""
        return self._named.get(name, ())

    def is_unbound(self, name: str) -> bool:
        """Whether the module reads a name somewhere that nothing in it binds: a builtin, or what `import *` gives."""
        return any(scope.lookup(name) is None for scope, _ in self.reads(name))

    def loads(self, name: str, scope: Scope) -> Iterator[ast.Name]:
        """Every place that reads `name` as bound in `scope`, once."""
        for where, node in self.reads(name):
            hit = where.lookup(name)
            if hit is not None and hit[0] is scope:
                yield node

    @cached_property
    def _insides(self) -> dict[int, Inside]:
        return {}

    def inside(self, function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Inside:
        """What stands in a function of the module."""
        if id(function) not in self._insides:
            self._insides[id(function)] = Inside(function)
        return self._insides[id(function)]

    @cached_property
    def proven(self) -> dict[tuple[int, str], bool]:
        """By function and text, whether the uses of an expression there prove that it is an array, once asked."""
        return {}

    @cached_property
    def _by_span(self) -> dict[tuple[int, int], list[ast.AST]]:
        found: dict[tuple[int, int], list[ast.AST]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.expr, ast.stmt, ast.alias, ast.keyword)):
                found.setdefault(self.text.span(node), []).append(node)
        return found

    def at(self, place: Place) -> list[ast.AST]:
        """The nodes that cover exactly this place, the outermost first."""
        t = self.text
        key = (t.offset(place.line, place.column), t.offset(place.end_line, place.end_column))
        return self._by_span.get(key, [])

    def expression(self, place: Place) -> ast.expr | None:
        """The innermost expression that covers exactly this place."""
        found = [n for n in self.at(place) if isinstance(n, ast.expr)]
        return found[-1] if found else None


class Book:
    """The modules of a run as fixers see them, each looked at when it is first asked for."""

    def __init__(self, project: Project, sources: Mapping[str, Source], indices: Sequence[int]) -> None:
        self.project = project
        self.sources = sources
        self.indices = tuple(indices)
        self._modules = {m.path: m for m in project.modules()}
        self._pages: dict[str, Page] = {}

    def page(self, path: str) -> Page | None:
        """The page of a shown path; None for what isn't Python."""
        if path not in self._pages:
            module = self._modules.get(path)
            if module is None:
                return None
            self._pages[path] = Page(module)
        return self._pages[path]

    def of(self, finding: Finding) -> Page:
        """The page that a finding stands on; refuses what isn't Python."""
        page = self.page(finding.place.path)
        if page is None:
            raise Refusal("it stands in a file that isn't Python")
        return page
