"""What several interpreters said of the same findings, side by side: works here, fails there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from omnilint.model import Finding, Report, Status, Verdict
from omnilint.report.text import position

WORDS = {Status.CONFIRMED: "fails", Status.REFUTED: "works", Status.CRASHED: "crashes"}


def columns(report: Report) -> list[tuple[str, str]]:
    """(python, heading) of each interpreter that gave verdicts; none when there is nothing to compare."""
    jax: dict[str, str] = {}
    for finding in report.findings:
        for verdict in finding.verdicts:
            if verdict.python and verdict.jax:
                jax.setdefault(verdict.python, verdict.jax)
    if len(jax) < 2:
        return []
    versions = list(jax.values())
    return [
        (python, f"jax {version}" if versions.count(version) == 1 else f"jax {version} in {python}")
        for python, version in jax.items()
    ]


def word(verdict: Verdict | None) -> str:
    """What a verdict means for the code under that interpreter."""
    return "" if verdict is None else WORDS.get(verdict.status, verdict.status.value)


def rows(report: Report) -> Iterator[tuple[Finding, list[str]]]:
    """Each finding with one word for each column."""
    known = columns(report)
    for finding in report.findings:
        by_python = {v.python: v for v in finding.verdicts}
        if known and by_python:
            yield finding, [word(by_python.get(python)) for python, _ in known]


def lines(report: Report) -> list[str]:
    """The table as text, its columns aligned; none when fewer than two interpreters answered."""
    heads = [heading for _, heading in columns(report)]
    if not heads:
        return []
    table = [["", *heads]]
    table += [[f"{position(f.place)} {f.code}", *words] for f, words in rows(report)]
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]


def document(report: Report) -> dict[str, Any] | None:
    """The table as JSON: the interpreters, and for each finding which of them it works and fails on."""
    known = columns(report)
    if not known:
        return None
    return {
        "interpreters": [{"python": python, "heading": heading} for python, heading in known],
        "rows": [
            {"fingerprint": f.fingerprint, "code": f.code, "path": f.place.path, "line": f.place.line, "words": words}
            for f, words in rows(report)
        ],
    }
