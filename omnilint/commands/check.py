"""`omnilint check`: options in, report out, exit code."""

from __future__ import annotations

import gc
import sys

import click

from omnilint import config, pipeline
from omnilint.cli import EXIT_FAILED, EXIT_FINDINGS, EXIT_OK
from omnilint.commands import output
from omnilint.commands.sections import SectionCommand, option
from omnilint.progress import Line, silent
from omnilint.report import NAMES
from omnilint.selection import split_words

RULES, FILES, JAX, OUTPUT = "Rules", "Files", "JAX", "Output"


@click.command(cls=SectionCommand, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("paths", nargs=-1, metavar="[PATH | -]...")
@option(RULES, "--select", multiple=True, metavar="CODES", help="Report only these: OMN101, OMN1, SHAPE, ALL, a name.")
@option(RULES, "--ignore", multiple=True, metavar="CODES", help="Leave these out; the more specific word wins.")
@option(FILES, "--exclude", multiple=True, metavar="PATTERN", help="Leave out what matches, as in .gitignore.")
@option(FILES, "--stdin-filename", metavar="PATH", help="The name of what comes in by `-`.")
@option(JAX, "--confirm", is_flag=True, help="Run the code under real JAX to prove each finding.")
@option(JAX, "--python", multiple=True, metavar="PATH", help="Interpreter that has JAX, for --confirm; repeatable.")
@option(JAX, "--target-jax", metavar="VERSIONS", help="JAX versions the code must run on: 0.9, or 0.4.30,0.10.")
@option(JAX, "--assume-traced", multiple=True, metavar="GLOB", help="Files whose public functions users trace.")
@option(
    OUTPUT,
    "--format",
    "form",
    type=click.Choice(NAMES),
    metavar="FORMAT",
    help="|".join(NAMES) + "; rich on a terminal, else concise.",
)
@option(OUTPUT, "--output", "outputs", multiple=True, metavar="FORMAT=FILE", help="Write a file too; repeatable.")
@option(OUTPUT, "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour the output.")
@option(OUTPUT, "-q", "--quiet", is_flag=True, help="Findings and errors only, no summary.")
@option(OUTPUT, "--no-progress", is_flag=True, help="No progress line on the terminal.")
@option(OUTPUT, "--exit-zero", is_flag=True, help="Exit with 0 even when there are findings.")
def command(
    paths: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    exclude: tuple[str, ...],
    stdin_filename: str | None,
    confirm: bool,
    python: tuple[str, ...],
    target_jax: str | None,
    assume_traced: tuple[str, ...],
    form: str | None,
    outputs: tuple[str, ...],
    color: str,
    quiet: bool,
    no_progress: bool,
    exit_zero: bool,
) -> int:
    """Find JAX bugs in files, folders, notebooks and standard input (`-`); without a PATH, here.

    Reads only, unless --confirm is given: that runs your code.

    Exit codes: 0 nothing to report, 1 findings, 2 the run itself failed, with a line on stderr.
    """
    stdin = None
    if "-" in paths:
        stdin = sys.stdin.buffer.read()
    elif stdin_filename is not None:
        raise click.UsageError(
            "--stdin-filename names what comes in by `-`; give `-` as a path", click.get_current_context()
        )
    named = tuple(p for p in paths if p != "-")
    if not paths:
        named = (".",)
    files = output.targets(outputs)
    make_room()
    settings = config.override(
        config.load(named or (stdin_filename or ".",)),
        {
            "select": split_words(select) or None,
            "ignore": split_words(ignore) or None,
            "exclude": exclude,
            "traced": assume_traced,
            "target_jax": target_jax,
            "python": python or None,
        },
    )
    line = Line() if sys.stderr.isatty() and not no_progress else None
    try:
        report = pipeline.check(
            named, settings, stdin=stdin, stdin_filename=stdin_filename, confirm=confirm, progress=line or silent
        )
    finally:
        if line:
            line.clear()
    output.save(report, files)
    output.show(report, form, color, quiet)
    if report.problems:
        return EXIT_FAILED
    return EXIT_FINDINGS if report.findings and not exit_zero else EXIT_OK


def make_room() -> None:
    """Suit this process to trees: they are large, none is ever garbage, and code can be deep.

    Collecting while trees are built took 40 % of the time to index flax 0.12.8. Python's own limit of
    1,000 calls ends at some 500 terms of a sum, which generated code exceeds; far beyond 3,000,
    LibCST's time, quadratic in the depth, becomes minutes.
    """
    gc.set_threshold(50_000, 20, 50)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 3_000))
