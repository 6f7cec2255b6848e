"""`omnilint config`: the settings that hold for a path, each with its origin; or the schema of the file."""

from __future__ import annotations

import json

import click

from omnilint import config
from omnilint.commands import completing
from omnilint.config import show
from omnilint.config.keys import schema
from omnilint.selection import selection


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("path", default=".", shell_complete=completing.files)
@click.option("--config", "file", metavar="FILE", shell_complete=completing.files, help="Look at this file.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="Text, or JSON.")
@click.option("--schema", "print_schema", is_flag=True, help="Print the JSON Schema of the configuration.")
def command(path: str, file: str | None, form: str, print_schema: bool) -> None:
    """Show the settings that hold for PATH and where each was set.

    Looks upwards from PATH for omnilint.toml, or a pyproject.toml with a [tool.omnilint] table.

    Exit codes: 0 shown, 2 there is something wrong with the settings.
    """
    if print_schema:
        click.echo(json.dumps(schema(), indent=2))
        return
    settings = config.load([path], file)
    selection(settings)  # says so when a rule is none
    if form == "json":
        click.echo(json.dumps(show.document(settings), indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(show.lines(settings)))
