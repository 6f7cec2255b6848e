"""GitLab's code quality report, a part of Code Climate's format.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Any

from omnilint.model import Finding, Problem, Report, Severity
from omnilint.report import rules
from omnilint.report.text import fixed, message, proofs, repair

SEVERITY = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}


def render(report: Report) -> str:
    """A JSON list; what couldn't be checked is in it as a blocker, so that it can't be overlooked."""
    seen: Counter[str] = Counter()
    entries = [_finding(f, seen) for f in report.findings]
    if report.repaired is not None:
        done = report.repaired
        entries += [_finding(f, seen) | _done(f, fixed(f, done)) for f in done.findings]
    entries += [_problem(p, seen) for p in report.problems]
    return json.dumps(entries, indent=1, ensure_ascii=False)


def _finding(finding: Finding, seen: Counter[str]) -> dict[str, Any]:
    place = finding.place
    lines = [1, 1] if place.cell else [place.line, place.end_line]
    cell = f"cell {place.cell}, line {place.line}: " if place.cell else ""
    told = "; ".join([message(finding), *proofs(finding), *repair(finding)])
    return {
        "description": f"{finding.code} {cell}{told}",
        "check_name": rules.name(finding),
        "fingerprint": _unique(finding.fingerprint, seen),
        "severity": SEVERITY[rules.severity(finding)],
        "location": {"path": place.path, "lines": {"begin": lines[0], "end": lines[1]}},
    }


def _done(finding: Finding, told: str) -> dict[str, Any]:
    return {"description": f"{finding.code} {told}", "severity": SEVERITY[Severity.NOTE]}


def _problem(problem: Problem, seen: Counter[str]) -> dict[str, Any]:
    line = 1 if problem.cell else problem.line or 1
    digest = hashlib.sha256(f"{problem.kind}\0{problem.path}\0{problem.message}".encode()).hexdigest()[:16]
    return {
        "description": str(problem),
        "check_name": f"omnilint-{problem.kind}",
        "fingerprint": _unique(digest, seen),
        "severity": "blocker",
        "location": {"path": problem.path or ".", "lines": {"begin": line, "end": line}},
    }


def _unique(fingerprint: str, seen: Counter[str]) -> str:
    """GitLab drops a second entry of the same fingerprint: number them."""
    seen[fingerprint] += 1
    n = seen[fingerprint]
    return fingerprint if n == 1 else f"{fingerprint}-{n}"
