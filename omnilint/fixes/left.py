"""What runs before and after a repair leave behind: in modules, in what functions were called with, in print."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from omnilint.fixes import same
from omnilint.fixes.same import Fine, Json

_NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")
_NO: Mapping[str, Any] = {}


def anything(seen: Json) -> bool:
    """Whether a run left anything otherwise than it was, or said anything."""
    calls = (c for told in (seen.get("given") or _NO).values() for c in told["calls"])
    changed = (seen.get("state") or _NO).get("changed") or any((c.get("left") or _NO).get("nodes") for c in calls)
    return bool(changed or seen.get("said"))


def whole(seen: Json) -> bool:
    """Whether all that a run may have left could be looked at."""
    calls = (c for told in (seen.get("given") or _NO).values() for c in told["calls"])
    return (seen.get("state") or _NO).get("whole", True) and all(
        (c.get("left") or _NO).get("whole", True) for c in calls
    )


def difference(before: Json, after: Json, fine: Fine | None = None, again: Json | None = None) -> str | None:
    """In words, what is left otherwise; None when nothing is.

    `again` is the code before in a second run: what differs between its runs is nobody's fault. `fine` as for results.
    """
    for name, a, b, c in _places(before, after, again):
        if (why := _of_node(name, a, b, c, fine, again is not None)) is not None:
            return why
    return None


def printed(before: Json, after: Json, again: Json | None = None, rounded: bool = False) -> str | None:
    """In words, what is printed or logged otherwise; with `rounded` numbers may be told with other digits."""
    first, second, third = ((seen or before).get("said") or _NO for seen in (before, after, again))
    for stream in sorted({*first, *second}):
        a, b, c = (told.get(stream, []) for told in (first, second, third))
        if len(a) != len(c):
            continue
        for i, (old, new) in enumerate(zip_longest(a, b)):
            if i < len(c) and c[i] != a[i]:
                continue
            if old != new and not (rounded and old is not None and new is not None and _rounded(old, new)):
                return f"{stream} has {_quoted(new)}, and had {_quoted(old)}"
    return None


def tracer(folded: Json, refolded: Json, traced: Json) -> str | None:
    """The place where the repaired code leaves a tracer in a module, and folding a value, before it and after it."""
    nodes = [(seen.get("state") or _NO).get("nodes", _NO) for seen in (folded, refolded, traced)]
    for name in nodes[0]:
        if all(name in told for told in nodes):
            for where, a, b, c in _leaves(_name(name), *(told[name] for told in nodes)):
                if _is_tracer(c) and not _is_tracer(a) and not _is_tracer(b):
                    return f"under a trace it leaves a tracer in `{where}`"
    return None


def _places(before: Json, after: Json, again: Json | None) -> Iterator[tuple[Any, ...]]:
    """(a name, what is there in each of the runs) of modules' data, then of what edited functions were given."""
    states = [(seen or _NO).get("state") or _NO for seen in (before, after, again)]
    nodes = [state.get("nodes", _NO) for state in states]
    changed = {name for state in states for name in state.get("changed", ())}
    bound = {*(before.get("bound") or ()), *(after.get("bound") or ())}
    for name in dict.fromkeys((*nodes[0], *nodes[1])):
        both = name in nodes[0] and name in nodes[1]
        if name in changed or (both and name not in bound):
            yield (_name(name), *(told.get(name) for told in nodes))
    given = [(seen or _NO).get("given") or _NO for seen in (before, after, again)]
    for which in given[0]:
        calls = [told.get(which, {}).get("calls", []) for told in given]
        for i in range(min(len(calls[0]), len(calls[1]))):
            own = [(c[i].get("left") or _NO).get("nodes", _NO) if i < len(c) else _NO for c in calls]
            for name in dict.fromkeys((*own[0], *own[1])):
                yield (f"{name} of {_name(which)}", *(told.get(name) for told in own))


def _of_node(name: str, a: Json | None, b: Json | None, c: Json | None, fine: Fine | None, twice: bool) -> str | None:
    """What differs in a value; nothing is asked where both runs before the repair differ."""
    if twice and _plainly(a, c, None) is not None:
        return None
    if (why := _plainly(a, b, fine)) is not None:
        return f"`{name}`: {why}"
    for key, inner in ((a or _NO).get("items") or _NO).items():
        third = ((c or _NO).get("items") or _NO).get(key)
        assert b is not None
        if (why := _of_node(name + key, inner, b["items"][key], third, fine, twice)) is not None:
            return why
    return None


def _plainly(a: Json | None, b: Json | None, fine: Fine | None) -> str | None:
    """What differs in a value without what its items are."""
    if a is None or b is None:
        return None if a is b else "only one of them changes it"
    if "leaf" in a and "leaf" in b and fine is not None and fine(a["leaf"], b["leaf"]):
        return None
    if a.get("kind") != b.get("kind") or ("leaf" in a) != ("leaf" in b):
        return f"it is {_words(b)} and was {_words(a)}"
    if "leaf" in a:
        return same.leaf(a["leaf"], b["leaf"], fine)
    if (a.get("items") or _NO).keys() != (b.get("items") or _NO).keys():
        return f"it holds {_keys(b)} and held {_keys(a)}"
    return None


def _leaves(name: str, *nodes: Json) -> Iterator[tuple[Any, ...]]:
    if all("leaf" in n for n in nodes):
        yield (name, *(n["leaf"] for n in nodes))
    for key in nodes[0].get("items") or ():
        if all(key in (n.get("items") or ()) for n in nodes):
            yield from _leaves(name + key, *(n["items"][key] for n in nodes))


def _is_tracer(leaf: Json) -> bool:
    return bool(leaf.get("abstract") or leaf.get("tracer"))


def _words(node: Json) -> str:
    return same.words(node["leaf"]) if "leaf" in node else str(node.get("kind"))


def _keys(node: Json) -> str:
    names = list(node.get("items") or ())
    return f"{len(names)} items" if len(names) > 6 else ", ".join(names) or "nothing"


def _name(which: str) -> str:
    return which.rpartition("\0")[2]


def _quoted(line: str | None) -> str:
    return "no such line" if line is None else repr(line[:80])


def _rounded(a: str, b: str) -> bool:
    """Whether two lines differ in the last digits of numbers only."""
    numbers = _NUMBER.findall(a), _NUMBER.findall(b)
    same_words = _NUMBER.sub("#", a) == _NUMBER.sub("#", b) and len(numbers[0]) == len(numbers[1])
    return same_words and all(same.close_text(x, y) for x, y in zip(*numbers, strict=True))
