"""Whether two results are the same: structure, dtypes, weak types, and numbers as closely as the dtype allows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# Units in the last place, of the largest number of a leaf, that compiling may move a result by.
ULPS = 256

Json = dict[str, Any]
# Whether a leaf may have become another one.
Fine = Callable[[Json, Json], bool]


def difference(before: Json | None, after: Json | None, fine: Fine | None = None) -> str | None:
    """In words, what differs first; None when nothing does. Of leaves that `fine` takes nothing is asked."""
    if before is None or after is None:
        return None if before is after else "only one of them has a result"
    if before["structure"] != after["structure"]:
        return f"the result is {after['structure']} and was {before['structure']}"
    for a, b in zip(before["leaves"], after["leaves"], strict=False):
        if fine is not None and fine(a, b):
            continue
        found = leaf(a, b, fine)
        if found is not None:
            return found
    return None


def became_array(a: Json, b: Json) -> bool:
    """Whether a Python number became an array of no dimensions, as it must where it depends on what is traced."""
    if not of_its_kind(a, b) or not (b.get("numbers") or b.get("abstract")):
        return False
    if b.get("abstract"):
        return True
    number = float({"True": "1", "False": "0"}.get(str(a["repr"]), str(a["repr"])))
    return close_text(str(number), str(b["numbers"][0]))


def became_weak(a: Json, b: Json) -> bool:
    """Whether a Python number is what a jitted function makes of one: nothing about it was computed otherwise."""
    return became_array(a, b) and (bool(b.get("weak")) or a.get("python") == "bool")


def became_host(a: Json, b: Json) -> bool:
    """Whether an array of JAX's became the same numbers on the host: a Python number, or NumPy's, which are wider."""
    if "dtype" not in a or a["shape"] != b.get("shape", []) or _kind(a) is None or _kind(a) != _kind(b):
        return False
    if a.get("abstract") or b.get("abstract"):
        return True
    numbers = (
        b["numbers"] if "numbers" in b else [float({"True": "1", "False": "0"}.get(str(b["repr"]), str(b["repr"])))]
    )
    return _close(a.get("numbers", []), numbers, float(a.get("eps") or 0.0))


def _kind(leaf: Json) -> str | None:
    name = str(leaf.get("python") or leaf.get("dtype") or "").lstrip("u")
    return next((kind for kind in ("bool", "int", "float") if name.startswith(kind)), None)


def of_its_kind(a: Json, b: Json) -> bool:
    """Whether a Python number could be an array of no dimensions, by its dtype."""
    kind = a.get("python")
    return kind in ("bool", "int", "float") and b.get("shape") == [] and "dtype" in b and _kind(b) == kind


def leaf(a: Json, b: Json, fine: Fine | None = None) -> str | None:
    """In words, what differs between two leaves; `fine` as for results, of what an object holds."""
    for key in ("python", "object", "dtype", "shape", "weak"):
        if a.get(key) != b.get(key):
            return f"{words(b)} was {words(a)}"
    if a.get("abstract") or b.get("abstract"):
        return None
    if "python" in a and a["repr"] != b["repr"]:
        close = a["python"] != "int" and close_text(a["repr"], b["repr"])
        return None if close else f"{b['repr']} was {a['repr']}"
    if "python" in a and a.get("hash") != b.get("hash"):
        return f"the end of a long {words(a)} differs"
    if "held" in a and "held" in b and (why := _held(a["held"], b["held"], fine)) is not None:
        return f"{words(a)}{why}"
    if a.get("whole") and a.get("hash") != b.get("hash"):
        return f"whole numbers differ in a {words(a)}"
    if "numbers" in a and not _close(a["numbers"], b.get("numbers", []), float(a.get("eps") or 0.0)):
        return f"numbers differ by more than rounding in a {words(a)}"
    if "numbers" not in a and "dtype" in a and a.get("hash") != b.get("hash"):
        return f"the content of a {words(a)} differs"
    return None


def _held(a: Json, b: Json, fine: Fine | None) -> str | None:
    """Where the values that two objects hold differ, and in what."""
    if "leaf" in a and "leaf" in b and fine is not None and fine(a["leaf"], b["leaf"]):
        return None
    if a.get("kind") != b.get("kind") or ("leaf" in a) != ("leaf" in b):
        return " holds other things"
    if "leaf" in a:
        why = leaf(a["leaf"], b["leaf"], fine)
        return None if why is None else f": {why}"
    items: tuple[Json, Json] = (a.get("items") or {}, b.get("items") or {})
    if items[0].keys() != items[1].keys():
        return " holds other things"
    for key, inner in items[0].items():
        if (why := _held(inner, items[1][key], fine)) is not None:
            return f"{key}{why}"
    return None


def words(leaf: Json) -> str:
    """A leaf by its type."""
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


def close_text(a: str, b: str) -> bool:
    """Python floats that came out of single precision."""
    try:
        x, y = float(a), float(b)
    except ValueError:
        return False
    return abs(x - y) <= ULPS * 1.2e-7 * max(abs(x), abs(y))
