"""Whether two results are the same: structure, dtypes, weak types, and numbers as closely as the dtype allows."""

from __future__ import annotations

from typing import Any

# Units in the last place, of the largest number of a leaf, that compiling may move a result by.
ULPS = 256

Json = dict[str, Any]


def difference(before: Json | None, after: Json | None, numbers_may_be_arrays: bool = False) -> str | None:
    """In words, what differs first; None when nothing does.

    With `numbers_may_be_arrays` a Python number may have become an array of no dimensions, as it must under a trace.
    """
    if before is None or after is None:
        return None if before is after else "only one of them has a result"
    if before["structure"] != after["structure"]:
        return f"the result is {after['structure']} and was {before['structure']}"
    for a, b in zip(before["leaves"], after["leaves"], strict=False):
        if numbers_may_be_arrays and _became_array(a, b):
            continue
        found = _leaf(a, b)
        if found is not None:
            return found
    return None


def _became_array(a: Json, b: Json) -> bool:
    if a.get("python") not in ("bool", "int", "float") or b.get("shape") != [] or not b.get("numbers"):
        return False
    kind = {"bool": "bool", "int": "int", "float": "float"}[a["python"]]
    number = float({"True": "1", "False": "0"}.get(str(a["repr"]), str(a["repr"])))
    return str(b["dtype"]).lstrip("u").startswith((kind, f"b{kind}")) and _close_text(str(number), str(b["numbers"][0]))


def _leaf(a: Json, b: Json) -> str | None:
    for key in ("python", "object", "dtype", "shape", "weak"):
        if a.get(key) != b.get(key):
            return f"{_words(b)} was {_words(a)}"
    if "python" in a and a["repr"] != b["repr"]:
        return None if _close_text(a["repr"], b["repr"]) else f"{b['repr']} was {a['repr']}"
    if a.get("whole") and a.get("hash") != b.get("hash"):
        return f"whole numbers differ in a {_words(a)}"
    if "numbers" in a and not _close(a["numbers"], b.get("numbers", []), float(a.get("eps") or 0.0)):
        return f"numbers differ by more than rounding in a {_words(a)}"
    if "numbers" not in a and "dtype" in a and a.get("hash") != b.get("hash"):
        return f"the content of a {_words(a)} differs"
    return None


def _words(leaf: Json) -> str:
    if "dtype" in leaf:
        weak = ", weakly typed" if leaf.get("weak") else ""
        return f"{leaf['dtype']}{leaf['shape']}{weak}"
    return str(leaf.get("python") or leaf.get("object") or leaf.get("tracer") or leaf.get("error"))


def _close(a: list[Any], b: list[Any], eps: float) -> bool:
    if len(a) != len(b):
        return False
    largest = max((abs(x) for x in a if isinstance(x, float)), default=0.0)
    room = ULPS * eps * largest
    return all(
        x == y if isinstance(x, str) or isinstance(y, str) else abs(x - y) <= room for x, y in zip(a, b, strict=True)
    )


def _close_text(a: str, b: str) -> bool:
    """Python floats that came out of single precision."""
    try:
        x, y = float(a), float(b)
    except ValueError:
        return False
    return abs(x - y) <= ULPS * 1.2e-7 * max(abs(x), abs(y))
