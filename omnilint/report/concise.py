"""One line a finding: `path:line:column: CODE message`, for pipes, editors and people in a hurry."""

from __future__ import annotations

from collections.abc import Iterator

from omnilint.model import Report
from omnilint.report.text import message, position


def render(report: Report) -> str:
    """The findings, a line each; nothing at all when there are none."""
    return "".join(f"{line}\n" for line in lines(report))


def lines(report: Report) -> Iterator[str]:
    """The findings, a line each; a verdict's status follows in brackets, and whether a repair is proven."""
    for finding in report.findings:
        verdicts = "".join(f" [{v.status}{f' by jax {v.jax}' if v.jax else ''}]" for v in finding.verdicts)
        proven = " [fix verified]" if finding.fix is not None and finding.fix.verified else ""
        yield f"{position(finding.place)}: {finding.code} {message(finding)}{verdicts}{proven}"
