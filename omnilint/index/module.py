"""One module, read once with the standard library's `ast`: its definitions and what it imports."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

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


def index_module(source: Source, name: str, package: str = "", is_package: bool = False) -> ModuleIndex:
    """Parse `source` and index it.

    Raises SyntaxError (ValueError for null bytes, RecursionError or MemoryError for absurdly deep
    code): the caller turns these into problems.
    """
    from omnilint.index.walking import walk

    tree = ast.parse(source.text, filename=source.path)
    index = ModuleIndex(source, tree, name, package, is_package, lines=re.split(r"\r\n|\r|\n", source.text))
    walk(index)
    return index
