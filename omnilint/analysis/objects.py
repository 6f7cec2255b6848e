"""Attributes and methods: how objects of the run, their classes and arrays answer."""

from __future__ import annotations

from typing import Any

from omnilint.analysis import calls, effects, held, layers, tables
from omnilint.analysis import nodes as cst
from omnilint.analysis.definitions import (
    Bound,
    ClassVal,
    Ext,
    ExtInstance,
    Func,
    Instance,
    Layer,
    Member,
    ModuleVal,
    Native,
    Partial,
    Transformed,
)
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import join, join_all
from omnilint.analysis.values import (
    UNKNOWN,
    WRAPPED,
    At,
    Const,
    Either,
    JaxArray,
    Mapping,
    Seq,
    Static,
    Tup,
    Unknown,
    Value,
)

_STATIC_KINDS = {"shape": "shape", "ndim": "int", "size": "int", "dtype": "dtype", "itemsize": "int", "nbytes": "int"}


# -- attributes -------------------------------------------------------------------------------------


def get_attribute(it: Interp, frame: Frame, base: Value, name: str, node: cst.CSTNode) -> Value:
    """`base.name`."""
    if isinstance(base, (Ext, ModuleVal, ClassVal)):
        return attribute_by_name(it, base, name)
    if isinstance(base, JaxArray):
        return _array_attribute(it, frame, base, name, node)
    if isinstance(base, Instance):
        return instance_attribute(it, frame, base, name, node)
    if isinstance(base, Either):
        return join_all(get_attribute(it, frame, v, name, node) for v in base.options)
    if isinstance(base, Static):
        return _static_attribute(base, name)
    if isinstance(base, (Func, Transformed)):
        return _function_attribute(base, name)
    if isinstance(base, Partial):
        return {"func": base.func, "args": Tup(base.args)}.get(name, UNKNOWN)
    if isinstance(base, (Seq, Mapping, Tup, Const, At, ExtInstance)):
        return Member(base, name)
    if isinstance(base, calls.Super):
        found = find(base.cls, name, after=base.cls) if not isinstance(base.obj, Instance) else _super_find(base, name)
        if found is None and name == "__setattr__" and isinstance(base.obj, Instance):
            return Partial(Ext("builtins.setattr"), (base.obj,), {}, None)
        return UNKNOWN if found is None else bind(it, frame, base.obj, base.cls, found, name, node)
    if isinstance(base, Unknown):
        # Whatever it is, its shape is no tracer.
        return Static(_STATIC_KINDS[name], True) if name in ("shape", "ndim") else held.part_of(base)
    if isinstance(base, Layer):
        return layers.member(it, frame, base, name, node) or UNKNOWN
    if isinstance(base, Bound):
        return {"__self__": base.self, "__func__": base.func}.get(name) or get_attribute(
            it, frame, base.func, name, node
        )
    return UNKNOWN


def attribute_by_name(it: Interp, base: Ext | ModuleVal | ClassVal, name: str) -> Value:
    """`base.name` where it depends on nothing that runs."""
    if isinstance(base, Ext):
        return it.environ if name == "environ" and base.dotted == "os" else base.member(name)
    if isinstance(base, ClassVal):
        return class_attribute(it, base, name)
    found: Value | None = base.state.get(name)
    if found is None:
        return base.state.submodule(name) or UNKNOWN
    if it.trace is not None and isinstance(found, Const):
        it.note_read(base.state.scope, name, found)
    return found


def _array_attribute(it: Interp, frame: Frame, base: JaxArray, name: str, node: cst.CSTNode) -> Value:
    members = tables.array_members()
    if name in members.methods:
        return Member(base, name)
    answer = members.attributes.get(name)
    if answer is None:
        if base.maybe and base.param is not None:
            return UNKNOWN  # a field of something that may well be static
        if base.tree or base.maybe:
            # A field of a pytree: it may be a leaf, or static metadata of its node.
            return base.but(maybe=True, tree=True, param=None, dtype=None)
        return Member(base, name) if name.startswith("__") else UNKNOWN
    if not isinstance(answer, str):
        answer = answer["grad" if base.profile == WRAPPED else "jit"]
    if name == "at":
        return At(base)
    if answer == "static":
        return Static(_STATIC_KINDS.get(name, "object"), name in ("shape", "ndim", "size"))
    if answer == "traced":
        return it.operation(frame, node, (base,), base.dtype, python=True)
    return UNKNOWN


def _static_attribute(base: Static, name: str) -> Value:
    if base.taint is not None and base.kind != "ndarray" and not name.startswith("__"):
        # What is frozen stays frozen, whichever part of it is used: datetime.now().microsecond, .timestamp()
        return Static("frozen", taint=base.taint)
    if base.kind == "ndarray":
        if name in _STATIC_KINDS:
            return Static(_STATIC_KINDS[name], base.from_shape)
        if name in ("T", "real", "imag", "flat"):
            return Static("ndarray", base.from_shape, base.taint)
    if base.kind in ("ndarray", "str", "shape", "int", "float", "bool", "dtype", "number"):
        return Member(base, name)
    return UNKNOWN


def _function_attribute(base: Func | Transformed, name: str) -> Value:
    if isinstance(base, Func) and name in base.attrs:
        return base.attrs[name]
    if name == "__name__" and isinstance(base, Func):
        return Const(base.code.name)
    if name in ("__name__", "__qualname__", "__doc__", "__module__"):
        return Static("str")
    if name == "__wrapped__" and isinstance(base, Transformed):
        return base.func
    return Member(base, name)


def mro(cls: ClassVal) -> list[ClassVal]:
    """The classes of the run that a class inherits from, itself first."""
    if not any(isinstance(b, ClassVal) for b in cls.bases):  # most
        return [cls]
    out: list[ClassVal] = []
    todo: list[Value] = [cls]
    while todo:
        c = todo.pop(0)
        if isinstance(c, ClassVal) and c not in out:
            out.append(c)
            todo.extend(c.bases)
    return out


def external_bases(cls: ClassVal) -> set[str]:
    """Dotted names of the classes from elsewhere that a class inherits from; "?" for an unknown one."""
    out: set[str] = set()
    for c in mro(cls):
        for b in c.bases:
            if isinstance(b, Ext):
                out.add(b.dotted)
            elif not isinstance(b, ClassVal):
                out.add("?")
    return out


# Bases that bring no attributes of their own.
_BARE = frozenset(["object", "builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol"])


def foreign_bases(cls: ClassVal) -> set[str]:
    """The external bases that may bring attributes of which nothing is known."""
    return external_bases(cls) - _BARE


def find(cls: ClassVal, name: str, after: ClassVal | None = None) -> Value | None:
    """The class attribute `name`, looked up along the bases (those after `after`)."""
    chain = mro(cls)
    if after is not None and after in chain:
        chain = chain[chain.index(after) + 1 :]
    for c in chain:
        value = _own(c, name)
        if value is not None:
            return value
    return None


def _super_find(base: calls.Super, name: str) -> Value | None:
    assert isinstance(base.obj, Instance)
    chain = mro(base.obj.cls)
    rest = chain[chain.index(base.cls) + 1 :] if base.cls in chain else mro(base.cls)[1:]
    return next((v for c in rest if (v := _own(c, name)) is not None), None)


def _own(cls: ClassVal, name: str) -> Value | None:
    if name not in cls.attrs and name in cls.lazy:
        cls.attrs[name] = cls.lazy.pop(name)()
    return cls.attrs.get(name)


def instance_attribute(it: Interp, frame: Frame, base: Instance, name: str, node: cst.CSTNode) -> Value:
    """`base.name` for an object of the run."""
    value = base.attrs.get(name)
    if value is not None:
        it.note_read(base, name, value, (frame.unit, node))
        if isinstance(value, Unknown) and not effects.managed(base, frame):
            return held.held(it, value, base.trace, name)
        return value
    if name == "__class__":
        return base.cls
    if name == "__dict__":
        return Mapping(base.attrs, UNKNOWN if base.open else None, base.trace)
    if name in ("_replace", "_asdict", "_fields") and base.cls.record == "namedtuple":
        return Native(name, lambda f, a, kw, n: replaced(it, f, base, kw, n) if name == "_replace" else UNKNOWN)
    if name == "replace" and find(base.cls, "replace") is None and base.cls.record:
        return Native(name, lambda f, a, kw, n: replaced(it, f, base, kw, n))
    found = find(base.cls, name)
    if found is not None:
        if it.trace is not None and isinstance(found, Const):
            it.note_read(next(c for c in mro(base.cls) if name in c.attrs), name, found, (frame.unit, node))
        return bind(it, frame, base, base.cls, found, name, node)
    made = layers.member(it, frame, base, name, node)
    if made is not None:
        return made
    getter = find(base.cls, "__getattr__")
    if isinstance(getter, Func) and not base.open:
        return calls.call(it, frame, Bound(getter, base), [Const(name)], {}, node)
    return UNKNOWN if effects.managed(base, frame) else held.held(it, UNKNOWN, base.trace, name)


def bind(it: Interp, frame: Frame, base: Value, cls: ClassVal, found: Value, name: str, node: cst.CSTNode) -> Value:
    """What a class attribute becomes when it is read from an object."""
    if isinstance(found, Func):
        if found.kind == "staticmethod":
            return found.attrs.get("__func__", found)
        if found.kind == "classmethod":
            return Bound(found.attrs.get("__func__", found), cls)
        if found.kind in ("property", "cached_property"):
            value = calls.call(it, frame, Bound(found, base), [], {}, node)
            if found.kind == "cached_property" and isinstance(base, Instance):
                effects.memoised(it, frame, base, name, value, found, node)
                it.ledger.save(base)
                base.attrs[name] = value
            return value
        return Bound(found, base)
    if isinstance(found, Transformed):
        return Bound(found, base)
    if isinstance(found, Partial) and isinstance(found.func, (Func, Transformed)):
        return found
    if isinstance(found, Native) and found.name.startswith("method:"):
        return Bound(found, base)
    if isinstance(found, Instance) and find(found.cls, "__get__") is not None:
        return call_method(it, frame, found, "__get__", [base, cls], node)
    return found


def class_attribute(it: Interp, cls: ClassVal, name: str) -> Value:
    """`cls.name`."""
    found = find(cls, name)
    if it.trace is not None and isinstance(found, Const):
        it.note_read(next(c for c in mro(cls) if name in c.attrs), name, found)
    if found is None:
        if name in ("__name__", "__qualname__", "__module__", "__doc__"):
            return Static("str")
        if name == "__dict__":
            return Mapping({n: _own(cls, n) or UNKNOWN for n in [*cls.attrs, *cls.lazy]}, None, cls.trace)
        return UNKNOWN
    if isinstance(found, Func):
        if found.kind == "classmethod":
            return Bound(found.attrs.get("__func__", found), cls)
        if found.kind == "staticmethod":
            return found.attrs.get("__func__", found)
    if isinstance(found, Native) and found.name.startswith("method:class:"):
        return Bound(found, cls)
    if any(b in ("enum.Enum", "enum.IntEnum", "enum.Flag") for b in external_bases(cls)) and not isinstance(
        found, Func
    ):
        return Static("enum")
    return found


def replaced(it: Interp, frame: Frame, base: Instance, changes: dict[str, Value], node: cst.CSTNode) -> Value:
    """A copy of a record with some fields changed; its `__post_init__` runs again."""
    out = Instance(base.cls, it.trace, base.open)
    out.attrs = {**base.attrs, **{k: v for k, v in changes.items() if k not in ("*", "**")}}
    post = find(base.cls, "__post_init__")
    if isinstance(post, Func) and base.cls.record == "dataclass":
        calls.call(it, frame, Bound(post, out), [], {}, node)
    return out


def set_attribute(
    it: Interp, frame: Frame, base: Value, name: str, value: Value, node: cst.CSTNode, rmw: bool = False
) -> None:
    """`base.name = value`."""
    if isinstance(base, Either):
        for v in base.options:
            with it.branch():
                set_attribute(it, frame, v, name, value, node, rmw)
        return
    if isinstance(base, Instance):
        setter = find(base.cls, f"{name}@setter")
        if isinstance(setter, Func):
            calls.call(it, frame, Bound(setter, base), [value], {}, node)
            return
        descriptor = find(base.cls, name)
        if isinstance(descriptor, Instance) and find(descriptor.cls, "__set__") is not None:
            call_method(it, frame, descriptor, "__set__", [base, value], node)
            return
        it.ledger.save(base)
        if not effects.managed(base, frame):
            value = effects.write(it, frame, "attribute", base, name, base.attrs.get(name), value, node, rmw, name)
        old = base.attrs.get(name)
        base.attrs[name] = join(old, value) if it.uncertain and old is not None else value
        base.version += 1
    elif isinstance(base, ClassVal):
        label = f"{base.name}.{name}"
        value = effects.write(it, frame, "attribute", base, name, base.attrs.get(name), value, node, rmw, label)
        base.attrs[name] = value
        base.version += 1
    elif isinstance(base, Func):
        label = f"{base.code.name}.{name}"
        base.attrs[name] = effects.write(
            it, frame, "attribute", base, name, base.attrs.get(name), value, node, rmw, label
        )
    elif isinstance(base, ModuleVal):
        value = effects.write(it, frame, "global", base.state.scope, name, base.state.get(name), value, node, rmw, name)
        base.state.scope.vars[name] = value
    elif isinstance(base, Unknown):
        held.store(it, frame, base, "attribute", value, name, node)


def set_some_attribute(it: Interp, frame: Frame, base: Value, value: Value, node: cst.CSTNode) -> None:
    """`setattr(base, name, value)` with a name that isn't known."""
    if isinstance(base, Instance) and not effects.managed(base, frame):
        effects.write(it, frame, "attribute", base, None, None, value, node, False, "")
        base.open = True
        base.version += 1


def call_instance(
    it: Interp, frame: Frame, base: Instance, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    """`base(*args, **kwargs)`; Unknown when the class has no `__call__`."""
    found = find(base.cls, "__call__")
    if found is None:
        return UNKNOWN
    return calls.call(it, frame, bind(it, frame, base, base.cls, found, "__call__", node), args, kwargs, node)


def call_method(it: Interp, frame: Frame, base: Value, name: str, args: list[Value], node: cst.CSTNode) -> Value:
    """`base.name(*args)`; Unknown when there is no such method."""
    if isinstance(base, Instance):
        found = find(base.cls, name)
        if found is None:
            return UNKNOWN
        return calls.call(it, frame, bind(it, frame, base, base.cls, found, name, node), args, {}, node)
    return calls.call(it, frame, get_attribute(it, frame, base, name, node), args, {}, node)


def dunder(it: Interp, frame: Frame, word: str, left: Value, right: Value, node: cst.CSTNode) -> Value:
    """A binary operator where one side is an object of the run."""
    if isinstance(left, Instance) and find(left.cls, f"__{word}__") is not None:
        return call_method(it, frame, left, f"__{word}__", [right], node)
    if isinstance(right, Instance) and find(right.cls, f"__r{word}__") is not None:
        return call_method(it, frame, right, f"__r{word}__", [left], node)
    return UNKNOWN


def compare(it: Interp, frame: Frame, operator: type, left: Value, right: Value, node: cst.CSTNode) -> Value:
    """A comparison where one side is an object of the run."""
    words: dict[Any, str] = {
        cst.Equal: "eq",
        cst.NotEqual: "ne",
        cst.LessThan: "lt",
        cst.LessThanEqual: "le",
        cst.GreaterThan: "gt",
        cst.GreaterThanEqual: "ge",
    }
    word = words[operator]
    if isinstance(left, Instance) and isinstance(find(left.cls, f"__{word}__"), Func):
        return call_method(it, frame, left, f"__{word}__", [right], node)
    return UNKNOWN


def demand_hash(it: Interp, frame: Frame, value: Value, node: cst.CSTNode, what: str) -> bool:
    """A value is hashed, and so is what a tuple holds; True when that can't be done."""
    if isinstance(value, Tup):
        return any(demand_hash(it, frame, v, node, what) for v in value.items)
    return it.demand(frame, value, "hash", node, what, "TypeError", True)


def all_fields(cls: ClassVal) -> list[Any]:
    """Fields of a dataclass-like class, inherited ones first."""
    out: dict[str, Any] = {}
    for c in reversed(mro(cls)):
        for f in c.fields:
            out[f.name] = f
    return list(out.values())
