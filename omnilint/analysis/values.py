"""Abstract values: what is known of a Python value while a function is being traced.

A value is static (a Python value at trace time, known or not), a JAX array with a profile, a
container, an object, a callable, or unknown. Unknown never leads to a finding.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from omnilint.analysis.traces import Link, Trace

# Profiles of a JAX array (measured per transform in rules/tables/transforms.toml):
ABSTRACT = "abstract"  # no value while tracing: jit, scan, vmap, …
WRAPPED = "wrapped"  # a tracer with a concrete value inside: eager grad, jvp, …
CONCRETE = "concrete"  # an ordinary jax.Array

# Causes: does the value depend on traced arguments, or was it staged from values known while tracing?
ARGUMENT = "argument"
CONSTANT = "constant"


serials = count(1)


class Value:
    """Base of all abstract values."""

    __slots__ = ()

    def key(self) -> Any:
        """Hashable summary: two values of equal key behave alike in a call."""
        return id(self)


class Unknown(Value):
    """Anything at all."""

    __slots__ = ()

    def key(self) -> Any:
        return "?"

    def __repr__(self) -> str:
        return "Unknown"


UNKNOWN = Unknown()


class Held(Unknown):
    """Anything at all, held by something that was made under `trace`: a captured name, a global, an attribute."""

    __slots__ = ("label", "trace")

    def __init__(self, trace: Trace | None, label: str) -> None:
        self.trace = trace
        self.label = label


class Opaque(Unknown):
    """What an unknown function made of tracers, or a part of that."""

    __slots__ = ("link", "part")

    def __init__(self, link: Link, part: bool) -> None:
        self.link = link
        self.part = part


class Ref(Unknown):
    """A reference to memory that the body of a kernel reads and writes: reads give tracers, writes are no effects."""

    __slots__ = ("link",)

    def __init__(self, link: Link) -> None:
        self.link = link

    def key(self) -> Any:
        return "&"


class Const(Value):
    """A known immutable Python value: None, bool, int, float, complex, str, bytes, Ellipsis."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def key(self) -> Any:
        return ("c", type(self.value).__name__, self.value)

    def __repr__(self) -> str:
        return f"Const({self.value!r})"


NONE = Const(None)
TRUE = Const(True)
FALSE = Const(False)


class Static(Value):
    """A Python value that is certainly not a tracer, but not known.

    `kind` is a type word ("int", "float", "bool", "str", "shape", "dtype", "ndarray", "object", …);
    `from_shape` says that it was computed from the shape of an array; `taint` is where it was frozen:
    a clock or host random number read while tracing, a differentiated value made a plain number.
    """

    __slots__ = ("from_shape", "kind", "taint")

    def __init__(self, kind: str = "object", from_shape: bool = False, taint: Link | None = None) -> None:
        self.kind = kind
        self.from_shape = from_shape
        self.taint = taint

    def key(self) -> Any:
        return ("s", self.kind, self.from_shape, id(self.taint) if self.taint is not None else 0)

    def __repr__(self) -> str:
        return f"Static({self.kind})"


class Flag(Static):
    """A switch of a module, which functions set: it says in which of its ways a library runs."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("bool")

    def key(self) -> Any:
        return (*super().key(), "flag")


class Answer(Flag):
    """Whether a tracer came in: what is staged out of constants beside the question is a tracer all the same."""

    __slots__ = ()

    def key(self) -> Any:
        return (*super().key(), "tracer")


class Release(Flag):
    """Whether the release of a library, or Python, that runs is one of some: the target releases don't agree."""

    __slots__ = ()

    def key(self) -> Any:
        return (*super().key(), "release")


class Version(Static):
    """A version, or something made of it; `whole`: all of JAX's, however it is written."""

    __slots__ = ("whole",)

    def __init__(self, whole: bool) -> None:
        super().__init__("object")
        self.whole = whole

    def key(self) -> Any:
        return (*super().key(), "version", self.whole)


class Item(Static):
    """What a NumPy array gives for an index: a number, or a smaller array."""

    __slots__ = ()

    def key(self) -> Any:
        return (*super().key(), "item")


class JaxArray(Value):
    """A JAX array or, with `tree`, a pytree of unknown structure whose leaves are such arrays.

    `maybe` marks a value of which it isn't certain that it is traced: it never leads to a finding by
    itself, but what jax.numpy makes of it under a staging trace does. `param` is the name of the
    argument that it is, when nothing was computed yet. `shaped` marks results that were computed
    from the shape of an array, `vague` those of which no operand is known. `source` says what Python's
    operators computed a value from: names of arguments, and where else it was made (unit, node); empty when not known.
    """

    __slots__ = ("cause", "dtype", "link", "maybe", "param", "profile", "shaped", "source", "tree", "vague")

    def __init__(
        self,
        profile: str,
        cause: str = ARGUMENT,
        link: Link | None = None,
        dtype: str | None = None,
        tree: bool = False,
        maybe: bool = False,
        param: str | None = None,
        shaped: bool = False,
        vague: bool = False,
        source: tuple[Any, ...] = (),
    ) -> None:
        self.profile = profile
        self.cause = cause
        self.link = link
        self.dtype = dtype
        self.tree = tree
        self.maybe = maybe
        self.param = param
        self.shaped = shaped
        self.vague = vague
        self.source = source

    def key(self) -> Any:
        return ("a", self.profile, self.cause, self.dtype, self.tree, self.maybe, self.vague)

    @property
    def traced(self) -> bool:
        """A tracer of some kind, for certain."""
        return self.profile != CONCRETE and not self.maybe

    @property
    def forced(self) -> bool:
        """Was it staged out of values of which none is a tracer?"""
        link = self.link
        while link is not None and link.kind == "through":
            link = link.parent
        return self.cause == CONSTANT or (link is not None and link.kind == "forced")

    def but(self, **changes: Any) -> JaxArray:
        """A copy with some fields changed."""
        new = JaxArray(
            self.profile,
            self.cause,
            self.link,
            self.dtype,
            self.tree,
            self.maybe,
            self.param,
            self.shaped,
            self.vague,
            self.source,
        )
        for name, value in changes.items():
            setattr(new, name, value)
        return new

    def __repr__(self) -> str:
        flags = "".join(f for f, on in (("~", self.maybe), ("*", self.tree)) if on)
        return f"Array({self.profile}{flags},{self.cause},{self.dtype})"


class Tup(Value):
    """A tuple of known length."""

    __slots__ = ("items",)

    def __init__(self, items: Iterable[Value]) -> None:
        self.items = tuple(items)

    def key(self) -> Any:
        return ("t", *(v.key() for v in self.items))

    def __repr__(self) -> str:
        return f"Tup{self.items}"


class Mutable(Value):
    """Anything with identity that code can write to. `trace` is the innermost trace when it was made.

    `asked`: its key is being worked out, so that a container that holds itself has one.
    """

    __slots__ = ("asked", "serial", "trace", "version")

    def __init__(self, trace: Trace | None) -> None:
        self.trace = trace
        self.version = 0
        self.asked = False
        self.serial = next(serials)

    def key(self) -> Any:
        return (id(self), self.version)


class Seq(Mutable):
    """A list, set, deque or iterator: known `items`, or None and the join of its elements in `elem`."""

    __slots__ = ("elem", "items", "kind")

    def __init__(self, kind: str, items: list[Value] | None, elem: Value | None, trace: Trace | None) -> None:
        super().__init__(trace)
        self.kind = kind
        self.items = items
        self.elem = elem

    def key(self) -> Any:
        if self.items is None or len(self.items) > 8 or self.asked:
            return (id(self), self.version)
        self.asked = True
        try:
            return ("l", self.kind, *[v.key() for v in self.items])
        finally:
            self.asked = False

    def __repr__(self) -> str:
        return f"Seq({self.kind},{self.items if self.items is not None else self.elem})"


class Mapping(Mutable):
    """A dict: values of known constant keys in `items`, the join of all others in `elem` (None: no others)."""

    __slots__ = ("elem", "factory", "items")

    def __init__(
        self, items: dict[Any, Value], elem: Value | None, trace: Trace | None, factory: Value | None = None
    ) -> None:
        super().__init__(trace)
        self.items = items
        self.elem = elem
        self.factory = factory

    def key(self) -> Any:
        if len(self.items) > 8 or self.elem is not None or self.asked:
            return (id(self), self.version)
        self.asked = True
        try:
            return ("d", *[(k, v.key()) for k, v in self.items.items()])
        finally:
            self.asked = False

    def __repr__(self) -> str:
        return f"Mapping({self.items},{self.elem})"


class At(Value):
    """`x.at`, or with `indexed` `x.at[…]`."""

    __slots__ = ("array", "indexed")

    def __init__(self, array: JaxArray, indexed: bool = False) -> None:
        self.array = array
        self.indexed = indexed


class SliceVal(Value):
    """A slice object, by the join of its bounds."""

    __slots__ = ("bounds",)

    def __init__(self, bounds: tuple[Value, ...]) -> None:
        self.bounds = bounds

    def key(self) -> Any:
        return ("[:]", *(b.key() for b in self.bounds))


class Either(Value):
    """One of a few values, not known which."""

    __slots__ = ("options",)

    def __init__(self, options: tuple[Value, ...]) -> None:
        self.options = options

    def key(self) -> Any:
        return ("|", *(v.key() for v in self.options))

    def __repr__(self) -> str:
        return f"Either{self.options}"


class AnyOf(Either):
    """One of the values of a container: each of them for some key."""

    __slots__ = ()
