"""Objects of the run come about: constructors, and the fields of records."""

from __future__ import annotations

from omnilint.analysis import calls
from omnilint.analysis import nodes as cst
from omnilint.analysis.definitions import (
    Bound,
    ClassVal,
    Func,
    Instance,
    Native,
    Transformed,
)
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.objects import all_fields, external_bases, find, foreign_bases
from omnilint.analysis.values import (
    NONE,
    UNKNOWN,
    JaxArray,
    Mapping,
    Seq,
    Static,
    Value,
)


def instantiate(
    it: Interp, frame: Frame, cls: ClassVal, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    """`cls(*args, **kwargs)`."""
    bases = external_bases(cls)
    if any(b.rpartition(".")[2] in ("Enum", "IntEnum", "Flag", "Protocol") for b in bases):
        for v in args:
            scalar = v.but(tree=False) if isinstance(v, JaxArray) and not v.maybe else v  # no pytree is a value of it
            it.demand(frame, scalar, "hash", node, f"looking up a member of `{cls.name}`", "TracerBoolConversionError")
        return Static("enum")
    new = find(cls, "__new__")
    if isinstance(new, Func) and cls.record is None:
        made = calls.call(it, frame, new, [cls, *args], kwargs, node)
        if not isinstance(made, Instance):
            return Instance(cls, it.trace, True)
        obj = made
    else:
        obj = Instance(cls, it.trace)
    init = find(cls, "__init__")
    if isinstance(init, (Func, Transformed, Native)):
        obj.open = cls.record not in ("linen", "equinox") and bool(foreign_bases(cls))
        calls.call(it, frame, Bound(init, obj), args, kwargs, node)
        return obj
    if cls.record:
        _fill_fields(it, cls, obj, args, kwargs)
        post = find(cls, "__post_init__")
        if isinstance(post, Func):
            calls.call(it, frame, Bound(post, obj), [], {}, node)
        obj.open = cls.record in ("linen",)
        return obj
    obj.open = bool(foreign_bases(cls))
    return obj


def _fill_fields(it: Interp, cls: ClassVal, obj: Instance, args: list[Value], kwargs: dict[str, Value]) -> None:
    fields = all_fields(cls)
    for f, v in zip(fields, args, strict=False):
        obj.attrs[f.name] = v
    for k, v in kwargs.items():
        if k != "**":
            obj.attrs[k] = v
    for f in fields:
        if f.name not in obj.attrs:
            value = UNKNOWN if f.default is None or "**" in kwargs else f.default()
            if isinstance(value, (Seq, Mapping, Instance)):
                value.trace = it.trace  # a default_factory makes it anew for each object
            obj.attrs[f.name] = value
    if cls.record == "linen":
        obj.attrs.setdefault("name", NONE)
