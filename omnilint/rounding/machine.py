"""The interpreter's shared state: facts, fuel, interned keys, and the comparisons met on the way."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from omnilint.index.module import ModuleIndex
from omnilint.index.project import Project
from omnilint.rounding import calls, expressions, flow, scope
from omnilint.rounding.frame import Frame
from omnilint.rounding.table import Table
from omnilint.rounding.values import Compared, Const, Opaque, Seq, Symbol, Value

# Steps for one function under analysis, calls included. Beyond: "don't know".
FUEL = 3_500


@dataclass(slots=True)
class Machine:
    """Interprets functions of a project; every comparison that is asserted on the way goes to `judge`."""

    # How deep calls are followed.
    DEPTH: ClassVar[int] = 8

    project: Project
    table: Table
    judge: Callable[[Compared], None]
    fuel: int = FUEL
    active: list[ast.AST] = field(default_factory=list)
    globals: dict[tuple[int, str], Value] = field(default_factory=dict)
    module_frames: dict[int, Frame] = field(default_factory=dict)
    assignments: dict[int, dict[str, list[ast.stmt]]] = field(default_factory=dict)
    generators: dict[ast.AST, bool] = field(default_factory=dict)
    resolved: dict[tuple[int, str], Value] = field(default_factory=dict)
    defaults: dict[ast.AST, Value] = field(default_factory=dict)
    _constants: dict[tuple[type, Hashable, int], Const] = field(default_factory=dict)
    _keys: dict[Hashable, int] = field(default_factory=dict)

    def key(self, *parts: Hashable) -> int:
        """The number of this combination: equal parts, equal number."""
        return self._keys.setdefault(parts, len(self._keys))

    def opaque(self, *parts: Hashable, depth: int) -> Opaque:
        """A value of which nothing is known but what it was made of."""
        key = self.key(*parts)
        return Opaque(key=key, form=key, depth=depth)

    def const(self, value: Hashable, depth: int) -> Const:
        """A Python constant."""
        at = (type(value), repr(value) if isinstance(value, float) else value, depth)
        found = self._constants.get(at)
        if found is None:
            key = self.key("const", at[0], at[1])
            found = self._constants[at] = Const(key=key, form=key, depth=depth, value=value)
        return found

    def symbol(self, dotted: str) -> Symbol:
        """A library's name."""
        key = self.key("symbol", dotted)
        return Symbol(key=key, form=key, dotted=dotted)

    def seq(self, items: Sequence[Value], depth: int, is_open: bool = False) -> Seq:
        """A list or tuple of these values."""
        key = self.key("seq", is_open, *(v.key for v in items))
        form = self.key("seq", is_open, *(v.form for v in items))
        return Seq(key=key, form=form, depth=min([depth, *(v.depth for v in items)]), items=tuple(items), open=is_open)

    def evaluate(self, node: ast.expr, frame: Frame) -> Value:
        """The value of an expression."""
        self.fuel -= 1
        if self.fuel < 0:
            return self.opaque("spent", id(node), depth=frame.depth)
        if isinstance(node, ast.Name):  # half of all expressions
            return frame.names.get(node.id) or scope.lookup(self, node.id, frame)
        return expressions.evaluate(self, node, frame)

    def execute(self, body: Sequence[ast.stmt], frame: Frame) -> bool:
        """Run statements; True when control does not go past them, or fuel is spent."""
        return flow.execute(self, body, frame)

    def call(
        self, callee: Value, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.AST, frame: Frame
    ) -> Value:
        """The result of calling a value."""
        return calls.call(self, callee, arguments, keywords, node, frame)

    def lookup(self, name: str, frame: Frame) -> Value:
        """What a name stands for in a frame."""
        return scope.lookup(self, name, frame)

    def module_frame(self, module: ModuleIndex) -> Frame:
        """The frame in which the module's own statements run."""
        found = self.module_frames.get(id(module))
        if found is None:
            found = self.module_frames[id(module)] = Frame(module, {}, x64="unknown")
        return found
