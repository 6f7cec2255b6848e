"""The report for a terminal: grouped by file, with the source line, the reason chain, what JAX said, what to do."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from rich.console import Console
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from omnilint.model import Confidence, Finding, Place, Report, Status
from omnilint.report import rules, summary
from omnilint.report.text import Lines, chain, position_from, proofs, rewrite, trust
from omnilint.visible import visible

SEVERITY_STYLE = {"error": "bold red", "warning": "bold yellow", "note": "bold blue"}
STATUS_STYLE = {Status.CONFIRMED: "red", Status.REFUTED: "green", Status.CRASHED: "magenta"}
INDENT = 4
MOST_REWRITTEN = 24
TAB = 4


def write(report: Report, console: Console, *, quiet: bool = False) -> None:
    """Print the findings and, unless `quiet`, the summary."""
    lines = Lines(report)
    for path, findings in groupby(report.findings, key=lambda f: f.place.path):
        console.print(Text(visible(path), style="bold underline"))
        for finding in findings:
            for part in _finding(finding, lines):
                console.print(part)
            if finding.fix is not None:
                for line in rewrite(finding, report)[:MOST_REWRITTEN]:
                    style = "green" if line.startswith("+") else "red"
                    console.print(Padding(Text(line.expandtabs(TAB), style=style), (0, 0, 0, INDENT + 4)))
            console.print()
    if not quiet:
        first, *rest = summary.lines(report)
        bad = bool(report.findings or report.problems)
        console.print(Text(first, style="bold" if bad else "bold green"))
        for line in rest:
            console.print(Text(line, style="dim"))


def _finding(finding: Finding, lines: Lines) -> Iterator[Text | Padding]:
    head = Text.assemble(
        (position_from(finding.place, finding.place.path), "cyan"),
        " ",
        (finding.code, SEVERITY_STYLE[rules.severity(finding)]),
        " ",
        (rules.name(finding), "bold"),
    )
    if finding.symbol:
        head.append(f"  in {finding.symbol}", "dim")
    if finding.confidence is not Confidence.CERTAIN:
        head.append(f"  [{finding.confidence}]", "italic dim")
    yield Padding(head, (0, 0, 0, 2))
    yield Padding(Text(" ".join(finding.message.split())), (0, 0, 0, INDENT))
    yield from _excerpt(finding.place, lines)
    yield from _chain(finding)
    for verdict, told in zip(finding.verdicts, proofs(finding), strict=True):
        yield _labelled("JAX", Text(told, style=STATUS_STYLE.get(verdict.status, "yellow")))
    if finding.fix is not None:
        style = "green" if finding.fix.verified else "red" if finding.fix.verified is False else ""
        yield _labelled("fix", Text(f"{finding.fix.description} ({', '.join(trust(finding.fix))})", style=style))


def _excerpt(place: Place, lines: Lines) -> Iterator[Text | Padding]:
    line = lines.at(place)
    if line is None or not line.strip():
        return
    before = line[: place.column - 1].expandtabs(TAB)
    marked = line[place.column - 1 :]
    if place.end_line == place.line:
        marked = line[place.column - 1 : max(place.end_column, place.column + 1) - 1]
    number = str(place.line)
    gutter = " " * len(number)
    shown = Text.assemble((f"{number} │ ", "dim"), line.expandtabs(TAB))
    carets = Text.assemble((f"{gutter} │ ", "dim"), " " * len(before), ("^" * max(len(marked.rstrip()), 1), "red"))
    for text in (shown, carets):
        text.no_wrap = True
        text.overflow = "ellipsis"
        yield Padding(text, (0, 0, 0, INDENT + 2))


def _chain(finding: Finding) -> Iterator[Padding]:
    links = chain(finding, lambda place: position_from(place, finding.place.path))
    for i, (where, told) in enumerate(links):
        yield _labelled("why" if i == 0 else "", Text.assemble((where, "cyan"), f" {told}"))


def _labelled(label: str, text: Text) -> Padding:
    row = Table.grid(Column(width=3, style="bold dim"), Column(), padding=(0, 1, 0, 0))
    row.add_row(label, text)
    return Padding(row, (0, 0, 0, INDENT))
