"""Which arguments to try one after the other: those that are given, then what errors about shapes make of them."""

from __future__ import annotations

import heapq
import json
from time import monotonic
from typing import Any

from . import shapes

_MOST = 96
_MOST_OF_ONE = 24
_SECONDS = 6.0


class Attempts:
    """Yields (number of the given set, the set, whether it was changed); told of errors, it finds further ones.

    `fixed` are the numbers of sets that are somebody's own, which stay as they are.
    """

    def __init__(self, given: Any, fixed: Any = (), further: bool = True) -> None:
        self.given = given
        self.fixed = set(fixed)
        self.further = further
        self._waiting: Any = []
        self._made: dict[int, int] = {}
        self._seen = {json.dumps(g, sort_keys=True) for g in given}

    def __iter__(self) -> Any:
        for number, arguments in enumerate(self.given):
            yield number, arguments, False
        end = monotonic() + _SECONDS
        while self._waiting and monotonic() < end:
            number, _, arguments = heapq.heappop(self._waiting)  # all that one set leads to, then the next
            yield number, arguments, True

    def failed(self, number: int, arguments: Any, error: BaseException) -> None:
        """These arguments ended with this error."""
        if not self.further or number in self.fixed:
            return
        try:
            text = str(error)
        except Exception:  # an exception of the user's, whose words can't be had
            return
        for further in shapes.suggested(arguments, text[:2000]):
            key = json.dumps(further, sort_keys=True)
            made = self._made.get(number, 0)
            if key not in self._seen and made < _MOST_OF_ONE and sum(self._made.values()) < _MOST:
                self._seen.add(key)
                self._made[number] = made + 1
                heapq.heappush(self._waiting, (number, made, further))
