"""Findings at the marked lines of small modules, put to a worker: what the tests of confirm share."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from omnilint.confirm import ConfirmOptions, confirm_findings
from omnilint.confirm.observe import Limits
from omnilint.index.project import Project
from omnilint.model import Confidence, Finding, Place, Related, Report, Source, Verdict

DATA = Path(__file__).parent / "data" / "confirm"

QUICK = ConfirmOptions(Limits(seconds=20.0, memory=2 << 30, file_size=8 << 20), cache=None)


def project_of(files: Iterable[Path]) -> Project:
    """A project of these files, known by their names."""
    files = list(files)
    project = Project()
    for file in files:
        project.add(Source(file.name, file.read_text(), file=str(file)), {str(f) for f in files})
    return project


def marked(project: Project, path: str, code: str, mark: str = "mark", **more: Any) -> Finding:
    """A finding of `code` at the line that ends in `# <mark>`; lines with `# raises` are related."""
    module = next(m for m in project.modules() if m.path == path)
    place, related = None, []
    for number, line in enumerate(module.lines, 1):
        found = re.search(r"  # (.+)$", line)
        if found:
            indent = len(line) - len(line.lstrip())
            here = Place(path, number, indent + 1, number, found.start() + 1)
            if found[1] == mark:
                place = here
            elif found[1] == "raises":
                related.append(Related(here, "raises"))
    assert place is not None, f"{path} has no # {mark}"
    more.setdefault("symbol", module.symbol_at(place.line))
    return Finding(code, "", place, related=tuple(related), **more)


def confirm(
    files: Iterable[Path],
    findings: Iterable[Finding],
    project: Project,
    options: ConfirmOptions = QUICK,
    python: str = sys.executable,
) -> Report:
    """The report after confirming these findings under an interpreter, this one unless another is named."""
    report = Report(findings=list(findings))
    confirm_findings(report, project, [python], options=options)
    return report


def verdict(
    folder: str,
    name: str,
    code: str,
    mark: str = "mark",
    options: ConfirmOptions = QUICK,
    confidence: Confidence = Confidence.CERTAIN,
    **more: Any,
) -> Verdict:
    """The verdict on the marked line of one module of tests/data/confirm."""
    file = DATA / folder / f"{name}.py"
    project = project_of([file])
    report = confirm([file], [marked(project, file.name, code, mark, confidence=confidence, **more)], project, options)
    assert report.problems == []
    (found,) = report.findings[0].verdicts
    return found
