"""Functions on pytrees: map, leaves, flatten, reduce, registration."""

from __future__ import annotations

from collections.abc import Iterator

from omnilint.analysis import calls
from omnilint.analysis import nodes as cst
from omnilint.analysis.definitions import ClassVal, Instance
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import join, join_all
from omnilint.analysis.values import UNKNOWN, Const, Either, JaxArray, Mapping, Seq, Static, Tup, Unknown, Value

# Parts of a tree below so many levels are taken for leaves: code can make a container that holds itself.
LEVELS = 6


def leaves(value: Value, depth: int = LEVELS) -> list[Value]:
    """The leaves of a pytree, None left out; objects that JAX doesn't know are leaves."""
    if isinstance(value, Const) and value.value is None:
        return []
    if depth:
        if isinstance(value, Tup):
            return [x for v in value.items for x in leaves(v, depth - 1)]
        if isinstance(value, Seq) and value.kind in ("list", "tuple"):
            inner = value.items if value.items is not None else [value.elem or UNKNOWN]
            return [x for v in inner for x in leaves(v, depth - 1)]
        if isinstance(value, Mapping):
            inner = [*value.items.values(), *([value.elem] if value.elem is not None else [])]
            return [x for v in inner for x in leaves(v, depth - 1)]
        if isinstance(value, Instance) and value.cls.tree:
            return [x for k, v in value.attrs.items() if k not in value.cls.meta_fields for x in leaves(v, depth - 1)]
        if isinstance(value, Either):
            return [x for v in value.options for x in leaves(v, depth - 1)]
    return [value.but(tree=False) if isinstance(value, JaxArray) and value.tree else value]


def rebuild(it: Interp, value: Value, leaf: Value, depth: int = LEVELS) -> Value:
    """A pytree of the structure of `value` with `leaf` at each leaf."""
    if isinstance(value, Const) and value.value is None:
        return value
    if not depth:
        return _in_place_of(UNKNOWN, leaf)
    if isinstance(value, Tup):
        return Tup(rebuild(it, v, leaf, depth - 1) for v in value.items)
    if isinstance(value, Seq) and value.kind in ("list", "tuple"):
        items = None if value.items is None else [rebuild(it, v, leaf, depth - 1) for v in value.items]
        return Seq(value.kind, items, None if items is not None else leaf, it.trace)
    if isinstance(value, Mapping):
        new = {k: rebuild(it, v, leaf, depth - 1) for k, v in value.items.items()}
        return Mapping(new, leaf if value.elem is not None else None, it.trace)
    if isinstance(value, Instance) and value.cls.tree:
        out = Instance(value.cls, it.trace, value.open)
        for k, v in value.attrs.items():
            out.attrs[k] = v if k in value.cls.meta_fields else rebuild(it, v, leaf, depth - 1)
        return out
    if isinstance(value, Either):
        return join_all(rebuild(it, v, leaf, depth - 1) for v in value.options)
    return _in_place_of(value, leaf)


def _in_place_of(value: Value, leaf: Value) -> Value:
    """What a new leaf says of a part of a tree: where its structure isn't known, it is leaves of a tree."""
    unknown = isinstance(value, Unknown) or (isinstance(value, JaxArray) and value.tree)
    return leaf.but(tree=True, param=None) if unknown and isinstance(leaf, JaxArray) else leaf


def stage_leaves(it: Interp, frame: Frame, value: Value, node: cst.CSTNode) -> Value:
    """Each leaf goes through an operation of JAX."""
    found = leaves(value)
    return rebuild(it, value, it.operation(frame, node, found)) if found else value


def _map(it: Interp, frame: Frame, func: Value, trees: list[Value], node: cst.CSTNode, path: bool = False) -> Value:
    if not trees:
        return UNKNOWN
    if any(isinstance(t, JaxArray) and t.maybe for t in trees):
        return UNKNOWN
    if isinstance(trees[0], Either):
        with it.branch():
            return join_all(_map(it, frame, func, [t, *trees[1:]], node, path) for t in trees[0].options)
    columns = [leaves(t) for t in trees]
    if not columns[0]:
        return trees[0]
    n = max(len(c) for c in columns)
    if n > 8 or any(len(c) not in (1, n) for c in columns):
        columns = [[join_all(c)] if c else [UNKNOWN] for c in columns]
        n = 1
    results: list[Value] = []
    for i in range(n):
        row = [c[i] if len(c) == n else (c[0] if c else UNKNOWN) for c in columns]
        results.append(calls.call(it, frame, func, [Static("path"), *row] if path else row, {}, node))
    if n == 1:
        return rebuild(it, trees[0], results[0])
    counter = iter(results)
    return _refill(it, trees[0], counter)


def _refill(it: Interp, value: Value, results: Iterator[Value], depth: int = LEVELS) -> Value:
    """`value` with its leaves replaced in order."""
    if isinstance(value, Const) and value.value is None:
        return value
    if not depth:
        return _in_place_of(UNKNOWN, next(results, UNKNOWN))
    if isinstance(value, Tup):
        return Tup(_refill(it, v, results, depth - 1) for v in value.items)
    if isinstance(value, Seq) and value.kind in ("list", "tuple") and value.items is not None:
        return Seq(value.kind, [_refill(it, v, results, depth - 1) for v in value.items], None, it.trace)
    if isinstance(value, Mapping):
        items = {k: _refill(it, v, results, depth - 1) for k, v in value.items.items()}
        return Mapping(items, None if value.elem is None else _refill(it, value.elem, results, depth - 1), it.trace)
    if isinstance(value, Instance) and value.cls.tree:
        out = Instance(value.cls, it.trace, value.open)
        for k, v in value.attrs.items():
            out.attrs[k] = v if k in value.cls.meta_fields else _refill(it, v, results, depth - 1)
        return out
    if isinstance(value, Either):
        return join_all(_refill(it, v, results, depth - 1) for v in value.options)
    return _in_place_of(value, next(results, UNKNOWN))


def call_tree(
    it: Interp, frame: Frame, dotted: str, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode
) -> Value:
    """Call a function of `jax.tree` or `jax.tree_util`."""
    word = dotted.rpartition(".")[2]
    if word == "map" and args:
        return _map(it, frame, args[0], args[1:] or [kwargs.get("tree", UNKNOWN)], node)
    if word == "map_with_path" and args:
        return _map(it, frame, args[0], args[1:], node, path=True)
    if word in ("leaves", "flatten") and args:
        found = leaves(args[0])
        if "is_leaf" in kwargs:
            found = [
                v.but(tree=True) if isinstance(v, JaxArray) and isinstance(args[0], JaxArray) else v for v in found
            ]
        known = not any(isinstance(v, JaxArray) and args[0] is v for v in found) and len(found) <= 16
        tree = isinstance(args[0], JaxArray) and args[0].tree
        if known and not tree and _closed(args[0]):
            out: Value = Seq("list", found, None, it.trace)
        else:
            out = Seq("list", None, join_all(found), it.trace)
        return out if word == "leaves" else Tup((out, Static("treedef")))
    if word in ("structure",):
        return Static("treedef")
    if word in ("leaves_with_path", "flatten_with_path") and args:
        elem = join_all(leaves(args[0]))
        pairs = Seq("list", None, Tup((Static("path"), elem)), it.trace)
        return pairs if word == "leaves_with_path" else Tup((pairs, Static("treedef")))
    if word == "unflatten" and len(args) > 1:
        elem = join_all(leaves(args[1]))
        return elem.but(tree=True, param=None) if isinstance(elem, JaxArray) else UNKNOWN
    if word == "reduce" and len(args) > 1:
        found = leaves(args[1])
        if not found:
            return args[2] if len(args) > 2 else UNKNOWN
        elem = join_all(found)
        start = args[2] if len(args) > 2 else elem
        first = calls.call(it, frame, args[0], [start, elem], {}, node)
        return join(first, calls.call(it, frame, args[0], [first, elem], {}, node))
    if word == "all" and args:
        for v in leaves(args[0]):
            it.demand(frame, v, "bool", node, "`jax.tree.all`", "TracerBoolConversionError")
        return Static("bool")
    if word == "keystr":
        return Static("str")
    if word.startswith("register_"):
        _register(it, word, args, kwargs)
        return args[0] if args else UNKNOWN
    if word == "transpose" and args:
        return UNKNOWN
    return UNKNOWN


def _closed(value: Value, depth: int = LEVELS) -> bool:
    """Is the structure known all the way down?"""
    if not depth:
        return False
    if isinstance(value, Seq) and value.items is None:
        return False
    if isinstance(value, Mapping) and value.elem is not None:
        return False
    if isinstance(value, (Tup, Seq)):
        return all(_closed(v, depth - 1) for v in (value.items or ()))
    if isinstance(value, Mapping):
        return all(_closed(v, depth - 1) for v in value.items.values())
    return not isinstance(value, Either)


def _register(it: Interp, word: str, args: list[Value], kwargs: dict[str, Value]) -> None:
    from omnilint.analysis.classes import register_dataclass

    if not args or not isinstance(args[0], ClassVal):
        return
    cls = args[0]
    it.ledger.save(cls)
    if word == "register_dataclass":
        names = ("data_fields", "meta_fields")
        register_dataclass(cls, {**dict(zip(names, args[1:], strict=False)), **kwargs})
    else:
        cls.tree = "custom"
        if word == "register_pytree_node" and len(args) == 3 and "tree_flatten" not in cls.attrs:
            cls.attrs["tree_flatten"], cls.attrs["tree_unflatten"] = args[1:]
