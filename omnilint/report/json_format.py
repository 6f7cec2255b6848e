"""The report as one JSON document, by the schema that lies beside this module."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from importlib import resources
from typing import Any

from omnilint import __version__, problems
from omnilint.model import Finding, Fix, Place, Problem, Report, Verdict
from omnilint.report import matrix, rules
from omnilint.report.summary import names

VERSION = 1


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the document."""
    text = resources.files("omnilint.report").joinpath("schema.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


def render(report: Report) -> str:
    """The document as text, indented so that two reports can be compared line by line."""
    return json.dumps(document(report), indent=1, ensure_ascii=False)


def document(report: Report) -> dict[str, Any]:
    """The whole report; every key is always there."""
    return {
        "version": VERSION,
        "omnilint": __version__,
        "target_jax": report.target_jax,
        "findings": [finding(f) for f in report.findings],
        "errors": [problem(p) for p in report.problems],
        "summary": summary(report),
    }


def finding(f: Finding) -> dict[str, Any]:
    """One finding."""
    return {
        "code": f.code,
        "name": rules.name(f),
        "hazard": rules.hazard(f),
        "severity": rules.severity(f).value,
        "confidence": f.confidence.value,
        "message": f.message,
        **_span(f.place),
        "symbol": f.symbol,
        "related": [
            {"path": r.place.path, "line": r.place.line, "column": r.place.column, "cell": r.place.cell}
            | {"message": r.message}
            for r in f.related
        ],
        "fix": _fix(f.fix) if f.fix else None,
        "verdicts": [_verdict(v) for v in f.verdicts],
        "fingerprint": f.fingerprint,
    }


def problem(p: Problem) -> dict[str, Any]:
    """One thing that kept something from being checked."""
    return {
        "kind": p.kind,
        "code": problems.CODES.get(p.kind),
        "message": p.message,
        "path": p.path,
        "line": p.line,
        "column": p.column,
        "cell": p.cell,
    }


def _span(place: Place) -> dict[str, Any]:
    return {
        "path": place.path,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        "cell": place.cell,
    }


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "applicability": fix.applicability.value,
        "description": fix.description,
        "edits": [{**_span(e.place), "content": e.content} for e in fix.edits],
        "verified": fix.verified,
        "reason": fix.reason,
    }


def _verdict(v: Verdict) -> dict[str, Any]:
    return {
        "status": v.status.value,
        "exception": v.exception,
        "message": v.message,
        "line": v.line,
        "inputs": v.inputs,
        "legacy": v.legacy,
        "reached": v.reached,
        "python": v.python,
        "jax": v.jax,
        "backend": v.backend,
        "reason": v.reason,
        "source": v.source,
    }


def summary(report: Report) -> dict[str, Any]:
    """What was read, what was skipped and why, and counts of what was found."""
    s = report.summary
    return {
        "target_origin": report.target_origin,
        "targets": [asdict(t) for t in report.targets],
        "files": s.files,
        "python_files": s.python_files,
        "jax_files": s.jax_files,
        "text_files": s.text_files,
        "lines": s.lines,
        "functions": s.functions,
        "traced": s.traced,
        "suppressed": len(report.suppressed),
        "known": s.known,
        "gone": len(s.gone),
        "gone_entries": [{"path": path, "code": code, "symbol": symbol} for path, code, symbol in s.gone],
        "elsewhere": s.elsewhere,
        "passed_over": list(s.passed_over),
        "cut_short": [{"path": p.path, "message": p.message} for p in s.cut_short],
        "skipped": [{"path": path, "reason": reason} for path, reason in sorted(s.skipped.items())],
        "codes": dict(sorted(Counter(f.code for f in report.findings).items())),
        "names": names(report),
        "verdicts": dict(sorted(Counter(v.status.value for f in report.findings for v in f.verdicts).items())),
        "fixed": [finding(f) for f in report.repaired.findings] if report.repaired else [],
        "not_fixed": dict(sorted(report.repaired.reasons.items())) if report.repaired else {},
        "confirmed_with": list(report.confirmed_with),
        "matrix": matrix.document(report),
        "seconds": round(s.seconds, 3),
    }
