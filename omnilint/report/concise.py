"""One line a finding: `path:line:column: CODE message`, for pipes, editors and people in a hurry."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from omnilint.model import Report
from omnilint.report.text import fixed, message, position

Style = Callable[[str, str], str]


def plain(text: str, part: str) -> str:
    """The text without colour."""
    return text


def render(report: Report) -> str:
    """The findings, a line each; nothing at all when there are none."""
    return "".join(f"{line}\n" for line in lines(report))


def lines(report: Report, style: Style = plain) -> Iterator[str]:
    """The findings, a line each; a verdict's status follows in brackets, and whether a repair is proven.

    `style` colours a place and a code.
    """
    for finding in report.findings:
        verdicts = "".join(f" [{v.status}{f' by jax {v.jax}' if v.jax else ''}]" for v in finding.verdicts)
        proven = " [fix verified]" if finding.fix is not None and finding.fix.verified else ""
        where, code = style(position(finding.place), "where"), style(finding.code, "code")
        yield f"{where}: {code} {message(finding)}{verdicts}{proven}"


def done(report: Report) -> str:
    """What was repaired, a line each: for a file, which has no summary beside it."""
    repaired = report.repaired
    if repaired is None:
        return ""
    return "".join(f"{position(f.place)}: {f.code} {fixed(f, repaired)}\n" for f in repaired.findings)
