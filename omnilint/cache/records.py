"""Findings and problems as JSON and back again, without loss."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from omnilint.model import (
    Applicability,
    Confidence,
    Edit,
    Finding,
    Fix,
    Place,
    Problem,
    Related,
    Severity,
)

Record = dict[str, Any]


def of_finding(f: Finding) -> Record:
    """What a finding is before confirm has seen it; its data must be JSON."""
    assert not f.verdicts
    return {
        "code": f.code,
        "message": f.message,
        "place": _span(f.place),
        "confidence": f.confidence.value,
        "symbol": f.symbol,
        "related": [[_span(r.place), r.message] for r in f.related],
        "fix": None if f.fix is None else _fix(f.fix),
        "severity": None if f.severity is None else f.severity.value,
        "statement": f.statement,
        "target": f.target,
        "data": dict(f.data),
    }


def finding(r: Record) -> Finding:
    """The finding of a record; raises KeyError, TypeError or ValueError for anything else."""
    fix = r["fix"]
    return Finding(
        code=r["code"],
        message=r["message"],
        place=Place(*r["place"]),
        confidence=Confidence(r["confidence"]),
        symbol=r["symbol"],
        related=tuple(Related(Place(*span), message) for span, message in r["related"]),
        fix=None
        if fix is None
        else Fix(
            Applicability(fix["applicability"]),
            fix["description"],
            tuple(Edit(Place(*span), content) for span, content in fix["edits"]),
            fix["verified"],
        ),
        severity=None if r["severity"] is None else Severity(r["severity"]),
        statement=r["statement"],
        target=r["target"],
        data=r["data"],
    )


def of_problem(p: Problem) -> list[Any]:
    """A problem as a list."""
    return [p.kind, p.message, p.path, p.line, p.column, p.cell]


def problem(r: list[Any]) -> Problem:
    """The problem of such a list."""
    return Problem(*r)


def findings(records: Iterable[Record]) -> list[Finding]:
    """The findings of several records."""
    return [finding(r) for r in records]


def _span(p: Place) -> list[Any]:
    return [p.path, p.line, p.column, p.end_line, p.end_column, p.cell]


def _fix(fix: Fix) -> Record:
    return {
        "applicability": fix.applicability.value,
        "description": fix.description,
        "edits": [[_span(e.place), e.content] for e in fix.edits],
        "verified": fix.verified,
    }
