"""Arguments to try for a function that nobody is seen to call: likely ones first, few, and small."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from omnilint.confirm.hints import Hint, parameters, words_of
from omnilint.confirm.specs import KEY, Spec, array, literal, scalar
from omnilint.index.module import FunctionNode

MAX_ASSIGNMENTS = 28

# Shapes that all arrays of one attempt have, unless something says better.
_PROFILES: tuple[tuple[int, ...], ...] = ((3,), (3, 3), (), (2, 3), (4, 3, 3), (2, 4, 4, 3))

# Sizes of named dimensions: distinct primes, so that a clash of shapes has one reading.
_PRIMES = (5, 7, 11, 13, 17, 19, 23, 29)

_ARRAY_WORDS = frozenset({"Array", "ndarray", "ArrayLike", "DeviceArray", "Tensor", "Numeric", "ArrayTree", "Scalar"})
_KEY_WORDS = frozenset({"PRNGKey", "KeyArray", "PRNGKeyArray", "Key", "RNGKey", "KeyArrayLike"})
_JAXTYPING = {
    "Float": "float32",
    "Float32": "float32",
    "Float64": "float64",
    "Float16": "float16",
    "BFloat16": "bfloat16",
}
_JAXTYPING |= {"Int": "int32", "Int32": "int32", "Int64": "int64", "Int8": "int8", "UInt": "uint32", "UInt8": "uint8"}
_JAXTYPING |= {"UInt32": "uint32", "Bool": "bool", "Complex": "complex64", "Inexact": "float32", "Num": "float32"}
_JAXTYPING |= {"Shaped": "float32", "Real": "float32", "Integer": "int32"}


class Dimensions:
    """Sizes of named dimensions, the same name the same size."""

    def __init__(self) -> None:
        self.sizes: dict[str, int] = {}

    def size(self, name: str) -> int:
        """A prime of its own for each name."""
        return self.sizes.setdefault(name, _PRIMES[len(self.sizes) % len(_PRIMES)])


def _jaxtyping(annotation: ast.expr, dims: Dimensions) -> Spec | None:
    """`Float[Array, "b 3"]` as an array; None for other annotations."""
    if not (isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple)):
        return None
    head = annotation.value.attr if isinstance(annotation.value, ast.Attribute) else getattr(annotation.value, "id", "")
    if len(annotation.slice.elts) != 2 or not isinstance(annotation.slice.elts[1], ast.Constant):
        return None
    text = annotation.slice.elts[1].value
    if head in ("Key", "PRNGKeyArray"):
        return KEY
    if head not in _JAXTYPING or not isinstance(text, str):
        return None
    shape: list[int] = []
    for word in text.split():
        if word == "..." or word.startswith("*"):
            shape.append(2)
            continue
        word = word.lstrip("#?_").partition("=")[2] or word.lstrip("#?_")
        shape.append(int(word) if word.isdigit() else dims.size(word) if word.isidentifier() else 3)
    return array(_JAXTYPING[head], tuple(shape))


Maker = Callable[[tuple[int, ...]], Spec]


def _fixed(spec: Spec) -> Maker:
    return lambda profile: spec


def _array(dtype: str, h: Hint) -> Maker:
    def make(profile: tuple[int, ...]) -> Spec:
        shape = profile
        least = max(h.min_ndim, 2 if "matrix" in h.kinds and h.ndim is None else 0)
        if h.ndim is not None and len(shape) != h.ndim:
            shape = (2, 3, 4, 5, 6, 7)[: h.ndim] if h.ndim != 2 else (3, 3)
        elif len(shape) < least:
            shape = (3,) * least
        if h.parts and shape:
            shape = (h.parts, *shape[1:])
        return array(dtype, shape)

    return make


def _of_annotation(h: Hint, dims: Dimensions, instance: Callable[[str], Spec | None]) -> Iterator[Maker]:
    annotation = h.annotation
    if annotation is None:
        return
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return
    typed = _jaxtyping(annotation, dims)
    if typed is not None:
        yield _fixed(typed)
        return
    words = list(words_of(annotation))
    found = set(words)
    if found & _KEY_WORDS:
        yield _fixed(KEY)
    if "Rngs" in found:
        yield _fixed(literal("__import__('flax.nnx').nnx.Rngs(0)"))
    if found & _ARRAY_WORDS:
        yield _array("float32", h)
        yield _array("int32", h)
    elif "Callable" in found:
        yield _fixed(CALLABLE)
    elif found & {"Sequence", "Tuple", "tuple", "List", "list", "Iterable"}:
        yield _fixed(literal("(2, 3)" if "int" in found else "(1.5, 2.5)" if "float" in found else "(2, 3)"))
    elif "bool" in found:
        yield _fixed(literal("True"))
    elif "int" in found:
        yield _fixed(_whole(h))
    elif "float" in found:
        yield _fixed(scalar("1.5"))
    elif "str" in found:
        yield _fixed(literal("''"))
    elif found & {"dict", "Dict", "Mapping", "PyTree", "Params"}:
        yield _tree(h)
    for word in words:
        made = instance(word)
        if made is not None:
            yield _fixed(made)
    if "Optional" in found or "None" in ast.unparse(annotation):
        yield _fixed(literal("None"))


def _whole(h: Hint) -> Spec:
    """A whole number: the size that arrays get too, so that sizes agree; the first axis where an axis is meant."""
    return scalar("0" if h.name in ("axis", "dim", "axes") else "3")


def _holder(h: Hint) -> Spec:
    """An object with the attributes that are read off a parameter, all of them numbers; hashable, so static."""
    return literal(f"type('Given', (), {dict.fromkeys(sorted(h.members), 3)!r})()")


CALLABLE = literal("(lambda *a, **k: a[0] if a else 0.0)")


def _tree(h: Hint) -> Maker:
    names = sorted(h.keys) or ["w", "b"]
    return lambda profile: {"kind": "tree", "items": {k: array("float32", profile) for k in names}}


def _of_usage(h: Hint) -> Iterator[Maker]:
    if "key" in h.kinds:
        yield _fixed(KEY)
    if h.name == "rngs":
        yield _fixed(literal("__import__('flax.nnx').nnx.Rngs(0)"))
    if "callable" in h.kinds:
        yield _fixed(CALLABLE)
    named = h.name in ("params", "parameters", "weights", "state", "tree", "grads") and "number" not in h.kinds
    if "mapping" in h.kinds or named:
        yield _tree(h)
    if "int" in h.kinds and not h.kinds & {"array", "matrix"}:
        yield _fixed(_whole(h))
    if "mask" in h.kinds:
        yield _array("bool", h)
    if "indices" in h.kinds:
        yield _array("int32", h)
    yield _array("float32", h)
    yield _array("int32", h)
    if "unpacked" in h.kinds or "iterated" in h.kinds:
        parts = h.parts or 2
        yield lambda profile: {"kind": "sequence", "items": [array("float32", profile)] * parts}
    yield _fixed(_whole(h))


def words_asked(h: Hint) -> list[str]:
    """The words that a parameter is for, as source: those it is compared with, or that its annotation lists."""
    listed = [
        repr(e.value)
        for n in (ast.walk(h.annotation) if h.annotation is not None else ())
        if isinstance(n, ast.Subscript) and "Literal" in words_of(n.value)
        for e in ast.walk(n.slice)
        if isinstance(e, ast.Constant) and isinstance(e.value, str)
    ]
    if h.annotation is not None and not listed and "str" not in words_of(h.annotation):
        return list(dict.fromkeys(h.members_asked))
    return list(dict.fromkeys(listed or [*map(repr, h.words), *h.members_asked]))


def _choices(h: Hint, dims: Dimensions, instance: Callable[[str], Spec | None], static: bool) -> list[Maker | None]:
    """What to try for one parameter, best first; None leaves it to its default."""
    made: list[Maker | None] = []
    if words := words_asked(h):
        made += [None] if h.has_default else []
        return [*made, *(_fixed(literal(word)) for word in words[:3])]
    if static and h.annotation is None:
        made += [None] if h.has_default else []
        if h.members:
            return [*made, _fixed(_holder(h))]
        return [*made, _fixed(_whole(h)), _fixed(scalar("1.5")), _fixed(literal("(2,)")), _fixed(literal("None"))]
    if h.has_default:
        made.append(None)
        if (
            isinstance(h.default, ast.Constant)
            and isinstance(h.default.value, int | float)
            and not isinstance(h.default.value, bool)
        ):
            made.append(_fixed(scalar(repr(h.default.value))))
    made += list(_of_annotation(h, dims, instance)) or list(_of_usage(h))
    return made


def assignments(
    node: FunctionNode | ast.Lambda,
    method: bool = False,
    instance: Callable[[str], Spec | None] = lambda word: None,
    static: frozenset[str] = frozenset(),
) -> list[dict[str, Spec]]:
    """Sets of arguments to try, by parameter name; a parameter that is absent keeps its default.

    `static` are parameters that must be Python values.
    """
    hints = parameters(node, method)
    dims = Dimensions()
    choices = [_choices(h, dims, instance, h.name in static) for h in hints]
    found: list[dict[str, Spec]] = []

    def add(picked: list[int], profile: tuple[int, ...]) -> None:
        made = {}
        for h, options, i in zip(hints, choices, picked, strict=True):
            maker = options[min(i, len(options) - 1)]
            if maker is not None:
                made[h.name] = maker(profile)
        if made not in found and len(found) < MAX_ASSIGNMENTS:
            found.append(made)

    first = [0] * len(hints)
    for profile in _PROFILES[:3]:
        add(first, profile)
    if len(hints) > 1:
        add([1] * len(hints), _PROFILES[0])  # whole numbers, where all have to be
    for i, options in enumerate(choices):
        for n in range(1, len(options)):
            picked = list(first)
            picked[i] = n
            for profile in _PROFILES[:3]:
                add(picked, profile)
    given = [1 if h.has_default and len(options) > 1 else 0 for h, options in zip(hints, choices, strict=True)]
    for profile in (*_PROFILES, *_PROFILES):
        add(given, profile)
        add(first, profile)
    return found or [{}]
