"""Where a report goes: stdout in one form, files in others, problems on stderr, a line each."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import click

from omnilint.cli import EXIT_FAILED, EXIT_OK, fail
from omnilint.errors import ConfigError, did_you_mean
from omnilint.model import Report
from omnilint.report import FORMS, NAMES, render, rules, without_padding
from omnilint.sources import Discovery

# Forms that are lines for people and machines alike: their summary goes to stderr, out of the way of a pipe.
LINES = ("concise", "github")


STDOUT = "-"
COLOURS: dict[str, dict[str, Any]] = {"where": {"bold": True}, "code": {"fg": "red", "bold": True}}


def targets(values: Iterable[str]) -> list[tuple[str, str]]:
    """(form, file) of each `--output FORMAT=FILE`; `-` is standard output.

    Raises ConfigError for an unknown form or a file that can't be made, before any work is done.
    """
    out: list[tuple[str, str]] = []
    for value in values:
        form, equals, file = value.partition("=")
        if not equals or not file:
            raise ConfigError(f"--output {value}: write FORMAT=FILE, as in sarif=omnilint.sarif")
        if form not in NAMES:
            raise ConfigError(f"--output {value}: no format is called {form!r}; {did_you_mean(form, NAMES)}")
        folder = os.path.dirname(file) or "."
        if not os.path.isdir(folder):
            raise ConfigError(f"--output {value}: there is no folder {folder}; make it first")
        twin = next((f"{f}={other}" for f, other in out if other != STDOUT and _same(file, other)), None)
        if twin is not None:
            raise ConfigError(f"--output {value}: --output {twin} goes to the same file; name another one")
        out.append((form, file))
    return out


def _same(a: str, b: str) -> bool:
    """Whether two names stand for one file that the second report would overwrite; a device takes both."""
    same = os.path.realpath(a) == os.path.realpath(b)
    return same and (os.path.isfile(a) or not os.path.exists(a))


def printed(files: list[tuple[str, str]]) -> str | None:
    """The form of `--output FORMAT=-`, taken out of `files`: it is shown, not saved. Raises ConfigError for two."""
    forms = [form for form, file in files if file == STDOUT]
    if len(forms) > 1:
        raise ConfigError(f"--output: {' and '.join(forms)} can't both go to standard output; give one of them a file")
    files[:] = [(form, file) for form, file in files if file != STDOUT]
    return forms[0] if forms else None


def save(report: Report, files: Sequence[tuple[str, str]]) -> None:
    """Write the report to files; raises ConfigError for a file that can't be written.

    The summary of a step in a GitHub workflow has several authors: there the report is appended.
    https://docs.github.com/en/actions/writing-workflows/choosing-what-your-workflow-does/workflow-commands-for-github-actions#adding-a-job-summary
    """
    from omnilint.report import concise

    for form, file in files:
        shared = os.environ.get("GITHUB_STEP_SUMMARY")
        append = bool(shared) and os.path.realpath(file) == os.path.realpath(shared or "")
        try:
            with open(file, "a" if append else "w", encoding="utf-8", errors="backslashreplace") as f:
                f.write(("\n" if append and f.tell() else "") + render(report, form))
                if form == "concise":
                    f.write(concise.done(report))
        except OSError as error:
            raise ConfigError(f"--output {form}={file}: can't be written ({error.strerror})") from None


def show(report: Report, form: str | None, color: str, quiet: bool) -> None:
    """Print the report; without a form, rich on a terminal and concise elsewhere."""
    form = form or ("rich" if sys.stdout.isatty() else "concise")
    if form == "concise" and (color == "always" or (color == "auto" and _coloured())):
        from omnilint.report import concise

        for told in concise.lines(report, lambda text, part: click.style(text, **COLOURS[part])):
            click.echo(told, color=True)
    elif form in FORMS:
        click.echo(render(report, form), nl=False)
    else:
        from rich.console import Console

        from omnilint.report import rich_text

        forced = {"always": True, "never": False, "auto": None}[color]
        console = Console(force_terminal=forced, no_color=color == "never" or None, highlight=False)
        with console.capture() as shown:
            rich_text.write(report, console, quiet=quiet)
        text = shown.get()
        click.echo(text if console.is_terminal else without_padding(text), nl=False, color=console.is_terminal or None)
    sys.stdout.flush()
    if form in LINES and not quiet:
        from omnilint.report import summary

        click.echo("\n".join(summary.lines(report)), err=True)
    tell_problems(report)


def _coloured() -> bool:
    """Whether standard output shows colours, and nobody asked for none."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def show_patched(report: Report, quiet: bool) -> None:
    """What was done about the findings, below a patch: on stderr, out of the way of a pipe."""
    from omnilint.report import summary

    if report.repaired is not None and not quiet:
        told = [*summary.repaired(report.repaired), *summary.shown(report), *summary.skipped(report)]
        click.echo("\n".join(told), err=True)
    tell_problems(report)


def tell_problems(report: Report) -> None:
    """What kept something from being checked, a line each on stderr."""
    for problem in report.problems:
        fail(str(problem))


def show_statistics(report: Report, form: str | None, quiet: bool) -> None:
    """Counts by rule, the most frequent first, as lines or as JSON; the summary goes to stderr."""
    counts = Counter((f.code, rules.name(f), rules.hazard(f)) for f in report.findings)
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    if form in ("json", "jsonl"):
        entries = [{"code": code, "name": name, "hazard": hazard, "count": n} for (code, name, hazard), n in rows]
        click.echo(json.dumps(entries, indent=1))
    else:
        for (code, name, hazard), n in rows:
            click.echo(f"{n:6d} {code} {name} ({hazard})")
    if not quiet:
        from omnilint.report import summary

        click.echo("\n".join(summary.lines(report)), err=True)
    tell_problems(report)


def show_files(found: Discovery) -> int:
    """The files that would be checked, a line each; gives the exit code."""
    for file in found.files:
        click.echo(os.fsencode(file.path))  # as it is, for xargs
    for problem in found.problems:
        fail(str(problem))
    return EXIT_FAILED if found.problems else EXIT_OK
