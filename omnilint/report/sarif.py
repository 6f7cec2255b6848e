"""SARIF 2.1.0, for code scanning: findings with reason chains, repairs, suppressions, and rules with their pages.

URIs are relative to the repository and fingerprints hold no line numbers, as code scanning services want them.
https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import json
import os
from typing import Any
from urllib.parse import quote

from omnilint import __version__, knowledge
from omnilint.model import Finding, Place, Problem, Report, Severity
from omnilint.report import json_format, rules
from omnilint.report.text import Lines, message, proofs, trust

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
BASE = "%SRCROOT%"


def render(report: Report) -> str:
    """The log as text."""
    return json.dumps(log(report), indent=1, ensure_ascii=False)


def log(report: Report) -> dict[str, Any]:
    """The log with its one run."""
    fixed = report.repaired.findings if report.repaired is not None else []
    codes = sorted({f.code for f in (*report.findings, *report.suppressed, *fixed)})
    lines = Lines(report)
    results = [_result(f, codes, lines) for f in report.findings]
    results += [_result(f, codes, lines) | {"suppressions": [{"kind": "inSource"}]} for f in report.suppressed]
    results += [_result(f, codes, lines) | {"kind": "pass", "level": "none"} for f in fixed]
    driver = {
        "name": "omnilint",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(code) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "originalUriBaseIds": {BASE: {"description": {"text": "the top folder of the repository"}}},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not report.problems,
                "toolExecutionNotifications": [_notification(p) for p in report.problems],
            }
        ],
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str) -> dict[str, Any]:
    rule = knowledge.rule(code)
    return {
        "id": code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.summary},
        "help": {"text": rule.page, "markdown": rule.page},
        "defaultConfiguration": {"level": LEVEL[rule.severity], "enabled": rule.default},
        "properties": {"tags": [rule.hazard.value, "jax"]},
    }


def _result(finding: Finding, codes: list[str], lines: Lines) -> dict[str, Any]:
    told = ". ".join([message(finding), *(f"JAX: {told}" for told in proofs(finding))])
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": LEVEL[rules.severity(finding)],
        "message": {"text": told},
        "locations": [_location(finding.place, lines, symbol=finding.symbol)],
        "partialFingerprints": {"omnilint/v1": finding.fingerprint},
        "properties": {
            "hazard": rules.hazard(finding),
            "confidence": finding.confidence.value,
            "verdicts": json_format.finding(finding)["verdicts"],
        },
    }
    if finding.related:
        result["relatedLocations"] = [
            {"id": i} | _location(r.place, lines, text=r.message) for i, r in enumerate(finding.related, 1)
        ]
    if finding.related and rules.hazard(finding) != "INTERNAL":  # there they are what follows, no way that led here
        chain = [_location(r.place, lines, text=r.message) for r in finding.related]
        chain.append(_location(finding.place, lines, text=message(finding)))
        result["codeFlows"] = [{"threadFlows": [{"locations": [{"location": step} for step in chain]}]}]
    if finding.fix is not None and finding.fix.edits and all(e.place.cell is None for e in finding.fix.edits):
        result["fixes"] = [_fix(finding)]
    return result


def _fix(finding: Finding) -> dict[str, Any]:
    assert finding.fix is not None
    by_path: dict[str, list[dict[str, Any]]] = {}
    for edit in finding.fix.edits:
        replacement = {"deletedRegion": _region(edit.place), "insertedContent": {"text": edit.content}}
        by_path.setdefault(edit.place.path, []).append(replacement)
    changes = [{"artifactLocation": _artifact(path), "replacements": r} for path, r in by_path.items()]
    text = f"{finding.fix.description} ({', '.join(trust(finding.fix))})"
    return {"description": {"text": text}, "artifactChanges": changes}


def _location(place: Place, lines: Lines, text: str = "", symbol: str = "") -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _artifact(place.path)}
    logical = [symbol] if symbol else []
    if place.cell is None:
        physical["region"] = _region(place)
        line = lines.at(place)
        if line is not None:
            physical["region"]["snippet"] = {"text": line}
    else:  # a region counts the lines of a file, and a notebook's file isn't what people see
        logical.append(f"cell {place.cell}, line {place.line}")
    location: dict[str, Any] = {"physicalLocation": physical}
    if logical:
        location["logicalLocations"] = [{"fullyQualifiedName": name} for name in logical]
    if text:
        location["message"] = {"text": text}
    return location


def _region(place: Place) -> dict[str, int]:
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }


def _artifact(path: str) -> dict[str, str]:
    """A relative URI; paths outside the current directory are made relative to it, as far as that goes."""
    if os.path.isabs(path):
        path = os.path.relpath(path)
    return {"uri": quote(os.fsencode(path.replace(os.sep, "/"))), "uriBaseId": BASE}


def _notification(problem: Problem) -> dict[str, Any]:
    notification: dict[str, Any] = {
        "level": "error",
        "message": {"text": str(problem)},
        "descriptor": {"id": problem.kind},
    }
    if problem.path is not None:
        physical: dict[str, Any] = {"artifactLocation": _artifact(problem.path)}
        if problem.line is not None and problem.cell is None:
            physical["region"] = {"startLine": problem.line, "startColumn": problem.column or 1}
        notification["locations"] = [{"physicalLocation": physical}]
    return notification
