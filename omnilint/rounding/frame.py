"""One call being interpreted: its names, who called it, and what it has returned so far."""

from __future__ import annotations

import ast
import itertools
from dataclasses import dataclass, field

from omnilint.index.module import FunctionNode, ModuleIndex
from omnilint.rounding.values import Value

_serials = itertools.count()


@dataclass(eq=False)
class Frame:
    """A function's activation, by its definition `node` (None: the module's own body).

    `call` is the node in `caller` that made it, `depth` its number of callers.
    `x64` is "off", "on" or "unknown", `quiet` counts the enclosing blocks in which a failing comparison is expected,
    `eager` says that jit is disabled.
    """

    module: ModuleIndex
    names: dict[str, Value]
    x64: str
    depth: int = 0
    caller: Frame | None = None
    call: ast.AST | None = None
    closure: Frame | None = None
    node: FunctionNode | ast.Lambda | None = None
    quiet: int = 0
    eager: bool = False
    serial: int = field(default_factory=_serials.__next__)
    returns: list[Value] = field(default_factory=list)

    @property
    def symbol(self) -> str:
        """The dotted name of the function inside its module, "" for the module's own body."""
        return "" if self.node is None else self.module.symbol_at(self.node.lineno)

    def chain(self) -> list[Frame]:
        """The frames from the outermost caller to this one."""
        frames: list[Frame] = []
        top: Frame | None = self
        while top is not None:
            frames.append(top)
            top = top.caller
        return frames[::-1]
