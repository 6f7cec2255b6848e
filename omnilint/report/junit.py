"""JUnit XML: a failing test case a finding, a passing one a clean file, an error a problem."""

from __future__ import annotations

import re
from xml.etree import ElementTree as xml

from omnilint.model import Finding, Problem, Report
from omnilint.report import rules
from omnilint.report.text import chain, fixed, message, position, proofs, repair

# What XML 1.0 can't hold at all, not even escaped.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report) -> str:
    """The document."""
    found = {f.place.path for f in report.findings}
    clean = sorted(path for path in report.sources if path not in found)
    clean = [path for path in clean if path not in {p.path for p in report.problems}]
    cases = [_finding(f) for f in report.findings]
    cases += [_problem(p) for p in report.problems]
    if report.repaired is not None:
        done = report.repaired
        cases += [_fixed(f, fixed(f, done)) for f in done.findings]
    cases += [xml.Element("testcase", classname=path, name="omnilint", file=path) for path in clean]
    counts = {"tests": len(cases), "failures": len(report.findings), "errors": len(report.problems), "skipped": 0}
    attributes = {key: str(n) for key, n in counts.items()} | {"time": f"{report.summary.seconds:.3f}"}
    suite = xml.Element("testsuite", {"name": "omnilint", **attributes})
    suite.extend(cases)
    root = xml.Element("testsuites", {"name": "omnilint", **attributes})
    root.append(suite)
    xml.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + xml.tostring(root, encoding="unicode")


def _finding(finding: Finding) -> xml.Element:
    case = _case(finding)
    failure = xml.SubElement(case, "failure", type=rules.severity(finding).value, message=_plain(message(finding)))
    told = [f"{finding.code} {position(finding.place)} {rules.name(finding)}", message(finding)]
    told += [f"{where}: {what}" for where, what in chain(finding, position)]
    told += [*proofs(finding), *repair(finding)]
    failure.text = _plain("\n".join(told))
    return case


def _fixed(finding: Finding, told: str) -> xml.Element:
    case = _case(finding)
    xml.SubElement(case, "system-out").text = _plain(told)
    return case


def _case(finding: Finding) -> xml.Element:
    name = f"{finding.code} {position(finding.place)}"
    case = xml.Element(
        "testcase", classname=_plain(finding.place.path), name=_plain(name), file=_plain(finding.place.path)
    )
    if finding.place.cell is None:  # lines of a cell are no lines of the notebook's file
        case.set("line", str(finding.place.line))
    return case


def _problem(problem: Problem) -> xml.Element:
    path = _plain(problem.path or "omnilint")
    case = xml.Element("testcase", classname=path, name=f"omnilint {problem.kind}", file=path)
    xml.SubElement(case, "error", type=problem.kind, message=_plain(problem.message)).text = _plain(str(problem))
    return case


def _plain(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
