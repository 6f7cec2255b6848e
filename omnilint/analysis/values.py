"""Abstract values: what is known of a Python value while a function is being traced.

A value is static (a Python value at trace time, known or not), a JAX array with a profile, a
container, an object, a callable, or unknown. Unknown never leads to a finding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

from omnilint.analysis import tables

if TYPE_CHECKING:
    from omnilint.analysis.code import Code, Scope
    from omnilint.analysis.traces import Link, Trace

# Profiles of a JAX array (measured per transform in rules/tables/transforms.toml):
ABSTRACT = "abstract"  # no value while tracing: jit, scan, vmap, …
WRAPPED = "wrapped"  # a tracer with a concrete value inside: eager grad, jvp, …
CONCRETE = "concrete"  # an ordinary jax.Array
_RANK = {CONCRETE: 0, WRAPPED: 1, ABSTRACT: 2}

# Causes: does the value depend on traced arguments, or was it staged from values known while tracing?
ARGUMENT = "argument"
CONSTANT = "constant"


serials = count(1)
_CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "newaxis": None, "tau": math.tau}


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
    from the shape of an array, `vague` those of which no operand is known.
    """

    __slots__ = ("cause", "dtype", "link", "maybe", "param", "profile", "shaped", "tree", "vague")

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
    """An object of a class of the run. `open`: attributes that aren't listed may exist all the same."""

    __slots__ = ("attrs", "cls", "open")

    def __init__(self, cls: ClassVal, trace: Trace | None, open_: bool = False) -> None:
        super().__init__(trace)
        self.cls = cls
        self.attrs: dict[str, Value] = {}
        self.open = open_

    def __repr__(self) -> str:
        return f"Instance({self.cls.name})"


class Transformed(Mutable):
    """What a transform such as `jax.jit` made of a function."""

    __slots__ = ("called", "func", "kind", "links", "name", "options", "reads", "stale")

    def __init__(
        self, name: str, kind: str, func: Value, options: dict[str, Value], links: list[Link], trace: Trace | None
    ) -> None:
        super().__init__(trace)
        self.name = name
        self.kind = kind
        self.func = func
        self.options = options
        self.links = links
        self.called = False
        # By place: the value, and where it was read (the unit and the node), None where that isn't known.
        self.reads: dict[tuple[int, Any], tuple[Value, Any]] = {}
        self.stale: dict[tuple[int, Any], Any] = {}

    def forget(self) -> None:
        """Nothing is compiled: the next call sees what holds then."""
        self.called = False
        self.reads.clear()
        self.stale.clear()

    def key(self) -> Any:
        return ("j", self.kind, self.func.key(), *((k, v.key()) for k, v in sorted(self.options.items())))

    def __repr__(self) -> str:
        return f"Transformed({self.name},{self.func!r})"


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


def any_of(values: Iterable[Value]) -> Value:
    """What a container gives for a key that isn't known."""
    out = join_all(values)
    return AnyOf(out.options) if isinstance(out, Either) else out


def options(value: Value) -> tuple[Value, ...]:
    """The alternatives that a value stands for (itself, when there is one)."""
    return value.options if isinstance(value, Either) else (value,)


def _kind(v: Value) -> str | None:
    if isinstance(v, Static):
        return v.kind
    if isinstance(v, Const) and v.value is not None:
        return type(v.value).__name__
    return None


def join(a: Value, b: Value) -> Value:
    """What is known when a value is one of `a` and `b`."""
    if a is b:
        return a
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        other = b if isinstance(a, Unknown) else a
        if isinstance(other, JaxArray):
            return other.but(maybe=True)
        return Either((other, UNKNOWN)) if isinstance(other, (Func, Partial, Transformed)) else UNKNOWN
    if isinstance(a, JaxArray) and isinstance(b, JaxArray):
        return _join_arrays(a, b)
    ka, kb = _kind(a), _kind(b)
    if ka is not None and ka == kb:
        if isinstance(a, Const) and isinstance(b, Const) and a.key() == b.key():
            return a
        shaped = any(isinstance(v, Static) and v.from_shape for v in (a, b))
        taint = next((v.taint for v in (a, b) if isinstance(v, Static) and v.taint), None)
        return Static(ka, shaped, taint)
    if isinstance(a, Tup) and isinstance(b, Tup) and len(a.items) == len(b.items):
        return Tup(join(x, y) for x, y in zip(a.items, b.items, strict=True))
    found: list[Value] = []
    keys: set[Any] = set()
    for v in (*options(a), *options(b)):
        if isinstance(v, JaxArray):
            i = next((i for i, w in enumerate(found) if isinstance(w, JaxArray)), None)
            if i is not None:
                found[i] = join(found[i], v)
                continue
        k = v.key()
        if k not in keys:
            keys.add(k)
            found.append(v)
    if len(found) == 1:
        return found[0]
    if len(found) > 6:
        arrays = [v for v in found if isinstance(v, JaxArray)]
        return arrays[0].but(maybe=True) if arrays else UNKNOWN
    return Either(tuple(found))


def _join_arrays(a: JaxArray, b: JaxArray) -> JaxArray:
    top = a if _RANK[a.profile] >= _RANK[b.profile] else b
    cause = ARGUMENT if ARGUMENT in (a.cause, b.cause) else CONSTANT
    if top.cause != cause:
        top = b if top is a else a
    profile = a.profile if _RANK[a.profile] >= _RANK[b.profile] else b.profile
    uncertain = a.profile != b.profile and CONCRETE in (a.profile, b.profile)
    return JaxArray(
        profile,
        top.cause,
        top.link,
        a.dtype if a.dtype == b.dtype else None,
        a.tree and b.tree,
        (a.maybe and b.maybe) or uncertain,
        a.param if a.param == b.param else None,
        a.shaped and b.shaped,
        a.vague or b.vague,
    )


def join_all(values: Iterable[Value]) -> Value:
    """The join of several values; Unknown for none."""
    out: Value | None = None
    for v in values:
        out = v if out is None else join(out, v)
    return UNKNOWN if out is None else out


def stronger(a: str, b: str) -> str:
    """The profile that decides when two arrays meet in an operation."""
    return a if _RANK[a] >= _RANK[b] else b


def arrays_in(value: Value, depth: int = 4) -> Iterator[JaxArray]:
    """The JAX arrays at the leaves of a value."""
    if isinstance(value, JaxArray):
        yield value
    elif depth > 0:
        for child in children(value):
            yield from arrays_in(child, depth - 1)


def children(value: Value) -> Iterable[Value]:
    """What a container holds, or the alternatives of an Either; nothing for other values."""
    if isinstance(value, Tup):
        return value.items
    if isinstance(value, Seq):
        return value.items if value.items is not None else ([value.elem] if value.elem is not None else [])
    if isinstance(value, Mapping):
        return [*value.items.values(), *([value.elem] if value.elem is not None else [])]
    if isinstance(value, Either):
        return value.options
    if isinstance(value, Instance) and (value.cls.tree or value.cls.record):
        return list(value.attrs.values())
    if isinstance(value, SliceVal):
        return value.bounds
    return ()
