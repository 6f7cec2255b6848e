"""Findings and problems as JSON and back again, without loss."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from omnilint.analysis.session import Part
    from omnilint.hazards.claim import Draft

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
        "data": pack(dict(f.data)),
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
        ),
        severity=None if r["severity"] is None else Severity(r["severity"]),
        statement=r["statement"],
        target=r["target"],
        data=unpack(r["data"]),
    )


def pack(value: Any) -> Any:
    """Data of a finding as JSON: places and tuples are marked. Raises TypeError for what can't be kept."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, Place):
        return {"@place": _span(value)}
    if isinstance(value, tuple):
        return {"@tuple": [pack(v) for v in value]}
    if isinstance(value, list):
        return [pack(v) for v in value]
    if isinstance(value, dict) and all(isinstance(k, str) and k[:1] != "@" for k in value):
        return {k: pack(v) for k, v in value.items()}
    raise TypeError(f"{type(value).__name__} can't be kept")


def unpack(value: Any) -> Any:
    """What `pack` was given."""
    if isinstance(value, list):
        return [unpack(v) for v in value]
    if isinstance(value, dict):
        if "@place" in value:
            return Place(*value["@place"])
        if "@tuple" in value:
            return tuple(unpack(v) for v in value["@tuple"])
        return {k: unpack(v) for k, v in value.items()}
    return value


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
    }


def paths(record: Any) -> Iterator[str]:
    """The paths of the places in a record."""
    if _is_span(record):
        yield record[0]
    elif isinstance(record, (list, dict)):
        for inner in record.values() if isinstance(record, dict) else record:
            yield from paths(inner)


def at_lines(record: Any, today: Callable[[str, int], int | None]) -> Any:
    """The record with its places in today's lines; None when there is a place that isn't there today."""
    try:
        return _at_lines(record, today)
    except LookupError:
        return None


def _at_lines(record: Any, today: Callable[[str, int], int | None]) -> Any:
    if _is_span(record):
        path, line, column, end_line, end_column, cell = record
        start, end = today(path, line), today(path, end_line)
        if start is None or end is None:
            raise LookupError(path)
        return [path, start, column, end, end_column, cell]
    if isinstance(record, dict):
        return {key: _at_lines(inner, today) for key, inner in record.items()}
    return [_at_lines(inner, today) for inner in record] if isinstance(record, list) else record


def _is_span(record: Any) -> bool:
    """Whether this is what `_span` makes: nothing else in a record is a text and five numbers."""
    return (
        isinstance(record, list)
        and len(record) == 6
        and isinstance(record[0], str)
        and all(type(n) is int for n in record[1:5])
    )


def of_part(part: Part) -> Record:
    """A part of the analysis, without the imports that it followed."""
    return {
        "drafts": [_of_draft(d) for d in part.drafts],
        "problems": [of_problem(p) for p in part.problems],
        "spent": [list(place) for place in part.spent],
        "called": part.called,
        "traced": part.traced,
        "entered": part.entered,
        "staged": part.staged,
    }


def _of_draft(d: Draft) -> list[Any]:
    after = None if d.after is None else pack(d.after)
    return [pack(d.event), pack(d.root), d.short, d.hypothetical, of_finding(d.finding), after]


def part(r: Record) -> Part:
    """The part of a record."""
    from omnilint.analysis.session import Part
    from omnilint.hazards.claim import Draft

    drafts = [
        Draft(unpack(event), unpack(root), short, hyp, finding(f), None if after is None else unpack(after))
        for event, root, short, hyp, f, after in r["drafts"]
    ]
    told = [problem(p) for p in r["problems"]]
    spent = [(path, name) for path, name in r["spent"]]
    return Part(drafts, told, spent, r["called"], r["traced"], r["entered"], r["staged"])
