"""What the runs before and after a repair have in common: the call, what is jitted in it, each edited function."""

from __future__ import annotations

from omnilint.fixes import same
from omnilint.fixes.same import Fine, Json, difference, words


class Found:
    """What two runs of a call gave, in how many places there was something to compare, and where that was let pass.

    Each question gives what differs, in words; None when nothing does. `fine` as in `same.difference`.
    """

    def __init__(self) -> None:
        self.compared = self.let_pass = 0

    def _trees(self, before: Json | None, after: Json | None, fine: Fine | None) -> str | None:
        why = difference(before, after, fine)
        if why is None:
            self.compared += _tells(before)
            self.let_pass += fine is not None and difference(before, after) is not None
        return why

    def difference(self, before: Json, after: Json, fine: Fine | None = None) -> str | None:
        """In what the call gives, in what jitted functions give in it, and in what names of modules are bound to."""
        why = self._trees(before.get("proof"), after.get("proof"), fine)
        jitted = self._by_name(before), self._by_name(after)
        for name in jitted[0]:
            if why is None and len(jitted[0][name]) == len(jitted[1].get(name, ())):
                for a, b in zip(jitted[0][name], jitted[1][name], strict=True):
                    weak = fine is same.became_array
                    why = why or _told(name, self._trees(_without_weak(a, weak), _without_weak(b, weak), fine))
        bound = before.get("bound") or {}, after.get("bound") or {}
        for key in bound[0]:
            was, now = bound[0][key], bound[1].get(key)
            if why is not None or not was or not now:
                continue
            if "value" in was and "value" in now:
                why = _told(_name(key), self._trees(was["value"], now["value"], fine))
            self.compared += "member" in was and was == now
        return why

    @staticmethod
    def _by_name(seen: Json) -> dict[str, list[Json]]:
        found: dict[str, list[Json]] = {}
        for call in seen.get("jitted") or ():
            found.setdefault(call["fn"], []).append(call["out"])
        return found

    @staticmethod
    def uneven(before: Json, after: Json) -> str | None:
        """In how often an edited function gives something: then nobody knows which call is which."""
        for which, told in (before.get("given") or {}).items():
            n = (after.get("given") or {}).get(which, {}).get("count", 0)
            if n != told["count"]:
                return f"{_name(which)} gives something {n} times, and {told['count']} times before"
        return None

    def in_calls(self, before: Json, after: Json, fine: Fine | None = None) -> str | None:
        """In what the edited functions give, call by call."""
        given = before.get("given") or {}, after.get("given") or {}
        for which in given[0]:
            both = zip(given[0][which]["calls"], given[1].get(which, {"calls": []})["calls"], strict=False)
            for a, b in both:
                if (why := _told(_name(which), self._trees(a["result"], b["result"], fine))) is not None:
                    return why
        return None

    @staticmethod
    def when_traced(eager: Json, traced: Json, fine: Fine | None = None) -> str | None:
        """In shape, dtype or weak type of what the edited functions give for the same kinds of arguments."""
        given = eager.get("given") or {}, traced.get("given") or {}
        for which in given[0]:
            for call in given[1].get(which, {"calls": []})["calls"]:
                alike = [c["result"] for c in given[0][which]["calls"] if c["arguments"] == call["arguments"]]
                if alike and not any(_alike(a, call["result"], fine) for a in alike):
                    return (
                        f"{_name(which)} gives {_shapes(call['result'])} under a trace, and {_shapes(alike[0])} without"
                    )
        return None


def _name(which: str) -> str:
    """Of the identity of a function or name: a file, and what it is called in it."""
    return which.rpartition("\0")[2]


def _told(name: str, why: str | None) -> str | None:
    return None if why is None else f"of `{name}`, {why}"


def _tells(tree: Json | None) -> bool:
    """Whether a result holds a value at all."""
    leaves = (tree or {}).get("leaves") or ()
    return any("hash" in x or x.get("python") not in (None, "NoneType") or len(x.get("held", ())) > 1 for x in leaves)


def _without_weak(tree: Json, wanted: bool) -> Json:
    """What a jitted function gives, where a Python number may have become an array: it was of a weak type."""
    if not wanted:
        return tree
    return {**tree, "leaves": [{**x, "weak": False} if x.get("shape") == [] else x for x in tree["leaves"]]}


def _alike(a: Json, b: Json, fine: Fine | None) -> bool:
    """Whether two results look the same from outside; a Python number is what a trace makes of it."""
    keys = ("python", "object", "dtype", "shape", "weak")
    return a["structure"] == b["structure"] and all(
        same.of_its_kind(x, y)
        or same.of_its_kind(y, x)
        or (fine is not None and fine(x, y))
        or all(x.get(k) == y.get(k) for k in keys)
        for x, y in zip(a["leaves"], b["leaves"], strict=False)
    )


def _shapes(tree: Json) -> str:
    return ", ".join(words(leaf) for leaf in tree["leaves"][:4]) or "nothing"
