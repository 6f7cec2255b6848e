"""What goes wrong through a user's input, said so that the user can mend it."""

from __future__ import annotations

from collections.abc import Iterable


class Failure(Exception):
    """What ends a run: the message is one line that says what is wrong and what to do."""


class ConfigError(Failure):
    """A setting that can't be used; the message says which, where, and what to write instead."""


def did_you_mean(word: str, known: Iterable[str], otherwise: str | None = None) -> str:
    """`did you mean 'x'?`, or else what there is."""
    import difflib

    names = list(known)
    near = difflib.get_close_matches(word, names, 1, 0.6)
    return f"did you mean {near[0]!r}?" if near else otherwise or f"there are {', '.join(names)}"
