"""The flake8 plugin: the static findings of one file, under flake8's own select, ignore and noqa.

flake8 hands over one file at a time, so what only the whole project shows stays unseen here.
"""

from __future__ import annotations

import argparse
import ast
import os
from collections.abc import Iterator, Sequence

from omnilint import __version__, config, pipeline
from omnilint.errors import Failure
from omnilint.model import Report
from omnilint.report.text import message
from omnilint.selection import selection


class Plugin:
    """What flake8 makes one of for each file that it could parse."""

    name = "omnilint"
    version = __version__
    disable_noqa = False

    @classmethod
    def parse_options(cls, options: argparse.Namespace) -> None:
        """Take in flake8's `--disable-noqa`: our comments would silence what it asks to see.

        Raises flake8's ExecutionError for broken settings: it tells that one in a line, others with a traceback.
        """
        cls.disable_noqa = bool(options.disable_noqa)
        try:
            selection(config.load([os.curdir]))
        except Failure as error:
            from flake8.exceptions import ExecutionError

            raise ExecutionError(f"omnilint: {error}") from None

    def __init__(self, tree: ast.AST, lines: Sequence[str], filename: str) -> None:
        self._text = "".join(lines)
        self._file = None if filename in ("-", "stdin") else filename

    def run(self) -> Iterator[tuple[int, int, str, type[Plugin]]]:
        """(line, column from 0, `CODE message`, this class) of each finding.

        Raises Failure for what keeps the file from being checked, broken settings for one: flake8 ends with it, where
        its own select, ignore and noqa could silence a line that says so.
        """
        report = self._report()
        if report.problems:
            raise Failure(report.problems[0].message)
        for finding in (*report.findings, *(report.suppressed if self.disable_noqa else ())):
            yield finding.place.line, finding.place.column - 1, f"{finding.code} {message(finding)}", Plugin

    def _report(self) -> Report:
        path = self._file or os.curdir
        settings = config.load([path])
        # flake8 knows which files to check, and its noqa decides before ours would report it unused.
        text = self._text.encode("utf-8", "surrogatepass")
        settings = config.override(settings, {"ignore": (*settings.ignore, "OMN904")})
        return pipeline.check([], settings, stdin=text, stdin_filename=self._file, force_exclude=True)
