"""One module, read once with the standard library's `ast`: its definitions and what it imports."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from omnilint.model import Source

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(slots=True)
class Definition:
    """A function or class of a module, by its dotted name inside it (`Class.method`, `outer.inner`).

    `identifiers` are the names and attributes that it mentions, `stored` the attributes of names that it assigns;
    what stands in functions inside of it counts to the outermost one.
    """

    qualname: str
    node: FunctionNode | ast.ClassDef
    owner: str = ""
    in_function: bool = False
    identifiers: set[str] = field(default_factory=set)
    stored: set[str] = field(default_factory=set)

    @property
    def first_line(self) -> int:
        """The line of its first decorator, or of `def`/`class` itself."""
        decorators = self.node.decorator_list
        return decorators[0].lineno if decorators else self.node.lineno


@dataclass(slots=True)
class ModuleIndex:
    """What the later steps need to know of a module without looking at its text again.

    `name` is the dotted name it is importable under, `package` the one that relative imports start
    from. `imports` maps names that import statements at any level of the module bind to the dotted
    thing they stand for; `roots` are the first parts of everything imported. `rebound` are names that
    some function declares global or nonlocal.
    """

    source: Source
    tree: ast.Module
    name: str
    package: str
    is_package: bool = False
    imports: dict[str, str] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    roots: set[str] = field(default_factory=set)
    definitions: dict[str, Definition] = field(default_factory=dict)
    identifiers: set[str] = field(default_factory=set)
    rebound: set[str] = field(default_factory=set)
    lines: list[str] = field(default_factory=list)
    _symbols: list[str] = field(default_factory=list, repr=False, compare=False)

    @property
    def path(self) -> str:
        return self.source.path

    def symbol_at(self, line: int) -> str:
        """Dotted name of the innermost function or class that holds `line`, "" at module level."""
        if not self._symbols:
            self._symbols = _painted(self.definitions.values())
        return self._symbols[line] if line < len(self._symbols) else ""


def _painted(definitions: Iterable[Definition]) -> list[str]:
    """By line, from 0, the innermost definition that holds it: the longest first, the shorter ones over them."""
    spans = [(d.first_line, d.node.end_lineno or d.node.lineno, d.qualname) for d in definitions]
    lines = [""] * (max((end for _, end, _ in spans), default=0) + 1)
    spans.reverse()  # of two that are as long, the first has the last word
    spans.sort(key=lambda span: span[0] - span[1])
    for first, end, name in spans:
        lines[first : end + 1] = [name] * (end + 1 - first)
    return lines


def absolute(package: str, module: str | None, level: int) -> str:
    """The dotted module that `from <level dots><module> import …` names inside `package`."""
    if not level:
        return module or ""
    parts = package.split(".") if package else []
    base = parts[: len(parts) - (level - 1)] if level > 1 else parts
    return ".".join([*base, *([module] if module else [])])


# Words that say something only together with what stands before the dot: `lax.map`, not `map`.
_COMMON_WORDS = frozenset(("map", "reduce"))


# Nodes without names below them.
_LEAVES = frozenset(
    c
    for base in (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop)
    for c in (base, *base.__subclasses__())
) | {ast.Constant, ast.Pass, ast.Break, ast.Continue, ast.alias}


class _Pass:
    """One walk over a module. It is written out, for `ast.NodeVisitor` takes twice the time."""

    def __init__(self, index: ModuleIndex) -> None:
        self.index = index
        self.scope: list[str] = []
        self.function_depth = 0
        self.names: set[str] = index.identifiers  # what the innermost open definition mentions
        self.stored: set[str] = set()

    def visit(self, node: ast.AST) -> None:
        """Index `node` and what is below it."""
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            handler(self, node)
        else:
            self.below(node)

    def below(self, node: ast.AST) -> None:
        """Index what is below `node`."""
        for name in node._fields:
            value = getattr(node, name, None)
            if type(value) is list:
                for item in value:
                    if type(item) not in _LEAVES and isinstance(item, ast.AST):
                        self.visit(item)
            elif type(value) not in _LEAVES and isinstance(value, ast.AST):
                self.visit(value)

    def imports(self, node: ast.Import) -> None:
        for a in node.names:
            root = a.name.partition(".")[0]
            self.index.roots.add(root)
            self.index.imports.setdefault(a.asname or root, a.name if a.asname else root)

    def imports_from(self, node: ast.ImportFrom) -> None:
        module = absolute(self.index.package, node.module, node.level)
        self.index.roots.add(module.partition(".")[0])
        for a in node.names:
            if a.name == "*":
                self.index.stars.append(module)
            else:
                self.index.imports.setdefault(a.asname or a.name, f"{module}.{a.name}" if module else a.name)

    def defines(self, node: FunctionNode | ast.ClassDef) -> None:
        definitions = self.index.definitions
        owner = ".".join(self.scope)
        qualname = f"{owner}.{node.name}" if owner else node.name
        d = Definition(qualname, node, owner, self.function_depth > 0)
        if qualname in definitions:  # redefinition: keep both, the last under the plain name
            old = definitions.pop(qualname)
            definitions[f"{qualname}@{old.node.lineno}"] = old
        definitions[qualname] = d
        function = not isinstance(node, ast.ClassDef)
        outer, stored = self.names, self.stored
        if not self.function_depth:
            self.names, self.stored = d.identifiers, d.stored
        self.scope.append(node.name)
        self.function_depth += function
        self.below(node)
        self.function_depth -= function
        self.scope.pop()
        if self.names is not outer:
            outer |= self.names
            self.names, self.stored = outer, stored

    def rebinds(self, node: ast.Global | ast.Nonlocal) -> None:
        self.index.rebound.update(node.names)

    def names_(self, node: ast.Name) -> None:
        self.names.add(node.id)

    def reads(self, node: ast.Attribute) -> None:
        base: ast.AST = node
        if type(node.ctx) is ast.Store and type(node.value) is ast.Name:
            self.stored.add(node.attr)
        while type(base) is ast.Attribute:
            self.names.add(base.attr)
            if base.attr in _COMMON_WORDS and isinstance(base.value, (ast.Name, ast.Attribute)):
                before = base.value.id if isinstance(base.value, ast.Name) else base.value.attr
                self.names.add(f"{before}.{base.attr}")
            base = base.value
        if type(base) is ast.Name:
            self.names.add(base.id)
        else:
            self.visit(base)


_HANDLERS: dict[type[ast.AST], Callable[[_Pass, Any], None]] = {
    ast.Import: _Pass.imports,
    ast.ImportFrom: _Pass.imports_from,
    ast.FunctionDef: _Pass.defines,
    ast.AsyncFunctionDef: _Pass.defines,
    ast.ClassDef: _Pass.defines,
    ast.Global: _Pass.rebinds,
    ast.Nonlocal: _Pass.rebinds,
    ast.Name: _Pass.names_,
    ast.Attribute: _Pass.reads,
}


def index_module(source: Source, name: str, package: str = "", is_package: bool = False) -> ModuleIndex:
    """Parse `source` and index it.

    Raises SyntaxError (ValueError for null bytes, RecursionError or MemoryError for absurdly deep
    code): the caller turns these into problems.
    """
    tree = ast.parse(source.text, filename=source.path)
    index = ModuleIndex(source, tree, name, package, is_package, lines=re.split(r"\r\n|\r|\n", source.text))
    _Pass(index).visit(tree)
    return index
