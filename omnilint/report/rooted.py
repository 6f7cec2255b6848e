"""A report with its paths counted from the top of the repository, as code hosts want them wherever omnilint runs.

GitHub, GitLab and code scanning put a finding on a line of the repository; a path that counts from the folder that
omnilint happened to run in would be on no line of it.
"""

from __future__ import annotations

import os
from dataclasses import replace

from omnilint.model import Finding, Place, Problem, Report
from omnilint.sources.gitignore import repository


def rooted(report: Report) -> Report:
    """The report with paths relative to the repository of the current folder, else to that of the file itself.

    Paths in no repository, and names that are none (standard input), stay as they are shown.
    """
    paths = _Paths(report)
    repaired = report.repaired
    return replace(
        report,
        findings=[paths.finding(f) for f in report.findings],
        suppressed=[paths.finding(f) for f in report.suppressed],
        problems=[paths.problem(p) for p in report.problems],
        repaired=repaired and replace(repaired, findings=[paths.finding(f) for f in repaired.findings]),
        sources={paths.of(path): replace(s, path=paths.of(path)) for path, s in report.sources.items()},
    )


class _Paths:
    """The new path of each shown one, looked up once."""

    def __init__(self, report: Report) -> None:
        self._sources = report.sources
        self._here = repository(os.path.realpath(os.curdir))
        self._known: dict[str, str] = {}

    def of(self, path: str) -> str:
        if path not in self._known:
            self._known[path] = self._rooted(path)
        return self._known[path]

    def _rooted(self, path: str) -> str:
        source = self._sources.get(path)
        file = os.path.abspath(path) if source is None else source.file
        if file is None:
            return path
        file = os.path.join(os.path.realpath(os.path.dirname(file)), os.path.basename(file))
        tops = (self._here, repository(os.path.dirname(file)))
        top = next((t for t in tops if t and file.startswith(t.rstrip(os.sep) + os.sep)), None)
        return path if top is None else os.path.relpath(file, top)

    def place(self, place: Place) -> Place:
        return replace(place, path=self.of(place.path))

    def problem(self, problem: Problem) -> Problem:
        return problem if problem.path is None else replace(problem, path=self.of(problem.path))

    def finding(self, finding: Finding) -> Finding:
        fix = finding.fix
        return replace(
            finding,
            place=self.place(finding.place),
            related=tuple(replace(r, place=self.place(r.place)) for r in finding.related),
            fix=fix and replace(fix, edits=tuple(replace(e, place=self.place(e.place)) for e in fix.edits)),
        )
