"""What a run may ask of the analysis."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AnalysisOptions:
    """`assume_traced`: globs of paths whose public functions users trace. `seconds`: CPU budget, None for none."""

    assume_traced: tuple[str, ...] = ()
    seconds: float | None = None
