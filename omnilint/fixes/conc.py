"""CONC: which repairs are tried for a need that a traced value can't meet, the one that changes least first."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from omnilint.fixes.context import Book, Refusal, Repair, Settled
from omnilint.model import Finding

# Kind of need → the modules whose `propose` are tried in turn.
TRIED: dict[str, Sequence[str]] = {
    "bool": ("reductions", "static_arguments", "conversions", "branches"),
    "int": ("static_arguments", "conversions", "branches"),
    "float": ("conversions", "static_arguments", "branches"),
    "item": ("conversions", "branches"),
    "range": ("static_arguments", "loops"),
    "shape": ("static_arguments",),
    "static": ("static_arguments",),
    "slice": ("static_arguments",),
    "hash": ("static_arguments",),
    "index": ("indices", "static_arguments"),
    "mask": ("masks",),
    "data": ("sizes",),
    "numpy": ("numpy_calls",),
    "format": ("prints",),
    "unhashable": ("hashables",),
}
_OPEN = "it needs a person"


def propose(finding: Finding, book: Book) -> Repair:
    """The first repair that fits the finding; refuses with the last reason that is of its own kind."""
    needs = finding.data.get("needs", ())
    kind = str(needs[0]["kind"]) if needs else ""
    reason = _OPEN
    for name in TRIED.get(kind, ()):
        try:
            repair: Repair = importlib.import_module(f"omnilint.fixes.{name}").propose(finding, book)
        except Refusal as why:
            if name != "static_arguments" or reason == _OPEN:
                reason = str(why)
            if isinstance(why, Settled):
                break
        else:
            return repair
    raise Refusal(reason)
