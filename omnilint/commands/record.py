"""`omnilint record`: run a command and note what the flagged functions are called with, for `check --confirm`."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import click

from omnilint import config, pipeline
from omnilint.commands import output
from omnilint.errors import ConfigError


@click.command(context_settings={"help_option_names": ["-h", "--help"], "allow_interspersed_args": False})
@click.option("--path", "paths", multiple=True, metavar="PATH", help="What to check; here when left out. Repeatable.")
@click.option("--config", "config_file", metavar="FILE", help="Take the settings from this file.")
@click.option("--output", "file", metavar="FILE", help="Where to keep it (.omnilint_cache/recorded.json).")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND...")
def command(paths: tuple[str, ...], config_file: str | None, file: str | None, command: tuple[str, ...]) -> int:
    """Run COMMAND, and note what the functions with findings are called with.

    Shapes, dtypes, the structure of trees, small static values and exceptions are kept, no data of arrays
    beyond sixteen numbers. `omnilint check --confirm` uses them from then on. The exit code is COMMAND's.

    Example: omnilint record -- pytest -q tests
    """
    from omnilint.confirm import recording, run_command
    from omnilint.index.project import Project

    named = paths or (".",)
    settings = config.load(named, config_file)
    report = pipeline.check(named, settings)
    output.tell_problems(report)
    project = Project()
    sources = {s.file for s in report.sources.values() if s.file}
    for source in report.sources.values():
        if source.kind == "python":
            try:
                project.add(source, sources)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue  # told above
    planned = recording.plan(project, report.findings)
    if not planned["files"]:
        click.echo("record: there are no findings in Python files, so there is nothing to record", err=True)
    code, text = run_command.recorded(command, planned)
    target = recording.default_file(os.getcwd()) if file is None else Path(file)
    new = recording.read_out(text, planned, shlex.join(command))
    calls, functions, errors = new.count()
    if not new.entries:
        click.echo("record: none of the flagged functions was called", err=True)
        return code
    try:
        old = recording.load(target, new.digests) if target.exists() else recording.Recording()
    except ConfigError:
        old = recording.Recording()
    recording.save(recording.merged(old, new), target)
    told = f"{_count(calls, 'call')} of {_count(functions, 'function')}, {_count(errors, 'exception')}"
    click.echo(f"record: {told} in {target}; `omnilint check --confirm` uses them", err=True)
    return code


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
