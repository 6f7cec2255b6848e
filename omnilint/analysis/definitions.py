"""Abstract values of what programs define and import: modules, functions, classes, objects, transformed functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from omnilint.analysis import tables
from omnilint.analysis.values import Const, Flag, Mutable, Value

if TYPE_CHECKING:
    from omnilint.analysis.code import Code, Scope
    from omnilint.analysis.traces import Link, Trace

_CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "newaxis": None, "tau": math.tau}


class Ext(Value):
    """Something that lies outside of the checked files, by its dotted name."""

    __slots__ = ("_members", "dotted")

    def __init__(self, dotted: str) -> None:
        self.dotted = dotted
        self._members: dict[str, Value] | None = None

    def member(self, name: str) -> Value:
        """What lies inside of it, by its name: a constant, or something outside again."""
        if self._members is None:
            self._members = {}
        found = self._members.get(name)
        if found is None:
            found = self._members[name] = self._member(name)
        return found

    def _member(self, name: str) -> Value:
        if name == "__name__" and self.dotted in ("numpy", "jax.numpy"):
            return Const(self.dotted)  # code that serves both asks for it
        if name == "__name__" and "." in self.dotted:
            return Const(self.dotted.rpartition(".")[2])
        if name in _CONSTANTS and self.dotted in ("jax.numpy", "numpy", "math"):
            return Const(_CONSTANTS[name])
        dotted = f"{self.dotted}.{name}"
        return Flag() if dotted in tables.words("mode_switches") else Ext(dotted)

    def key(self) -> Any:
        return ("x", self.dotted)

    def __repr__(self) -> str:
        return f"Ext({self.dotted})"


class ExtInstance(Mutable):
    """An object made by calling something outside of the checked files, e.g. a NumPy generator."""

    __slots__ = ("dotted",)

    def __init__(self, dotted: str, trace: Trace | None) -> None:
        super().__init__(trace)
        self.dotted = dotted

    def __repr__(self) -> str:
        return f"ExtInstance({self.dotted})"


class Layer(Value):
    """A layer of a neural-network library, with the callables that it was made of; `gives` is what a call gives."""

    __slots__ = ("dotted", "gives", "parts")

    def __init__(self, dotted: str, gives: str, parts: Iterable[Value]) -> None:
        self.dotted = dotted
        self.gives = gives
        self.parts = tuple(parts)

    def key(self) -> Any:
        return ("layer", self.dotted, *(v.key() for v in self.parts))

    def __repr__(self) -> str:
        return f"Layer({self.dotted})"


class ModuleVal(Value):
    """A module of the run."""

    __slots__ = ("state",)

    def __init__(self, state: Any) -> None:
        self.state = state

    def key(self) -> Any:
        return ("m", id(self.state))


class Func(Value):
    """A function or lambda of the run, with the scope it closes over."""

    __slots__ = ("attrs", "code", "defaults", "kind", "owner", "scope")

    @property
    def trace(self) -> Trace | None:
        """The innermost trace when it was defined: its attributes live as long as it does."""
        return self.scope.trace if self.scope is not None else None

    def __init__(self, code: Code, scope: Scope | None, owner: ClassVal | None = None, kind: str = "function") -> None:
        self.code = code
        self.scope = scope
        self.owner = owner
        self.kind = kind  # function | staticmethod | classmethod | property | cached_property
        self.defaults: dict[str, Value] | None = None
        self.attrs: dict[str, Value] = {}

    def key(self) -> Any:
        return ("f", id(self.code), id(self.scope))

    def __repr__(self) -> str:
        return f"Func({self.code.name})"


class Bound(Value):
    """A function with its first argument: a bound method."""

    __slots__ = ("func", "self")

    def __init__(self, func: Value, self_: Value) -> None:
        self.func = func
        self.self = self_

    def key(self) -> Any:
        return ("b", self.func.key(), self.self.key())

    def __repr__(self) -> str:
        return f"Bound({self.func!r})"


class Partial(Value):
    """`functools.partial` and its kin."""

    __slots__ = ("args", "func", "kwargs", "link")

    def __init__(self, func: Value, args: tuple[Value, ...], kwargs: dict[str, Value], link: Link | None) -> None:
        self.func = func
        self.args = args
        self.kwargs = kwargs
        self.link = link

    def key(self) -> Any:
        return ("p", self.func.key(), *(a.key() for a in self.args), *((k, v.key()) for k, v in self.kwargs.items()))


class Native(Value):
    """A callable whose meaning is built into the analysis."""

    __slots__ = ("call", "name")

    def __init__(self, name: str, call: Callable[..., Value]) -> None:
        self.name = name
        self.call = call

    def __repr__(self) -> str:
        return f"Native({self.name})"


class Applied(Native):
    """A library's way to call `func`, which gets the arguments that come after those named in `leading`."""

    __slots__ = ("func", "leading")

    def __init__(self, name: str, call: Callable[..., Value], leading: tuple[str, ...], func: Value) -> None:
        super().__init__(name, call)
        self.leading = leading
        self.func = func


class Member(Value):
    """A method of a value that isn't an object of the run: `x.sum`, `names.append`, `"{}".format`."""

    __slots__ = ("base", "name")

    def __init__(self, base: Value, name: str) -> None:
        self.base = base
        self.name = name

    def key(self) -> Any:
        return (".", self.name, self.base.key())

    def __repr__(self) -> str:
        return f"Member({self.base!r}.{self.name})"


# Among a class's decorations: it is a pytree, but nobody sees which of its fields are leaves.
UNSEEN = "a pytree"


class ClassVal(Mutable):
    """A class of the run: `fields` for dataclass-like classes, `tree` for how JAX sees its objects."""

    __slots__ = (
        "attrs",
        "bases",
        "decorations",
        "fields",
        "frozen",
        "lazy",
        "meta_fields",
        "name",
        "qualname",
        "reassigned",
        "record",
        "state",
        "tree",
    )

    def __init__(self, name: str, qualname: str, state: Any, trace: Trace | None) -> None:
        super().__init__(trace)
        self.name = name
        self.qualname = qualname
        self.state = state
        self.bases: list[Value] = []
        self.attrs: dict[str, Value] = {}
        self.lazy: dict[str, Callable[[], Value]] = {}
        self.fields: list[FieldSpec] = []
        self.record: str | None = None  # "dataclass" | "namedtuple" | "linen" | "equinox" | None
        self.tree: str | None = None  # None | "node" (all fields are leaves unless meta) | "custom"
        self.meta_fields: set[str] = set()
        self.frozen = False
        self.decorations: list[str] = []
        self.reassigned: set[str] = set()  # attributes that methods other than the constructor assign

    def __repr__(self) -> str:
        return f"Class({self.qualname})"


class FieldSpec:
    """A field of a dataclass-like class."""

    __slots__ = ("annotation", "default", "meta", "name")

    def __init__(self, name: str, annotation: str, default: Callable[[], Value] | None, meta: bool) -> None:
        self.name = name
        self.annotation = annotation
        self.default = default
        self.meta = meta


class Instance(Mutable):
    """An object of a class of the run. `open`: attributes that aren't listed may exist all the same.

    `passed`: a compiled function got it as an argument, and nobody sees whether JAX takes it apart there.
    """

    __slots__ = ("attrs", "cls", "open", "passed")

    def __init__(self, cls: ClassVal, trace: Trace | None, open_: bool = False) -> None:
        super().__init__(trace)
        self.cls = cls
        self.attrs: dict[str, Value] = {}
        self.open = open_
        self.passed = False

    def __repr__(self) -> str:
        return f"Instance({self.cls.name})"


class Transformed(Mutable):
    """What a transform such as `jax.jit` made of a function.

    `called`: somebody calls it; `met`: with arguments of which something is known, if only how many they are.
    """

    __slots__ = ("called", "func", "kind", "links", "met", "name", "options", "reads", "stale")

    def __init__(
        self, name: str, kind: str, func: Value, options: dict[str, Value], links: list[Link], trace: Trace | None
    ) -> None:
        super().__init__(trace)
        self.name = name
        self.kind = kind
        self.func = func
        self.options = options
        self.links = links
        self.called = self.met = False
        # By place: the value, and where it was read (the unit and the node), None where that isn't known.
        self.reads: dict[tuple[int, Any], tuple[Value, Any]] = {}
        self.stale: dict[tuple[int, Any], Any] = {}

    def forget(self) -> None:
        """Nothing is compiled: the next call sees what holds then."""
        self.called = self.met = False
        self.reads.clear()
        self.stale.clear()

    def key(self) -> Any:
        return ("j", self.kind, self.func.key(), *((k, v.key()) for k, v in sorted(self.options.items())))

    def __repr__(self) -> str:
        return f"Transformed({self.name},{self.func!r})"
