"""The interpreter's shared state: facts, fuel, interned keys, and the comparisons met on the way."""

from __future__ import annotations

import ast
import itertools
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from omnilint.index.module import ModuleIndex
from omnilint.index.project import Project
from omnilint.rounding import calls, expressions, flow, scope
from omnilint.rounding.frame import Frame
from omnilint.rounding.table import Table
from omnilint.rounding.values import (
    Array,
    ClassRef,
    Compared,
    Const,
    Opaque,
    Seq,
    Signature,
    Symbol,
    Trail,
    Value,
    least,
)

# Steps for one function under analysis, calls included, and those of them on the way to one comparison.
# Beyond: "don't know". All that the fixtures hold is found with half of that.
FUEL = 3_500
PATIENCE = 1_000


@dataclass(slots=True)
class Machine:
    """Interprets functions of a project; every comparison that is asserted on the way goes to `judge`."""

    project: Project
    table: Table
    judge: Callable[[Compared], None]
    fuel: int = PATIENCE
    reserve: int = FUEL - PATIENCE
    active: list[ast.AST] = field(default_factory=list)
    globals: dict[tuple[int, str], Value] = field(default_factory=dict)
    module_frames: dict[int, Frame] = field(default_factory=dict)
    generators: dict[ast.AST, bool] = field(default_factory=dict)
    resolved: dict[tuple[int, str], Value] = field(default_factory=dict)
    fixed: dict[ast.expr, Value] = field(default_factory=dict)
    _constants: dict[tuple[type, Hashable, int], Const] = field(default_factory=dict)
    signatures: dict[ast.AST, Signature] = field(default_factory=dict)
    bases: dict[ast.ClassDef, list[ClassRef]] = field(default_factory=dict)
    members: dict[ast.ClassDef, dict[str, ast.stmt]] = field(default_factory=dict)
    set_up: dict[tuple[ast.ClassDef, str], tuple[dict[str, Value], str]] = field(default_factory=dict)
    numbers: dict[tuple[int, int, int, Trail | None], Array] = field(default_factory=dict)
    _symbols: dict[str, Symbol] = field(default_factory=dict)
    _keys: dict[Hashable, int] = field(default_factory=lambda: defaultdict(itertools.count().__next__))

    def start(self) -> None:
        """Begin with another function."""
        self.active.clear()
        self.fuel, self.reserve = PATIENCE, FUEL - PATIENCE

    def met(self, comparison: Compared) -> None:
        """Judge a comparison; there is fuel for the way to the next one as long as the reserve lasts."""
        self.judge(comparison)
        more = min(self.reserve, PATIENCE - self.fuel)
        self.fuel += more
        self.reserve -= more

    def key(self, *parts: Hashable) -> int:
        """The number of this combination: equal parts, equal number."""
        return self._keys[parts]

    def both(self, *parts: Hashable, of: Value) -> tuple[int, int]:
        """Key and form of what is made of one value in the way that these parts say."""
        key = self._keys[(*parts, of.key)]
        return key, key if of.form == of.key else self._keys[(*parts, of.form)]

    def keys(self, head: tuple[Hashable, ...], values: Sequence[Value]) -> tuple[int, int]:
        """Key and form of what is made of these values in the way that `head` says."""
        keys, forms = [v.key for v in values], [v.form for v in values]
        key = self._keys[(*head, *keys)]
        return key, key if keys == forms else self._keys[(*head, *forms)]

    def opaque(self, *parts: Hashable, depth: int) -> Opaque:
        """A value of which nothing is known but what it was made of."""
        key = self._keys[parts]
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
        found = self._symbols.get(dotted)
        if found is None:
            key = self.key("symbol", dotted)
            found = self._symbols[dotted] = Symbol(key=key, form=key, dotted=dotted)
        return found

    def seq(self, items: Sequence[Value], depth: int, is_open: bool = False) -> Seq:
        """A list or tuple of these values."""
        key, form = self.keys(("seq", is_open), items)
        return Seq(key=key, form=form, depth=least(depth, items), items=tuple(items), open=is_open)

    def evaluate(self, node: ast.expr, frame: Frame) -> Value:
        """The value of an expression."""
        self.fuel -= 1
        if self.fuel < 0:
            return self.opaque("spent", id(node), depth=frame.depth)
        return expressions.KINDS.get(type(node), expressions.unknown)(self, node, frame)

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
