"""Pieces of source parsed by LibCST when they are first entered, and the scopes that they run in."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from omnilint.index.module import ModuleIndex
from omnilint.model import Place

if TYPE_CHECKING:
    from omnilint.analysis.traces import Trace
    from omnilint.analysis.values import Value


class Unit:
    """A slice of a module's lines, parsed on its own. Places are worked out on demand."""

    __slots__ = ("_ranges", "body", "first_line", "module", "root", "shift", "source_lines")

    def __init__(self, module: ModuleIndex, first_line: int, last_line: int) -> None:
        lines = module.lines[first_line - 1 : last_line]
        indented = bool(lines) and lines[0][:1] in (" ", "\t")
        text = ("if 1:\n" if indented else "") + "\n".join(lines) + "\n"
        self.module = module
        self.first_line = first_line
        self.shift = first_line - (2 if indented else 1)
        self.root = cst.parse_module(text)
        body: Any = self.root.body
        self.body: tuple[cst.CSTNode, ...] = tuple(body[0].body.body) if indented else tuple(body)
        self._ranges: Any = None

    def range(self, node: cst.CSTNode) -> CodeRange:
        """LibCST's own range of `node` inside of the unit."""
        if self._ranges is None:
            wrapper = MetadataWrapper(self.root, unsafe_skip_copy=True)
            self._ranges = wrapper.resolve(PositionProvider)
        found: CodeRange = self._ranges[node]
        return found

    def place(self, node: cst.CSTNode) -> Place:
        """Where `node` is in its file."""
        r = self.range(node)
        return Place(
            self.module.path,
            r.start.line + self.shift,
            r.start.column + 1,
            r.end.line + self.shift,
            r.end.column + 1,
        )


class Code:
    """A function's code: parsed by LibCST when it is first called.

    A function at module or class level is known by its `ast` definition; one inside of another
    function, or a lambda, is part of a unit that is parsed already.
    """

    __slots__ = (
        "_node",
        "_params",
        "_unit",
        "definition",
        "generator",
        "module",
        "name",
        "patterns",
        "qualname",
        "spent",
    )

    def __init__(
        self,
        module: ModuleIndex,
        name: str,
        qualname: str,
        definition: ast.FunctionDef | ast.AsyncFunctionDef | None = None,
        unit: Unit | None = None,
        node: cst.FunctionDef | cst.Lambda | None = None,
    ) -> None:
        self.module = module
        self.name = name
        self.qualname = qualname
        self.definition = definition
        self._unit = unit
        self._node = node
        self._params: Params | None = None
        self.generator: bool | None = None
        self.patterns = 0
        self.spent = False

    @property
    def unit(self) -> Unit:
        """The unit that holds the code."""
        if self._unit is None:
            self._load()
        assert self._unit is not None
        return self._unit

    @property
    def node(self) -> cst.FunctionDef | cst.Lambda:
        """The LibCST node."""
        if self._node is None:
            self._load()
        assert self._node is not None
        return self._node

    def _load(self) -> None:
        d = self.definition
        if d is None:
            raise LookupError(self.qualname)
        first = min([d.lineno, *(x.lineno for x in d.decorator_list)])
        self._unit = Unit(self.module, first, d.end_lineno or d.lineno)
        node = next(n for n in self._unit.body if isinstance(n, cst.FunctionDef))
        self._node = node

    @property
    def params(self) -> Params:
        """Its parameters."""
        if self._params is None:
            self._params = Params(self.node.params)
        return self._params


class Params:
    """Parameter names by kind, with default and annotation nodes."""

    __slots__ = ("annotations", "defaults", "kwarg", "kwonly", "positional", "posonly", "vararg")

    def __init__(self, p: cst.Parameters) -> None:
        positional = [*p.posonly_params, *p.params]
        self.posonly = [x.name.value for x in p.posonly_params]
        self.positional = [x.name.value for x in positional]
        self.kwonly = [x.name.value for x in p.kwonly_params]
        self.vararg = p.star_arg.name.value if isinstance(p.star_arg, cst.Param) else None
        self.kwarg = p.star_kwarg.name.value if p.star_kwarg is not None else None
        every = [*positional, *p.kwonly_params]
        self.defaults = {x.name.value: x.default for x in every if x.default is not None}
        self.annotations = {x.name.value: x.annotation.annotation for x in every if x.annotation is not None}

    @property
    def names(self) -> list[str]:
        """All named parameters, in order."""
        return [*self.positional, *self.kwonly]


class Scope:
    """Names of one function call, class body or module. `trace` is the innermost trace when it began."""

    __slots__ = ("globals", "nonlocals", "parent", "trace", "vars")

    def __init__(self, parent: Scope | None, trace: Trace | None) -> None:
        self.vars: dict[str, Value] = {}
        self.parent = parent
        self.trace = trace
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()

    def holder(self, name: str) -> Scope | None:
        """The scope, from this one outwards, that has `name`."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.vars:
                return scope
            scope = scope.parent
        return None
