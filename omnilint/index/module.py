"""One module, read once with the standard library's `ast`: its definitions and what it imports."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from omnilint.model import Source

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(slots=True)
class Definition:
    """A function or class of a module, by its dotted name inside it (`Class.method`, `outer.inner`)."""

    qualname: str
    node: FunctionNode | ast.ClassDef
    owner: str = ""
    in_function: bool = False
    identifiers: set[str] = field(default_factory=set)

    @property
    def first_line(self) -> int:
        """The line of its first decorator, or of `def`/`class` itself."""
        return min([self.node.lineno, *(d.lineno for d in self.node.decorator_list)])


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

    @property
    def path(self) -> str:
        return self.source.path

    def symbol_at(self, line: int) -> str:
        """Dotted name of the innermost function or class that holds `line`, "" at module level."""
        best, size = "", 1 << 60
        for d in self.definitions.values():
            end = d.node.end_lineno or d.node.lineno
            if d.first_line <= line <= end and end - d.first_line < size:
                best, size = d.qualname, end - d.first_line
        return best


def absolute(package: str, module: str | None, level: int) -> str:
    """The dotted module that `from <level dots><module> import …` names inside `package`."""
    if not level:
        return module or ""
    parts = package.split(".") if package else []
    base = parts[: len(parts) - (level - 1)] if level > 1 else parts
    return ".".join([*base, *([module] if module else [])])


# Words that say something only together with what stands before the dot: `lax.map`, not `map`.
_COMMON_WORDS = frozenset(("map", "reduce"))


class _Pass(ast.NodeVisitor):
    def __init__(self, index: ModuleIndex) -> None:
        self.index = index
        self.scope: list[str] = []
        self.function_depth = 0
        self.open: list[Definition] = []

    def _mention(self, name: str) -> None:
        self.index.identifiers.add(name)
        for d in self.open:
            d.identifiers.add(name)

    def visit_Import(self, node: ast.Import) -> None:
        for a in node.names:
            self.index.roots.add(a.name.partition(".")[0])
            if a.asname:
                self.index.imports.setdefault(a.asname, a.name)
            else:
                root = a.name.partition(".")[0]
                self.index.imports.setdefault(root, root)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = absolute(self.index.package, node.module, node.level)
        self.index.roots.add(module.partition(".")[0])
        for a in node.names:
            if a.name == "*":
                self.index.stars.append(module)
            else:
                self.index.imports.setdefault(a.asname or a.name, f"{module}.{a.name}" if module else a.name)

    def _define(self, node: FunctionNode | ast.ClassDef) -> None:
        qualname = ".".join([*self.scope, node.name])
        owner = ".".join(self.scope)
        d = Definition(qualname, node, owner, self.function_depth > 0)
        if qualname in self.index.definitions:  # redefinition: keep both, the last under the plain name
            old = self.index.definitions.pop(qualname)
            self.index.definitions[f"{qualname}@{old.node.lineno}"] = old
        self.index.definitions[qualname] = d
        self.scope.append(node.name)
        function = not isinstance(node, ast.ClassDef)
        outermost = not self.function_depth
        self.function_depth += function
        if outermost:
            self.open.append(d)
        self.generic_visit(node)
        if outermost:
            self.open.pop()
        self.function_depth -= function
        self.scope.pop()

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _define

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> None:
        self.index.rebound.update(node.names)

    visit_Nonlocal = visit_Global

    def visit_Name(self, node: ast.Name) -> None:
        self._mention(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._mention(node.attr)
        if node.attr in _COMMON_WORDS and isinstance(node.value, ast.Name | ast.Attribute):
            base = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
            self._mention(f"{base}.{node.attr}")
        self.visit(node.value)


def index_module(source: Source, name: str, package: str = "", is_package: bool = False) -> ModuleIndex:
    """Parse `source` and index it.

    Raises SyntaxError (ValueError for null bytes, RecursionError or MemoryError for absurdly deep
    code): the caller turns these into problems.
    """
    tree = ast.parse(source.text, filename=source.path)
    index = ModuleIndex(source, tree, name, package, is_package, lines=re.split(r"\r\n|\r|\n", source.text))
    _Pass(index).visit(tree)
    return index
