"""Arguments whose sizes don't go together with something fixed: what the error says of shapes suggests others."""

from __future__ import annotations

import re
from typing import Any

_SHAPE = re.compile(r"[(\[](\d+(?:\s*,\s*\d+)*)?,?[)\]]")
_LARGEST = 4096
_NESTED = ("items", "arguments")

_ALL, _LAST, _FIRST = slice(None), slice(-1, None), slice(0, 1)


def _told(text: str) -> Any:
    """The shapes that an error names, in order, each once."""
    found = []
    for match in _SHAPE.finditer(text):
        shape = tuple(int(n) for n in re.findall(r"\d+", match.group()))
        if shape not in found and all(n <= _LARGEST for n in shape):
            found.append(shape)
    return found[:6]


def _arrays(spec: Any) -> Any:
    """The arrays in a description, or in several by name, in order."""
    if "kind" not in spec:
        return [a for value in spec.values() for a in _arrays(value)]
    if spec["kind"] == "array":
        return [spec]
    found = []
    for name in _NESTED:
        inside = spec.get(name, ())
        for value in inside.values() if isinstance(inside, dict) else inside:
            found += _arrays(value)
    return found


def _with(spec: Any, shapes: Any) -> Any:
    """A description with the arrays' shapes taken from an iterator, in the order of `_arrays`."""
    if "kind" not in spec:
        return {name: _with(value, shapes) for name, value in spec.items()}
    if spec["kind"] == "array":
        return dict(spec, shape=list(next(shapes)))
    changed = dict(spec)
    for name in _NESTED:
        inside = spec.get(name)
        if isinstance(inside, dict):
            changed[name] = {k: _with(v, shapes) for k, v in inside.items()}
        elif inside:
            changed[name] = [_with(v, shapes) for v in inside]
    return changed


def _resized(shape: Any, part: Any, old: int, new: int) -> Any:
    sizes = list(shape)
    sizes[part] = [new if n == old else n for n in sizes[part]]
    return tuple(sizes)


def suggested(arguments: Any, text: str) -> Any:
    """Sets of arguments to try next after an error with these words, the likeliest first; none where it tells nothing.

    One size becomes another that the error names: everywhere, or along one axis, or in one array; or one array
    gets the whole shape that it is compared with.
    """
    told = _told(text)
    arrays = [tuple(a["shape"]) for a in _arrays(arguments) if "values" not in a]
    if len(arrays) != len(_arrays(arguments)):
        return []
    sizes = list(dict.fromkeys(n for shape in told for n in shape))
    pairs = [(old, new) for old in sizes for new in sizes if old != new and any(old in s for s in arrays)]
    tried = [arrays]

    def add(shapes: Any) -> None:
        if shapes not in tried:
            tried.append(shapes)

    for part in (_ALL, _LAST):
        for old, new in pairs:
            add([_resized(s, part, old, new) for s in arrays])
    for i, shape in enumerate(arrays):
        for other in told:
            if shape in told and other != shape:
                add([*arrays[:i], other, *arrays[i + 1 :]])
        for part in (_ALL, _LAST, _FIRST):
            for old, new in pairs:
                add([*arrays[:i], _resized(shape, part, old, new), *arrays[i + 1 :]])
    return [_with(arguments, iter(shapes)) for shapes in tried[1:]]
