"""What a run may ask of the analysis."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AnalysisOptions:
    """`assume_traced`: globs of paths whose public functions users trace. `seconds`: CPU budget, None for none.

    `releases`: the oldest and the newest release of JAX that the code must run on, () when that isn't known.
    """

    assume_traced: tuple[str, ...] = ()
    seconds: float | None = None
    releases: tuple[tuple[int, ...], ...] = ()
