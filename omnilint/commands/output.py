"""Where a report goes: stdout in one form, files in others, problems on stderr, a line each."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence

import click

from omnilint.cli import fail
from omnilint.errors import ConfigError, did_you_mean
from omnilint.model import Report
from omnilint.report import FORMS, NAMES, render

# Forms that are lines for people and machines alike: their summary goes to stderr, out of the way of a pipe.
LINES = ("concise", "github")


def targets(values: Iterable[str]) -> list[tuple[str, str]]:
    """(form, file) of each `--output FORMAT=FILE`.

    Raises ConfigError for an unknown form or a file that can't be made, before any work is done.
    """
    out = []
    for value in values:
        form, equals, file = value.partition("=")
        if not equals or not file:
            raise ConfigError(f"--output {value}: write FORMAT=FILE, as in sarif=omnilint.sarif")
        if form not in NAMES:
            raise ConfigError(f"--output {value}: no format is called {form!r}; {did_you_mean(form, NAMES)}")
        folder = os.path.dirname(file) or "."
        if not os.path.isdir(folder):
            raise ConfigError(f"--output {value}: there is no folder {folder}; make it first")
        out.append((form, file))
    return out


def save(report: Report, files: Sequence[tuple[str, str]]) -> None:
    """Write the report to files; raises ConfigError for a file that can't be written."""
    for form, file in files:
        try:
            with open(file, "w", encoding="utf-8") as f:
                f.write(render(report, form))
        except OSError as error:
            raise ConfigError(f"--output {form}={file}: can't be written ({error.strerror})") from None


def show(report: Report, form: str | None, color: str, quiet: bool) -> None:
    """Print the report; without a form, rich on a terminal and concise elsewhere."""
    form = form or ("rich" if sys.stdout.isatty() else "concise")
    if form in FORMS:
        click.echo(render(report, form), nl=False)
    else:
        from rich.console import Console

        from omnilint.report import rich_text

        forced = {"always": True, "never": False, "auto": None}[color]
        console = Console(force_terminal=forced, no_color=color == "never" or None, highlight=False)
        rich_text.write(report, console, quiet=quiet)
    sys.stdout.flush()
    if form in LINES and not quiet:
        from omnilint.report import summary

        click.echo("\n".join(summary.lines(report)), err=True)
    for problem in report.problems:
        fail(str(problem))
