"""`omnilint clean`: remove the cache."""

from __future__ import annotations

from pathlib import Path

import click

from omnilint.cache.store import clean, default_folder
from omnilint.commands import completing


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--cache-dir",
    metavar="FOLDER",
    shell_complete=completing.folders,
    help="The cache to remove; default: the one that `check` uses.",
)
def command(cache_dir: str | None) -> int:
    """Remove what `check` keeps between runs: results, and verdicts of --confirm."""
    folder = Path(cache_dir) if cache_dir else default_folder()
    number = clean(folder, ours=not cache_dir) if folder is not None else 0
    if number:
        click.echo(f"{folder}: {number} file{'' if number == 1 else 's'} removed")
    else:
        click.echo("nothing to remove")
    return 0
