"""What is stored in outer state while tracing and taken back before the trace ends, which is no leak."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from omnilint.analysis.definitions import Instance
from omnilint.analysis.joins import children
from omnilint.analysis.values import Mapping, Mutable, Seq, Tup, Value

if TYPE_CHECKING:
    from omnilint.analysis.interp import Interp
    from omnilint.analysis.traces import Link, Trace

# Where something is stored: the identity of what holds it, or the word it goes by, and the name or key there.
Slot = tuple[Any, Any]

# Methods that take one value out of a container, and those that take all.
TAKING = frozenset(["pop", "popleft", "popitem", "remove", "discard"])
EMPTYING = frozenset(["clear"])


class Stored:
    """The leaks that were noted, by where the tracer was stored, and whose they were before."""

    def __init__(self) -> None:
        self._noted: dict[Slot, list[tuple[Callable[[], object], tuple[int, ...], Trace]]] = {}
        self._owned: dict[int, tuple[Mutable, Trace | None]] = {}
        self._grown: dict[int, tuple[Mutable, Link]] = {}

    def grow(self, holder: Mutable, link: Link) -> None:
        """A plain value is put into an outer container, which happens once for all calls of the compiled function."""
        self._grown.setdefault(id(holder), (holder, link))

    def shrink(self, holder: Mutable) -> None:
        """Something was taken out of it again."""
        self._grown.pop(id(holder), None)

    def growth(self, holder: Mutable) -> Link | None:
        """Where this trace made an outer container longer."""
        found = self._grown.get(id(holder))
        return found[1] if found is not None else None

    def note(self, it: Interp, slot: Slot, forget: Callable[[], object]) -> None:
        """A tracer is stored in `slot`; `forget` drops what was noted of it."""
        if it.trace is not None:
            self._noted.setdefault(slot, []).append((forget, tuple(it.path), it.trace))

    def undo(self, it: Interp, slot: Slot, last: bool = False) -> None:
        """What was stored in `slot` is certainly gone, or the last of it: the trace that put it there took it back.

        What was stored under a condition is gone if this runs under it too, or always.
        """
        noted = self._noted.get(slot)
        if not noted or it.trace is None:
            return
        here = tuple(it.path)
        gone = [n for n in noted if n[2] is it.trace and n[1][: len(here)] == here]
        for n in gone[-1:] if last else gone:
            noted.remove(n)
            n[0]()

    def forgive(self, holder: int, name: Any = None) -> None:
        """Whoever reads from `holder` wants to find tracers there, under `name` if one is given: none is a mistake."""
        for slot in [s for s in self._noted if s[0] == holder and name in (None, s[1])]:
            for n in self._noted.pop(slot):
                n[0]()

    def empty(self, it: Interp, holder: Mutable) -> None:
        """Everything was taken out of a container."""
        self._grown.pop(id(holder), None)
        for slot in [s for s in self._noted if s[0] == id(holder)]:
            self.undo(it, slot)

    def adopted(self, value: Mutable) -> None:
        """`value` is about to belong to whatever outer state it is stored in."""
        self._owned.setdefault(id(value), (value, value.trace))

    def taken(self, it: Interp, value: Value, depth: int = 3) -> None:
        """`value` was taken out of outer state again: what the trace made is its own once more."""
        if isinstance(value, (Seq, Mapping, Instance)) and id(value) in self._owned:
            _, trace = self._owned.pop(id(value))
            it.ledger.save(value)
            value.trace = trace
            if trace is it.trace:
                self.empty(it, value)
        if depth and isinstance(value, (Seq, Mapping, Instance, Tup)):
            for child in children(value):
                self.taken(it, child, depth - 1)
