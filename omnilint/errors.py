"""What goes wrong through a user's input, said so that the user can mend it."""

from __future__ import annotations

from collections.abc import Iterable


class Failure(Exception):
    """What ends a run: the message is one line that says what is wrong and what to do."""


class ConfigError(Failure):
    """A setting that can't be used; the message says which, where, and what to write instead."""


_LOOKS = str.maketrans("OIL", "011")


def did_you_mean(word: str, known: Iterable[str], otherwise: str | None = None) -> str:
    """`did you mean 'x'?`, or else what there is."""
    import difflib

    names = list(known)
    # Letters that look like digits are digits: OMN501 for OMN5O1.
    twin = next((name for name in names if name.upper().translate(_LOOKS) == word.upper().translate(_LOOKS)), None)
    if twin is not None:
        return f"did you mean {twin!r}?"
    near = difflib.get_close_matches(word, names, 5, 0.6)

    def alike(name: str) -> tuple[float, int]:
        # Of two that are as near, the one with more letters in their places: OMN101 for OMN1O1.
        return difflib.SequenceMatcher(a=name, b=word).ratio(), sum(map(str.__eq__, name, word))

    return f"did you mean {max(near, key=alike)!r}?" if near else otherwise or f"there are {', '.join(names)}"
