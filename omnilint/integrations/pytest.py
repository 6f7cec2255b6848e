"""The pytest plugin: with `--omnilint`, one more test a file, which fails when the file has findings.

The project is checked once, as a whole, when the first of these tests runs; JAX is never imported.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from omnilint.model import Report

SUFFIXES = (".py", ".ipynb")


class FindingsError(Exception):
    """A file has findings, or couldn't be checked; the lines say where and why."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that turns the plugin on."""
    parser.getgroup("omnilint").addoption("--omnilint", action="store_true", help="Check the files with omnilint too.")


def pytest_configure(config: pytest.Config) -> None:
    """The mark by which these tests are selected: `-m omnilint`."""
    config.addinivalue_line("markers", "omnilint: a file's check by omnilint")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """One collector for each file that omnilint can read."""
    if not parent.config.getoption("--omnilint") or file_path.suffix not in SUFFIXES:
        return None
    collector: CheckedFile = CheckedFile.from_parent(parent, path=file_path)
    return collector


class CheckedFile(pytest.File):
    """A file as pytest sees it."""

    def collect(self) -> Iterator[pytest.Item]:
        """Its one test."""
        yield Check.from_parent(self, name="omnilint")


class Check(pytest.Item):
    """The check of one file."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.add_marker("omnilint")

    def runtest(self) -> None:
        """Raises FindingsError with a line for each finding, and for each thing that kept it from being checked."""
        report = _report(self.session)
        for path, why in report.summary.skipped.items():
            if os.path.abspath(path) == str(self.path):
                pytest.skip(why)  # a file that wasn't looked at didn't pass
        lines = [line for path, line in _lines(report) if path is None or os.path.abspath(path) == str(self.path)]
        if lines:
            raise FindingsError("\n".join(lines))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Findings without a traceback."""
        if isinstance(excinfo.value, FindingsError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        """What pytest calls the test."""
        return self.path, 0, "omnilint"


_key: pytest.StashKey[Report] = pytest.StashKey()


def _report(session: pytest.Session) -> Report:
    if _key not in session.stash:
        from omnilint import config, crew, pipeline
        from omnilint.cache.store import Store, default_folder
        from omnilint.failing import fails
        from omnilint.model import Status
        from omnilint.report import rules

        settings = config.load([str(session.config.rootpath)])
        files = sorted({str(item.path) for item in session.items if isinstance(item, Check)})
        folder = default_folder()
        cache = Store(folder) if folder is not None else None
        report = pipeline.check(files, settings, force_exclude=True, cache=cache, jobs=crew.cores())
        bar = [word for word in settings.fail_on if word != Status.CONFIRMED]  # nothing is confirmed here
        report.findings = [f for f in report.findings if fails(f, rules.severity(f), bar)]
        session.stash[_key] = report
    return session.stash[_key]


def _lines(report: Report) -> Iterator[tuple[str | None, str]]:
    from omnilint.report.text import message

    for problem in report.problems:
        yield problem.path, str(problem)
    for f in report.findings:
        yield f.place.path, f"{f.place.path}:{f.place.line}:{f.place.column}: {f.code} {message(f)}"
