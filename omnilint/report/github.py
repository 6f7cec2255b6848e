"""GitHub workflow commands: findings as annotations on the lines of a pull request.

https://docs.github.com/en/actions/writing-workflows/choosing-what-your-workflow-does/workflow-commands-for-github-actions
"""

from __future__ import annotations

from omnilint.model import Finding, Place, Problem, Report, Severity
from omnilint.report import rules
from omnilint.report.text import chain, fixed, message, proofs, repair
from omnilint.visible import visible

LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(report: Report) -> str:
    """One command a line."""
    commands = [*map(_finding, report.findings), *map(_problem, report.problems)]
    if report.repaired is not None:
        done = report.repaired
        commands += [_command("notice", _properties(f), _in_cell(f.place) + fixed(f, done)) for f in done.findings]
    return "".join(commands)


def _finding(finding: Finding) -> str:
    links = chain(finding, _where)
    told = [_in_cell(finding.place) + message(finding), *(f"{where}: {what}" for where, what in links)]
    told += [*proofs(finding), *repair(finding)]
    return _command(LEVEL[rules.severity(finding)], _properties(finding), "\n".join(told))


def _where(place: Place) -> str:
    return f"{visible(place.path)}:{f'cell {place.cell}:' if place.cell else ''}{place.line}"


def _in_cell(place: Place) -> str:
    """Where in a notebook it is, which no property can say."""
    return f"cell {place.cell}, line {place.line}: " if place.cell else ""


def _properties(finding: Finding) -> dict[str, object]:
    place = finding.place
    properties: dict[str, object] = {"title": f"{finding.code} {rules.name(finding)}", "file": place.path}
    if place.cell is None:  # lines of a notebook's file are no lines of its cells
        properties |= {"line": place.line, "endLine": place.end_line, "col": place.column}
        if place.end_line == place.line:
            properties["endColumn"] = place.end_column
    return properties


def _problem(problem: Problem) -> str:
    properties: dict[str, object] = {"title": "omnilint"}
    if problem.path is not None:
        properties["file"] = problem.path
    if problem.line is not None and problem.cell is None:
        properties["line"] = problem.line
    return _command("error", properties, str(problem))


def _command(level: str, properties: dict[str, object], text: str) -> str:
    listed = ",".join(f"{key}={_escape(str(value), property=True)}" for key, value in properties.items())
    return f"::{level} {listed}::{_escape(text)}\n"


def _escape(text: str, property: bool = False) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if property else text
