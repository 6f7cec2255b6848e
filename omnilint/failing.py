"""Which findings make a run exit with 1: all of them, unless `fail-on` sets a bar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from omnilint.model import Confidence, Finding, Severity, Status

# Each from the strictest to the laxest: a finding meets a word when it stands at it or before it.
_SEVERITIES = [s.value for s in Severity]
_CONFIDENCES = [c.value for c in Confidence]
WORDS = (*_SEVERITIES, *_CONFIDENCES, Status.CONFIRMED.value)


def fails(finding: Finding, severity: Severity, words: Iterable[str]) -> bool:
    """Whether a finding meets all of the words: `error`, `likely`, `confirmed`, …; without words it always does."""
    return all(_meets(finding, severity, word) for word in words)


def _meets(finding: Finding, severity: Severity, word: str) -> bool:
    if word == Status.CONFIRMED:
        return any(v.status is Status.CONFIRMED for v in finding.verdicts)
    if word in _SEVERITIES:
        return _at_least(severity.value, word, _SEVERITIES)
    return _at_least(finding.confidence.value, word, _CONFIDENCES)


def _at_least(value: str, bar: str, scale: Sequence[str]) -> bool:
    return scale.index(value) <= scale.index(bar)
