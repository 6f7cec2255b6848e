"""`omnilint check --watch`: check again whenever a file changes, until somebody interrupts."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Sequence

import click

from omnilint import sources
from omnilint.config import Settings
from omnilint.model import Report

EVERY = 0.5
Seen = dict[str, tuple[int, int]]


def watch(
    examine: Callable[[], Report], show: Callable[[Report], None], look: Callable[[], Seen], settings_file: str | None
) -> None:
    """Check and show, then again after each change; never returns by itself.

    A change of the settings starts the program anew, as they decide everything else.
    """
    while True:
        before = look()
        show(examine())
        gc.collect()  # the program runs without it: a check's trees go before the next one is made
        click.echo("watching for changes; Ctrl-C ends it", err=True)
        while (now := look()) == before:
            time.sleep(EVERY)
        changed = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        click.echo(f"\n{os.path.relpath(changed[0])}{more} changed", err=True)
        if settings_file in changed:
            begin_anew()


def begin_anew() -> None:
    """Run the same command in place of this process."""
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def snapshot(paths: Sequence[str], settings: Settings) -> Seen:
    """The files below the paths, and the settings' file, with time and size of each."""
    found = sources.discover(paths, settings.exclude, use_gitignore=settings.gitignore)
    seen: Seen = {}
    for file in (*(f.file for f in found.files), *([settings.file] if settings.file else [])):
        try:
            told = os.stat(file)
        except OSError:
            continue
        seen[file] = told.st_mtime_ns, told.st_size
    return seen
