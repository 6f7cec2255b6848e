"""A search that has come to its end: the same call again, in other modes, makes no choices of its own."""

from __future__ import annotations

from typing import Any


def pinned(entry: Any, told: Any) -> Any:
    """An entry with the arguments that a first run chose: one of those given, or what became of it for its shapes."""
    chosen = told.get("chosen")
    if chosen is None:
        return entry
    only: dict[str, Any] = {name: [entry[name][chosen]] for name in ("assignments", "origins") if name in entry}
    if told.get("adapted") is not None:
        only["assignments"] = [told["adapted"]]
    if entry.get("inner") and told.get("inner") is not None:  # what a factory made was called with these
        only["inner"] = dict(entry["inner"], given=[told["inner"]])
    return dict(entry, **only, owner=told.get("owner", 0), how=told.get("how"), pinned=True)
