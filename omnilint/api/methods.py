"""The parameters of methods of JAX's arrays, release by release."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from omnilint import knowledge
from omnilint.api import history

_OBJECT = "Array."


@cache
def _signatures() -> Mapping[str, tuple[tuple[int, str | None], ...]]:
    """Method → (first release, signature from there on), oldest first."""
    rows = knowledge.table("array_methods")["methods"]
    return {m: tuple((history.index_of(v), text) for v, text in runs.items()) for m, runs in rows.items()}


@cache
def changing() -> frozenset[str]:
    """The methods whose parameters changed in some release, as `Array.clip`: calls of others are fine in all."""
    return frozenset(
        _OBJECT + m for m, runs in _signatures().items() if len({text for _, text in runs if text is not None}) > 1
    )


def signature(method: str, index: int) -> str | None:
    """The signature text of `Array.clip` in a release, without the array; None where it isn't known."""
    if not method.startswith(_OBJECT):
        return None
    runs = _signatures().get(method.removeprefix(_OBJECT), ())
    return next((text for first, text in reversed(runs) if first <= index), None)
