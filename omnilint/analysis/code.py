"""Pieces of source, lowered when they are first entered, and the scopes that they run in."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from omnilint.analysis import nodes as cst
from omnilint.analysis.lowering import Lowering, every, module_of, parts
from omnilint.analysis.restoring import restores
from omnilint.index.module import ModuleIndex
from omnilint.model import Place

if TYPE_CHECKING:
    from omnilint.analysis.traces import Trace
    from omnilint.analysis.values import Value


# The functions of module and class level whose code was looked at since this was cleared: a path and a line each.
looked_at: set[tuple[str, int]] = set()


class Unit:
    """Statements of a module as lowered nodes, made when first entered. Places are worked out on demand.

    `constants` and `asking` keep what literals and conditions of it say, for the next time they run, `facts` what
    functions of it say; `mark` says which statement it is.
    """

    __slots__ = ("asking", "body", "constants", "facts", "mark", "module", "origins", "root")

    def __init__(self, module: ModuleIndex, *statements: ast.stmt) -> None:
        lowering = Lowering()
        self.module = module
        self.mark = (module.path, statements[0].lineno if statements else 0)
        self.body: tuple[Any, ...] = tuple(map(lowering.statement, statements))
        self.origins = lowering.origins
        self.root = module_of(self.body)
        self.constants: dict[int, Value] = {}
        self.asking: dict[int, bool] = {}
        self.facts: dict[int, Facts] = {}

    def origin(self, node: cst.CSTNode) -> Any:
        """The `ast` node that `node` stands for, or the first one below it; None for an empty module."""
        found = self.origins.get(id(node))
        return found if found is not None else next(filter(None, map(self.origin, parts(node))), None)

    def place(self, node: cst.CSTNode) -> Place:
        """Where `node` is in its file."""
        n = self.origin(node)
        if n is None:
            return Place(self.module.path, 1, 1, 1, 1)
        start, end = self._column(n.lineno, n.col_offset), self._column(n.end_lineno, n.end_col_offset)
        return Place(self.module.path, n.lineno, start + 1, n.end_lineno, end + 1)

    def name_place(self, node: cst.FunctionDef) -> Place:
        """Where the name of a function is."""
        whole = self.place(node)
        found = re.compile(r"def\s+(\w+)").search(self.module.lines[whole.line - 1], whole.column - 1)
        if found is None:
            return Place(whole.path, whole.line, whole.column, whole.line, whole.column)
        return Place(whole.path, whole.line, found.start(1) + 1, whole.line, found.end(1) + 1)

    def text(self, node: cst.CSTNode) -> str:
        """The source of `node`."""
        p = self.place(node)
        lines = self.module.lines[p.line - 1 : p.end_line]
        if not lines:
            return ""
        lines[-1] = lines[-1][: p.end_column - 1]
        lines[0] = lines[0][p.column - 1 :]
        return "\n".join(lines)

    def _column(self, line: int, offset: int) -> int:
        """The column, in characters, of an offset in UTF-8 bytes."""
        text = self.module.lines[line - 1]
        return offset if text.isascii() else len(text.encode()[:offset].decode(errors="replace"))


class Code:
    """A function's code, lowered when it is first called.

    A function at module or class level is known by its `ast` definition; one inside of another
    function, or a lambda, is part of a unit that is there already.
    """

    __slots__ = (
        "_facts",
        "_node",
        "_unit",
        "cost",
        "definition",
        "generator",
        "module",
        "name",
        "qualname",
        "runs",
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
        self._facts: Facts | None = None
        self.generator: bool | None = None
        self.runs = 0  # so far, and the steps that its own statements took in them
        self.cost = 0
        self.spent = False

    @property
    def unit(self) -> Unit:
        """The unit that holds the code."""
        if self._unit is None:
            self._load()
        assert self._unit is not None
        looked_at.add(self._unit.mark)
        return self._unit

    @property
    def node(self) -> cst.FunctionDef | cst.Lambda:
        """The lowered node."""
        if self._node is None:
            self._load()
        assert self._node is not None
        assert self._unit is not None
        looked_at.add(self._unit.mark)
        return self._node

    def looked_at(self) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """Its definition, of which the body counts as seen though nothing is lowered."""
        if self.definition is not None:
            looked_at.add((self.module.path, self.definition.lineno))
        return self.definition

    def _load(self) -> None:
        d = self.definition
        if d is None:
            raise LookupError(self.qualname)
        self._unit = Unit(self.module, d)
        self._node = self._unit.body[0]

    @property
    def facts(self) -> Facts:
        """What its text says, read once for all that are made of it: a function inside of another is made each time."""
        node = self.node  # also when the facts are known: it was looked at
        known = self._facts
        if known is None:
            facts = self.unit.facts
            known = facts.get(id(node))
            if known is None:
                known = facts[id(node)] = Facts(node)
            self._facts = known
        return known

    @property
    def params(self) -> Params:
        """Its parameters."""
        return self.facts.params


class Facts:
    """What the text of a function says, whatever it is called with."""

    def __init__(self, node: cst.FunctionDef | cst.Lambda) -> None:
        self._node = node
        self.params = Params(node.params)
        # Read when somebody asks (`cached_property` keeps nothing in compiled classes):
        self._names: frozenset[str] | None = None
        self._restores: bool | None = None
        self._remembers: bool | None = None

    @property
    def names(self) -> frozenset[str]:
        """Every name that stands in it."""
        if self._names is None:
            self._names = frozenset(n.value for n in every(self._node) if type(n) is cst.Name)
        return self._names

    @property
    def restores(self) -> bool:
        """Is it the generator of a context manager that undoes something once its block has run?"""
        if self._restores is None:
            self._restores = restores(self._node)
        return self._restores

    @property
    def remembers(self) -> bool:
        """May a default of it be an object that changes?"""
        if self._remembers is None:
            parts = (n for d in self.params.defaults.values() for n in every(d))
            self._remembers = any(type(n) not in _STEADY for n in parts)
        return self._remembers


class Params:
    """Parameter names by kind, with default and annotation nodes."""

    __slots__ = ("annotations", "defaults", "kwarg", "kwonly", "names", "positional", "posonly", "simple", "vararg")

    def __init__(self, p: cst.Parameters) -> None:
        positional = [*p.posonly_params, *p.params]
        self.posonly = [x.name.value for x in p.posonly_params]
        self.positional = [x.name.value for x in positional]
        self.kwonly = [x.name.value for x in p.kwonly_params]
        self.vararg = p.star_arg.name.value if type(p.star_arg) is cst.Param else None
        self.kwarg = p.star_kwarg.name.value if p.star_kwarg is not None else None
        every = [*positional, *p.kwonly_params]
        self.defaults = {x.name.value: x.default for x in every if x.default is not None}
        self.annotations = {x.name.value: x.annotation.annotation for x in every if x.annotation is not None}
        self.names = [*self.positional, *self.kwonly]  # all named parameters, in order
        self.simple = self.vararg is None and self.kwarg is None


# Nodes of expressions that make no object that can be changed.
_STEADY = (cst.Name, cst.Attribute, cst.Integer, cst.Float, cst.SimpleString, cst.UnaryOperation, cst.Minus)
_NO_NAMES: frozenset[str] = frozenset()
_NOWHERE: Mapping[str, cst.CSTNode] = {}


class Scope:
    """Names of one function call, class body or module. `trace` is the innermost trace when it began."""

    __slots__ = ("declared", "globals", "nonlocals", "parent", "trace", "vars")

    def __init__(self, parent: Scope | None, trace: Trace | None) -> None:
        self.vars: dict[str, Value] = {}
        self.parent = parent
        self.trace = trace
        self.globals: frozenset[str] = _NO_NAMES
        self.nonlocals: frozenset[str] = _NO_NAMES
        self.declared: Mapping[str, cst.CSTNode] = _NOWHERE  # where names were declared global or nonlocal

    def holder(self, name: str) -> Scope | None:
        """The scope, from this one outwards, that has `name`."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.vars:
                return scope
            scope = scope.parent
        return None
