"""Which expressions of the user's were evaluated: probes around them in the text pass on what they are given."""

from __future__ import annotations

import builtins
from typing import Any

_NAME = "__omnilint_probe__"


class Probes:
    """Counts by number. `inside` are those that stand in functions; `used` the defaults that a call has to take."""

    def __init__(self, request: Any) -> None:
        told = request or {}
        self.inside = set(told.get("inside", ()))
        self.counts: dict[int, int] = {}
        self.values: dict[int, Any] = {}
        self.used: dict[str, list[Any]] = {}
        self.wanted = set()
        for default in told.get("used", ()):
            self.used.setdefault(default["function"], []).append(default)
            self.wanted.add(default["id"])
        self.taken: set[int] = set()
        self.off = False

    def install(self) -> None:
        """Have what edited texts call."""
        setattr(builtins, _NAME, self._passed)

    def _passed(self, number: int, value: Any) -> Any:
        if not self.off:
            self.counts[number] = self.counts.get(number, 0) + 1
        if number in self.wanted:
            self.values[number] = value
        return value

    def reset(self) -> None:
        """The call begins: what was evaluated before is what stands outside of functions."""
        self.counts = {n: count for n, count in self.counts.items() if n not in self.inside}
        self.taken = set()

    def entered(self, function: str, values: Any) -> None:
        """A function begins with these values of its parameters."""
        for default in self.used.get(function, ()):
            number = default["id"]
            if number in self.values and values.get(default["parameter"]) is self.values[number]:
                self.taken.add(number)

    def told(self) -> Any:
        """The numbers of what was evaluated; of defaults, of those that were taken."""
        return sorted(n for n in self.counts if n not in self.wanted or n in self.taken)
