"""The name that a mistyped one most likely stands for."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

# Below this many letters, one wrong letter makes another word.
_SHORT = 4


def nearest(word: str, names: Iterable[str]) -> str | None:
    """The name that looks most like `word` and isn't it, None when none is close.

    One slip is close: a letter too many, too few, or wrong, or two that changed places (which wins over the others);
    in short words only the last is, and in long ones a likeness as a whole.
    """
    others = sorted(n for n in names if n != word)
    slips = [(kind, n) for n in others for kind in [_slip(word, n)] if kind is not None]
    if slips:
        likeness = difflib.SequenceMatcher(b=word)

        def rank(slip: tuple[int, str]) -> tuple[int, float]:
            likeness.set_seq1(slip[1])
            return slip[0], -likeness.ratio()

        return min(slips, key=rank)[1]
    close = difflib.get_close_matches(word, others, 1, 0.8)
    return close[0] if close else None


def _slip(word: str, name: str) -> int | None:
    """0 for two neighbours that changed places, 1 for one letter more, less or other; None for anything else."""
    if abs(len(word) - len(name)) > 1:
        return None
    start = 0
    while start < min(len(word), len(name)) and word[start] == name[start]:
        start += 1
    left, right = word[start:], name[start:]
    if len(left) == len(right) and left[:2] == right[:2][::-1] and left[2:] == right[2:]:
        return 0
    if min(len(word), len(name)) < _SHORT:
        return None
    same = left[1:] == right[1:] or left[1:] == right or left == right[1:]
    return 1 if same else None
