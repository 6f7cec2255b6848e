"""What a function's own text says about its parameters: annotations, defaults, how they are used."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from omnilint.index.module import FunctionNode

_ARRAY_MEMBERS = frozenset(
    {
        "shape",
        "ndim",
        "dtype",
        "size",
        "T",
        "at",
        "sum",
        "mean",
        "max",
        "min",
        "reshape",
        "astype",
        "ravel",
        "flatten",
        "dot",
    }
    | {"transpose", "var", "std", "prod", "argmax", "argmin", "squeeze", "real", "imag", "any", "all", "item", "tolist"}
    | {"cumsum", "sort", "argsort", "clip", "round", "swapaxes", "repeat", "take", "mT", "nonzero", "copy", "conj"}
)
_INT_CALLS = frozenset({"range", "arange", "zeros", "ones", "empty", "eye", "full", "one_hot"})
_KEY_NAMES = frozenset({"key", "rng", "prng", "prng_key", "rng_key", "subkey", "seed_key", "random_key", "dropout_key"})
_INT_NAMES = frozenset(
    {
        "n",
        "k",
        "num",
        "size",
        "axis",
        "length",
        "steps",
        "n_steps",
        "num_steps",
        "count",
        "width",
        "depth",
        "dim",
        "order",
    }
    | {"din", "dout", "dim_in", "dim_out", "in_dim", "out_dim", "nin", "nout", "n_in", "n_out", "hidden", "n_hidden"}
    | {"features", "in_features", "out_features", "hidden_size", "hidden_dim", "in_size", "out_size", "channels"}
    | {"in_channels", "out_channels", "num_heads", "n_heads", "heads", "num_classes", "n_classes", "vocab_size"}
    | {"n_steps", "degree", "rank", "bins", "samples", "n_samples", "num_samples", "window", "stride", "patch", "block"}
)
# Functions whose arguments besides the first are sizes.
_SIZED = frozenset(
    {"reshape", "full", "broadcast_to", "zeros", "ones", "arange", "normal", "uniform", "truncated_normal"}
)
# What layers of networks are made from, besides keys and functions, are sizes.
_LAYERS = frozenset(
    {"Linear", "LinearGeneral", "Dense", "DenseGeneral", "Conv", "Conv1d", "Conv2d", "Conv2D", "ConvTranspose", "Embed"}
    | {
        "Embedding",
        "BatchNorm",
        "LayerNorm",
        "RMSNorm",
        "GroupNorm",
        "LSTMCell",
        "GRUCell",
        "MultiHeadAttention",
        "MLP",
    }
)
_CALL_NAMES = frozenset(
    {"fn", "f", "fun", "func", "function", "loss_fn", "apply_fn", "activation", "callback", "kernel_fn"}
)
_BOOL_ARRAYS = frozenset({"mask", "masks", "alive", "keep", "valid", "done", "dones"})
_INT_ARRAYS = frozenset(
    {"idx", "index", "indices", "labels", "tokens", "ids", "targets", "actions", "lengths", "segment_ids"}
)


@dataclass(slots=True)
class Hint:
    """What is known of one parameter."""

    name: str
    annotation: ast.expr | None = None
    default: ast.expr | None = None
    has_default: bool = False
    keyword_only: bool = False
    ndim: int | None = None
    min_ndim: int = 0
    kinds: set[str] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    parts: int | None = None
    members: set[str] = field(default_factory=set)  # attributes that arrays don't have
    words: list[str] = field(default_factory=list)  # what it is compared with, when these are strings
    members_asked: list[str] = field(default_factory=list)  # or members of a class, such as `Mode.UP`


def parameters(node: FunctionNode | ast.Lambda, method: bool = False) -> list[Hint]:
    """The parameters of a function in order, without `self`, `*args` and `**kwargs`, with what its body tells."""
    a = node.args
    positional = [*a.posonlyargs, *a.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(a.defaults)) + list(a.defaults)
    hints = [Hint(p.arg, p.annotation, d, d is not None) for p, d in zip(positional, defaults, strict=True)]
    hints += [
        Hint(p.arg, p.annotation, d, d is not None, keyword_only=True)
        for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True)
    ]
    if method and hints:
        hints = hints[1:]
    by_name = {h.name: h for h in hints}
    for n in ast.walk(node):
        _read(n, by_name)
    for h in hints:
        _by_name(h)
    return hints


def _parameter(node: ast.AST, by_name: dict[str, Hint]) -> Hint | None:
    return by_name.get(node.id) if isinstance(node, ast.Name) else None


def _read(n: ast.AST, by_name: dict[str, Hint]) -> None:
    if isinstance(n, ast.Attribute):
        h = _parameter(n.value, by_name)
        if h:
            h.kinds.add("array" if n.attr in _ARRAY_MEMBERS else "object")
            if n.attr not in _ARRAY_MEMBERS:
                h.members.add(n.attr)
    elif isinstance(n, ast.Subscript):
        _subscript(n, by_name)
    elif isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Tuple):
        _unpack(n.targets[0], n.value, by_name)
    elif isinstance(n, ast.Call):
        _call(n, by_name)
    elif isinstance(n, ast.BinOp | ast.Compare):
        matrix = isinstance(n, ast.BinOp) and isinstance(n.op, ast.MatMult)
        sides = (n.left, n.right) if isinstance(n, ast.BinOp) else (n.left, *n.comparators)
        words = [] if isinstance(n, ast.BinOp) else [w for side in sides for w in _strings(side)]
        members = [] if isinstance(n, ast.BinOp) else [m for side in sides for m in _members(side)]
        for side in sides:
            h = _parameter(side, by_name)
            if h and (words or members):
                h.words += words
                h.members_asked += members
            elif h:
                h.kinds.add("matrix" if matrix else "number")
    elif isinstance(n, ast.Slice):
        for bound in (n.lower, n.upper, n.step):
            h = _parameter(bound, by_name) if bound is not None else None
            if h:
                h.kinds.add("int")
    elif isinstance(n, ast.For):
        h = _parameter(n.iter, by_name)
        if h:
            h.kinds.add("iterated")


def _strings(node: ast.expr) -> list[str]:
    """The strings that an expression is, or lists."""
    listed = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    return [e.value for e in listed if isinstance(e, ast.Constant) and isinstance(e.value, str)]


def _members(node: ast.expr) -> list[str]:
    """The members of classes that an expression is, or lists: `Mode.UP`, by how they are written."""
    listed = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    return [
        ast.unparse(e)
        for e in listed
        if isinstance(e, ast.Attribute) and isinstance(e.value, ast.Name) and e.value.id[:1].isupper()
    ]


def _subscript(n: ast.Subscript, by_name: dict[str, Hint]) -> None:
    h = _parameter(n.value, by_name)
    if h:
        if isinstance(n.slice, ast.Constant) and isinstance(n.slice.value, str):
            h.kinds.add("mapping")
            h.keys.add(n.slice.value)
        else:
            taken = n.slice.elts if isinstance(n.slice, ast.Tuple) else [n.slice]
            real = [e for e in taken if not (isinstance(e, ast.Constant) and e.value in (None, Ellipsis))]
            h.min_ndim = max(h.min_ndim, len(real))
        return
    if isinstance(n.value, ast.Attribute) and n.value.attr == "shape":
        h = _parameter(n.value.value, by_name)
        index = _integer(n.slice)
        if h and index is not None:
            h.min_ndim = max(h.min_ndim, index + 1 if index >= 0 else -index)


def _integer(node: ast.expr) -> int | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        return -value if isinstance(value, int) else None
    return None


def _unpack(targets: ast.Tuple, value: ast.expr, by_name: dict[str, Hint]) -> None:
    if any(isinstance(t, ast.Starred) for t in targets.elts):
        return
    if isinstance(value, ast.Attribute) and value.attr == "shape":
        h = _parameter(value.value, by_name)
        if h:
            h.ndim = len(targets.elts)
    else:
        h = _parameter(value, by_name)
        if h:
            h.kinds.add("unpacked")
            h.parts = len(targets.elts)


def _callee(n: ast.Call) -> tuple[str, str]:
    """(what stands before the last dot, last name) of a call's function."""
    if isinstance(n.func, ast.Attribute):
        return ast.unparse(n.func.value), n.func.attr
    return "", n.func.id if isinstance(n.func, ast.Name) else ""


def _call(n: ast.Call, by_name: dict[str, Hint]) -> None:
    h = _parameter(n.func, by_name)
    if h:
        h.kinds.add("callable")
    base, name = _callee(n)
    if base.endswith(("tree", "tree_util", "jtu")) or name.startswith("tree_"):
        for given in n.args:
            h = _parameter(given, by_name)
            if h:
                h.kinds.add("mapping")
        return
    first = _parameter(n.args[0], by_name) if n.args else None
    if first:
        if base.endswith("random") or base in ("jr", "jrandom"):
            first.kinds.add("key")
        elif name in _INT_CALLS:
            first.kinds.add("int")
        elif not base and name in ("float", "int", "bool", "complex", "abs"):
            first.kinds.add("number")
        elif name == "len":
            first.kinds.add("iterated")
        elif base in ("jnp", "np", "lax", "jax.numpy", "jax.lax", "jax.nn", "numpy", "onp"):
            first.kinds.add("array")
    if name in _LAYERS:
        for other in (*n.args, *(k.value for k in n.keywords)):
            h = _parameter(other, by_name)
            if h and h.name not in _KEY_NAMES | _CALL_NAMES | {"rngs"}:
                h.kinds.add("int")
    if name in _SIZED:
        for other in n.args:
            for inner in ast.walk(other):
                h = _parameter(inner, by_name)
                if h and inner is not n.args[0]:
                    h.kinds.add("int")


def _by_name(h: Hint) -> None:
    if h.kinds - {"object", "number"} or h.annotation is not None:
        return
    for names, kind in (
        (_KEY_NAMES, "key"),
        (_INT_NAMES, "int"),
        (_CALL_NAMES, "callable"),
        (_BOOL_ARRAYS, "mask"),
        (_INT_ARRAYS, "indices"),
    ):
        if h.name in names:
            h.kinds.add(kind)


def words_of(annotation: ast.expr) -> Iterator[str]:
    """All identifiers in an annotation, those in string annotations too."""
    for n in ast.walk(annotation):
        if isinstance(n, ast.Name):
            yield n.id
        elif isinstance(n, ast.Attribute):
            yield n.attr
        elif isinstance(n, ast.Constant) and isinstance(n.value, str):
            try:
                yield from words_of(ast.parse(n.value, mode="eval").body)
            except SyntaxError:
                continue
