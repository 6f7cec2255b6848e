"""What the interpreter knows of a value: constants, arrays with their rounding, containers, callables, comparisons.

Nobody changes a value that somebody else may hold. They are not declared frozen, though: making a frozen one takes
three times as long, and copying one that has slots five times.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from omnilint.index.module import FunctionNode, ModuleIndex

if TYPE_CHECKING:
    from omnilint.rounding.frame import Frame

# Depth of what no function call of the chain supplied: module constants, defaults, imports.
FAR = 1_000_000


@dataclass(frozen=True, slots=True)
class Trail:
    """A trace of a finite difference: a point moved by `step`, a difference of two such, its quotient by the step."""

    kind: str
    step: float
    sides: int = 1


@dataclass(eq=False)
class Error:
    """Rounding by one operation: a relative amount, the dtype that rounds, and the place.

    `text` names the operation ("": the expression itself); `traced`: JAX did it; `grows`: a loop made it anew from
    what it had made, not linearly, so each step may multiply it.
    """

    amount: float
    dtype: str
    traced: bool
    module: ModuleIndex
    node: ast.AST
    text: str
    grows: bool = False


@dataclass(kw_only=True, eq=False)
class Value:
    """Base of all values.

    `key` says what is computed and is blind to `jit`; `form` says how, so that two values of equal key and different
    form are the same computation compiled and not. `depth` is the number of the outermost call frame that supplied
    a part of it (0 is the function that the analysis started from, FAR: none).
    """

    key: int
    form: int
    depth: int = FAR
    trail: Trail | None = None


@dataclass(kw_only=True, eq=False)
class Opaque(Value):
    """Nothing is known, except whether two of them are the same."""


@dataclass(kw_only=True, eq=False)
class Const(Value):
    """A Python constant: number, string, bool, None."""

    value: Any


@dataclass(kw_only=True, eq=False)
class Symbol(Value):
    """Something of a library, by its dotted name (`numpy.testing.assert_allclose`, `jax.numpy`)."""

    dotted: str


@dataclass(kw_only=True, eq=False)
class Array(Value):
    """Numbers: where they live, their dtype, and how far from the exact result arithmetic has left them.

    `held`: the narrower dtype that the elements came from, if any: converting them back rounds nothing.

    `library` is "jax", "numpy", "python" or "unknown". `errors` are the roundings so far, those of input conversion
    included, by what was computed, so that two values know which of them they share. `grid`: small integers and dyadic
    fractions, on which sums and products are exact. `uniform`: the one value of all elements, if known; `peak`: their
    largest size, if known. `bent` counts the rounding operations that are not linear. `traced`: JAX arithmetic took
    part; `staged`: some of it under a transform or in a compiled loop. `last`: the operation that rounded last;
    `fuses`: XLA rounds a part of it differently when it compiles the whole; `wavers`: for some inputs; `steep`: a part
    of its gradient. `edge`: a literal element close to 1, and the share of its distance from 1 that conversion to the
    dtype moved it; `tail`: the relative error that this costs.
    `gap`: the two sides whose difference this is, `distance`: which power of a norm of it this is (0: none), so that a
    small bound means "close"; `scaled`: divided by something, so that the bound is a relative one. `sized`: the key
    of the value of which this is a norm, or, where this is a number (`share`) times such a norm, that value's key.
    """

    library: str
    dtype: str | None
    errors: Mapping[int, Error] = field(default_factory=dict)
    grid: bool = False
    uniform: float | None = None
    peak: float | None = None
    bent: int = 0
    traced: bool = False
    staged: bool = False
    last: str = ""
    fuses: bool = False
    wavers: bool = False
    steep: bool = False
    edge: tuple[float, float] | None = None
    tail: float = 0.0
    gap: tuple[Value, Value] | None = None
    distance: float = 0.0
    scaled: bool = False
    held: str | None = None
    sized: int | None = None
    share: Const | None = None

    @property
    def noise(self) -> float:
        """The relative size of all roundings together, as if independent."""
        return math.hypot(*(e.amount for e in self.errors.values()))

    @property
    def loudest(self) -> Error | None:
        """The largest rounding."""
        return max(self.errors.values(), key=lambda e: e.amount, default=None)


@dataclass(kw_only=True, eq=False)
class Seq(Value):
    """A list or tuple; when `open`, its length is unknown and `items` are examples of its elements."""

    items: tuple[Value, ...]
    open: bool = False


@dataclass(kw_only=True, eq=False)
class Record(Value):
    """A dict with known keys."""

    items: Mapping[Any, Value]


@dataclass(kw_only=True, eq=False)
class Function(Value):
    """A function of the project, with the frame it closes over and the instance it is bound to."""

    module: ModuleIndex
    node: FunctionNode | ast.Lambda
    closure: Frame | None = None
    owner: Value | None = None

    @property
    def name(self) -> str:
        return "lambda" if isinstance(self.node, ast.Lambda) else self.node.name


@dataclass(kw_only=True, eq=False)
class Partial(Value):
    """A callable with some arguments bound."""

    callee: Value
    arguments: tuple[Value, ...]
    keywords: Mapping[str, Value]


@dataclass(kw_only=True, eq=False)
class Wrapped(Value):
    """A callable under a transform ("jit", "vmap", "grad", "value_and_grad").

    `argnums`: what it is differentiated by, when that is given; `auxiliary`: whether it gives more than its value.
    """

    transform: str
    callee: Value
    argnums: Value | None = None
    auxiliary: Value | None = None


@dataclass(kw_only=True, eq=False)
class ClassRef(Value):
    """A class of the project."""

    module: ModuleIndex
    node: ast.ClassDef


@dataclass(kw_only=True, eq=False)
class Instance(Value):
    """An object of a project class; its attributes are shared and change as its methods run."""

    cls: ClassRef
    attributes: dict[str, Value]


@dataclass(kw_only=True, eq=False)
class Check(Value):
    """The answer of a comparison that nobody has asserted yet."""

    comparison: Compared


@dataclass(kw_only=True, eq=False)
class Approx(Value):
    """`pytest.approx(...)`: one side and its tolerances, waiting for the other side."""

    expected: Value
    tolerances: Mapping[str, Value]
    form_name: str = "isclose"


class Signature(NamedTuple):
    """The parameters of a function: those given by position, all of one value each, and defaults by name."""

    positional: list[str]
    every: frozenset[str]
    defaults: list[tuple[str, ast.expr]]
    vararg: str | None
    kwarg: str | None


@dataclass(frozen=True, slots=True)
class Compared:
    """Two sides being compared: by which form, with which tolerances given and which defaulted, and where."""

    name: str
    form: str
    first: Value
    second: Value
    given: Mapping[str, Value] = field(hash=False)
    defaults: Mapping[str, float] = field(hash=False)
    node: ast.AST
    frame: Frame


def least(depth: int, values: Iterable[Value]) -> int:
    """The smallest of `depth` and the depths of these values."""
    for value in values:
        if value.depth < depth:
            depth = value.depth
    return depth


def arrays(value: Value, limit: int = 64) -> list[Value]:
    """The leaves of a value that a comparison of trees would compare, at most `limit` of them."""
    found: list[Value] = []
    pending = [value]
    while pending and len(found) < limit:
        top = pending.pop()
        if isinstance(top, Seq):
            pending.extend(reversed(top.items))
        elif isinstance(top, Record):
            pending.extend(top.items.values())
        else:
            found.append(top)
    return found
