"""Items: what indices and slices give and take, of arrays, sequences, mappings and objects."""

from __future__ import annotations

from typing import Any

from omnilint.analysis import calls, effects, held, tables
from omnilint.analysis import nodes as cst
from omnilint.analysis.choosing import or_another
from omnilint.analysis.definitions import (
    ClassVal,
    Ext,
    Func,
    Instance,
)
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import any_of, arrays_in, children, join, join_all
from omnilint.analysis.objects import call_method, demand_hash
from omnilint.analysis.values import (
    ABSTRACT,
    ARGUMENT,
    CONCRETE,
    UNKNOWN,
    At,
    Const,
    Either,
    Item,
    JaxArray,
    Mapping,
    Ref,
    Seq,
    SliceVal,
    Static,
    Tup,
    Unknown,
    Value,
)

# What asks NumPy for the value of a tracer, in words.
ASSIGNING, INDEXING = "assigning into a NumPy array", "indexing a NumPy array"


def check_index(it: Interp, frame: Frame, index: Value, node: cst.CSTNode, what: str = "an index") -> None:
    """Slice bounds must be concrete, and boolean masks too."""
    if isinstance(index, SliceVal):
        for bound in index.bounds:
            if it.demand(frame, bound, "slice", node, "a slice bound", "IndexError"):
                return
    elif isinstance(index, JaxArray):
        if index.dtype == "bool":
            it.demand(frame, index, "mask", node, what, "NonConcreteBooleanIndexError")
    elif isinstance(index, (Tup, Seq, Either)):
        for child in children(index):
            check_index(it, frame, child, node, what)


def get_item(it: Interp, frame: Frame, base: Value, index: Value, node: cst.CSTNode) -> Value:
    """`base[index]`."""
    if isinstance(base, Either):
        return join_all(get_item(it, frame, v, index, node) for v in base.options)
    if isinstance(base, JaxArray):
        return _array_item(it, frame, base, index, node)
    if isinstance(base, At):
        check_index(it, frame, index, node)
        return At(base.array, True)
    if isinstance(base, (Tup, Seq)):
        return _sequence_item(it, frame, base, index, node)
    if isinstance(base, Mapping):
        return _mapping_item(it, frame, base, index, node)
    if isinstance(base, Static):
        return _static_item(it, frame, base, index, node)
    if isinstance(base, Const) and isinstance(base.value, str):
        it.demand(frame, index, "index", node, "indexing a string", "TracerIntegerConversionError")
        return Static("str")
    if isinstance(base, Instance):
        if base.cls.record == "namedtuple" and isinstance(index, Const) and isinstance(index.value, int):
            fields = [f.name for f in base.cls.fields]
            if -len(fields) <= index.value < len(fields):
                return base.attrs.get(fields[index.value], UNKNOWN)
        return call_method(it, frame, base, "__getitem__", [index], node)
    if isinstance(base, Ext):
        if base.dotted == "sys.modules":
            own = isinstance(index, Const) and index.value == "__main__"
            return frame.state.value if own else UNKNOWN
        for part in index.items if isinstance(index, Tup) else (index,):
            for bound in part.bounds if isinstance(part, SliceVal) and base.dotted.startswith("jax.numpy.") else ():
                it.demand(frame, bound, "static", node, f"a bound of `{base.dotted}`", "ConcretizationTypeError")
        if tables.jax_function(base.dotted) is not None:  # jnp.mgrid[…], jnp.r_[…]
            return it.operation(frame, node, (index,), label=f"`{base.dotted}` is staged out here")
        return Static("ndarray") if base.dotted.startswith("numpy.") else base
    if isinstance(base, (ClassVal, Func)):
        return base
    if isinstance(base, Ref):
        return _read(base, index)
    return held.part_of(base) if isinstance(base, Unknown) else UNKNOWN


def _read(base: Ref, index: Value) -> Value:
    """What a read from a reference gives; where the index isn't known, it may be one that takes one of several."""
    if isinstance(index, Const) and isinstance(index.value, str):
        return base
    single = isinstance(index, (Const, Static)) and not (isinstance(index, Const) and index.value is Ellipsis)
    return JaxArray(ABSTRACT, ARGUMENT, base.link, tree=single, maybe=isinstance(index, Unknown))


def _array_item(it: Interp, frame: Frame, base: JaxArray, index: Value, node: cst.CSTNode) -> Value:
    if isinstance(index, Const) and isinstance(index.value, str):
        return base.but(tree=True, param=None, dtype=None)
    if base.tree and (
        isinstance(index, Unknown)
        or (isinstance(index, Static) and index.kind == "str")
        or (isinstance(index, JaxArray) and (index.maybe or index.tree))
    ):
        return base.but(tree=True, param=None, dtype=None)
    if base.maybe:
        return base.but(param=None)
    check_index(it, frame, index, node)
    if base.profile == CONCRETE and not it.staging and not any(a.traced for a in arrays_in(index)):
        return base.but(param=None)
    out = it.operation(frame, node, (base, index), base.dtype)
    if not base.tree or not isinstance(index, Const):
        return out
    return out.but(tree=True, source=out.source if base.param is not None or base.source else ())


def _slice_of(items: tuple[Value, ...], index: SliceVal) -> tuple[Value, ...] | None:
    bounds = []
    for b in index.bounds:
        if not isinstance(b, Const) or not (b.value is None or isinstance(b.value, int)):
            return None
        bounds.append(b.value)
    return None if bounds[2] == 0 else items[slice(*bounds)]


def _sequence_item(it: Interp, frame: Frame, base: Tup | Seq, index: Value, node: cst.CSTNode) -> Value:
    items = base.items
    if isinstance(index, SliceVal):
        check_index(it, frame, index, node)
        part = _slice_of(tuple(items), index) if items is not None else None
        if part is not None:
            return Tup(part) if isinstance(base, Tup) else Seq(base.kind, list(part), None, it.trace)
        kind = "tuple" if isinstance(base, Tup) else base.kind
        return Seq(kind, None, join_all(children(base)), it.trace)
    word = "tuple" if isinstance(base, Tup) else base.kind
    it.demand(frame, index, "index", node, f"indexing a {word}", "TracerIntegerConversionError")
    if items is not None and isinstance(index, Const) and isinstance(index.value, int):
        return items[index.value] if -len(items) <= index.value < len(items) else UNKNOWN
    return any_of(children(base))


def _mapping_item(it: Interp, frame: Frame, base: Mapping, index: Value, node: cst.CSTNode) -> Value:
    if demand_hash(it, frame, index, node, "a dict key"):
        return UNKNOWN
    if isinstance(index, Const):
        if index.value in base.items:
            value = base.items[index.value]
            it.note_read(base, index.value, value, (frame.unit, node))
            return or_another(value) if it.is_outer(base.trace) and _stored_into(frame, node) else value
        if base.elem is not None:
            return any_of([base.elem])
        if base.factory is not None:
            value = calls.call(it, frame, base.factory, [], {}, node)
            if isinstance(value, (Seq, Mapping)) and not it.uncertain:
                value.trace = base.trace
                base.items[index.value] = value
            return value
        return UNKNOWN
    values = children(base)
    return any_of(values) if values else UNKNOWN


def _stored_into(frame: Frame, node: cst.CSTNode) -> bool:
    """Do functions of this module store something in the container that is subscripted here?"""
    base = node.value if type(node) is cst.Subscript else None
    word = base.attr.value if type(base) is cst.Attribute else base.value if type(base) is cst.Name else None
    return word is not None and frame.state.stored_into(word)


def _static_item(it: Interp, frame: Frame, base: Static, index: Value, node: cst.CSTNode) -> Value:
    if base.kind == "ndarray":
        for part in index.items if isinstance(index, Tup) else (index,):
            for bound in part.bounds if isinstance(part, SliceVal) else ():
                if it.demand(frame, bound, "index", node, "slicing a NumPy array", "TracerIntegerConversionError"):
                    return Static("ndarray")
        item = Static if isinstance(index, SliceVal) else Item
        if it.demand(frame, index, "numpy", node, INDEXING, "TracerArrayConversionError"):
            return Static("ndarray")
        if isinstance(index, Tup):
            for part in index.items:
                it.demand(frame, part, "numpy", node, INDEXING, "TracerArrayConversionError")
        return item("ndarray", base.from_shape, base.taint)
    if base.taint is not None:
        return base
    if base.kind in ("shape", "range"):
        if isinstance(index, SliceVal):
            check_index(it, frame, index, node)
            return base
        it.demand(frame, index, "index", node, "indexing a shape", "TracerIntegerConversionError")
        return Static("int", base.from_shape)
    return Static("str") if base.kind == "str" else UNKNOWN


def set_item(
    it: Interp, frame: Frame, base: Value, index: Value, value: Value, node: cst.CSTNode, rmw: bool = False
) -> None:
    """`base[index] = value`."""
    if isinstance(base, Either):
        for v in base.options:
            with it.branch():
                set_item(it, frame, v, index, value, node, rmw)
    elif isinstance(base, Mapping):
        if demand_hash(it, frame, index, node, "a dict key"):
            return
        key = index.value if isinstance(index, Const) else None
        old = base.items.get(key) if isinstance(index, Const) else None
        value = effects.write(it, frame, "container", base, key, old, value, node, rmw, label_of(node))
        effects.adopt(it, base, value)
        if isinstance(index, Const) and len(base.items) < 400:
            base.items[key] = join(old, value) if it.uncertain and old is not None else value
        else:
            base.elem = value if base.elem is None else join(base.elem, value)
        base.version += 1
    elif isinstance(base, Seq):
        it.demand(frame, index, "index", node, f"indexing a {base.kind}", "TracerIntegerConversionError")
        effects.write(it, frame, "container", base, None, None, value, node, rmw, label_of(node))
        effects.adopt(it, base, value)
        known = isinstance(index, Const) and isinstance(index.value, int) and base.items is not None
        if known and not it.uncertain and -len(base.items or ()) <= index.value < len(base.items or ()):  # type: ignore[attr-defined]
            base.items[index.value] = value  # type: ignore[index, attr-defined]
        else:
            base.elem = join_all([*children(base), value])
            base.items = None
        base.version += 1
    elif isinstance(base, Static) and base.kind == "ndarray":
        it.demand(frame, value, "numpy", node, ASSIGNING, "TracerArrayConversionError")
        it.demand(frame, index, "numpy", node, INDEXING, "TracerArrayConversionError")
    elif isinstance(base, Instance):
        call_method(it, frame, base, "__setitem__", [index, value], node)
    elif isinstance(base, Unknown):
        held.store(it, frame, base, "container", value, label_of(node), node)


def label_of(node: cst.CSTNode) -> str:
    """The dotted name of the container that is written: `self.log` of `self.log[0].append(x)`."""
    target: Any = node
    if type(target) is cst.Call and type(target.func) is cst.Attribute:
        target = target.func.value  # what has the method
    names: list[str] = []
    while type(target) in (cst.Subscript, cst.Call, cst.Attribute):
        if type(target) is cst.Attribute:
            names.append(target.attr.value)
            target = target.value
        elif type(target) is cst.Subscript:
            names, target = [], target.value
        else:
            names, target = [], target.func.value if type(target.func) is cst.Attribute else target.func
    return ".".join((target.value, *reversed(names))) if type(target) is cst.Name else ""
