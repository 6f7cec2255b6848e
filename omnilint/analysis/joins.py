"""Several values at once: what is known when a value is one of them, and what one is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from omnilint.analysis.definitions import Func, Instance, Partial, Transformed
from omnilint.analysis.values import (
    ABSTRACT,
    ARGUMENT,
    CONCRETE,
    CONSTANT,
    UNKNOWN,
    WRAPPED,
    AnyOf,
    Const,
    Either,
    JaxArray,
    Mapping,
    Seq,
    SliceVal,
    Static,
    Tup,
    Unknown,
    Value,
)

# Of two profiles, the one that decides.
_RANK = {CONCRETE: 0, WRAPPED: 1, ABSTRACT: 2}


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
        # A part of a tree may be a tree as well; an argument that is computed with is an array.
        (a.tree and b.tree) or any(v.tree and v.param is None for v in (a, b)),
        (a.maybe and b.maybe) or uncertain,
        a.param if a.param == b.param else None,
        a.shaped and b.shaped,
        a.vague or b.vague,
        a.source if a.source == b.source else (),
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
