"""`omnilint check`: options in, report out, exit code."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from omnilint import baseline as known
from omnilint import config, crew, pipeline, sources
from omnilint.cache.store import Store, default_folder
from omnilint.cli import EXIT_FAILED, EXIT_FINDINGS, EXIT_OK
from omnilint.commands import completing, confirming, output
from omnilint.commands.confirming import confirm_options
from omnilint.commands.sections import SectionCommand, option
from omnilint.config import show
from omnilint.config.keys import failing
from omnilint.failing import WORDS, fails
from omnilint.model import Report
from omnilint.progress import Line, silent
from omnilint.report import NAMES, rules
from omnilint.selection import selection, split_words
from omnilint.settle import judged

EXAMPLES = """\b
Examples:
  omnilint check src tests
  omnilint check --select CONC,OMN101 --ignore OMN505 src
  omnilint check --from 0.4.20 --select INTERNAL src     an upgrade of JAX
  omnilint check --write-baseline src                    old code
  omnilint check --confirm --python .venv/bin/python src
  omnilint check --fix --diff src                        what would be repaired
  omnilint check --output sarif=omnilint.sarif src
"""

RULES, FIXES, FILES, ADOPT, JAX, OUTPUT = "Rules", "Repairs", "Files", "Old code", "JAX", "Output"


@click.command(cls=SectionCommand, epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("paths", nargs=-1, metavar="[PATH | -]...", shell_complete=completing.files)
@option(
    RULES,
    "--select",
    multiple=True,
    metavar="RULES",
    shell_complete=completing.rules,
    help="Report only these: OMN101, OMN1, SHAPE, ALL, a name.",
)
@option(
    RULES,
    "--extend-select",
    multiple=True,
    metavar="RULES",
    shell_complete=completing.rules,
    help="Report these too, beside the default ones.",
)
@option(
    RULES,
    "--ignore",
    multiple=True,
    metavar="RULES",
    shell_complete=completing.rules,
    help="Leave these out; the more specific word wins.",
)
@option(
    RULES,
    "--fail-on",
    multiple=True,
    metavar="WORDS",
    help=f"Exit with 1 only for findings at or above all of these: {', '.join(WORDS)}.",
)
@option(
    RULES,
    "--explain",
    metavar="RULE",
    shell_complete=completing.rules,
    help="Explain a rule, as `omnilint rule` does, and no more.",
)
@option(FIXES, "--fix", is_flag=True, help="Repair what can be repaired; with --confirm each repair is proven first.")
@option(FIXES, "--unsafe-fixes", is_flag=True, help="Make repairs too that a person should look at.")
@option(FIXES, "--diff", is_flag=True, help="Print the repairs as a patch, and change nothing.")
@option(FIXES, "--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 when something was repaired, too.")
@option(FILES, "--exclude", multiple=True, metavar="PATTERN", help="Leave out what matches, as in .gitignore.")
@option(FILES, "--force-exclude", is_flag=True, help="Leave out excluded files even when they are named.")
@option(FILES, "--no-gitignore", is_flag=True, help="Check what git ignores too.")
@option(FILES, "--stdin-filename", metavar="PATH", help="The name of what comes in by `-`.")
@option(
    FILES,
    "--config",
    "config_file",
    metavar="FILE",
    shell_complete=completing.files,
    help="Take the settings from this file.",
)
@option(FILES, "--no-config", is_flag=True, help="Take no settings from files.")
@option(FILES, "--jobs", metavar="N", default="auto", help="Processes that share the work; auto: as many as cores.")
@option(FILES, "--no-cache", is_flag=True, help="Work everything out anew, and keep nothing.")
@option(
    FILES,
    "--cache-dir",
    metavar="FOLDER",
    shell_complete=completing.folders,
    help="Where to keep results; default: the user's cache folder.",
)
@option(FILES, "--watch", is_flag=True, help="Check again whenever a file changes, until Ctrl-C.")
@option(FILES, "--show-files", is_flag=True, help="List the files that would be checked, and no more.")
@option(FILES, "--show-settings", is_flag=True, help="Show the settings, and no more.")
@option(
    ADOPT,
    "--baseline",
    metavar="FILE",
    shell_complete=completing.files,
    help="Leave out the findings that this file knows.",
)
@option(ADOPT, "--write-baseline", is_flag=True, help=f"Make today's findings the baseline ({known.DEFAULT_FILE}).")
@option(ADOPT, "--prune-baseline", is_flag=True, help="Take what is found no more out of the baseline.")
@option(ADOPT, "--diff-base", metavar="REV", help="Report only on lines changed since this git revision.")
@option(JAX, "--target-jax", metavar="VERSIONS", help="JAX the code must run on: 0.9, or 0.4.30,0.10, or installed.")
@option(JAX, "--from", "from_jax", metavar="VERSION", help="Only JAX names that change on the way from this version.")
@option(JAX, "--assume-traced", multiple=True, metavar="GLOB", help="Files whose public functions users trace.")
@confirm_options
@option(
    OUTPUT,
    "--format",
    "form",
    type=click.Choice(NAMES),
    metavar="FORMAT",
    help=f"{', '.join(NAMES)}; rich on a terminal, else concise.",
)
@option(
    OUTPUT, "--output", "outputs", multiple=True, metavar="FORMAT=FILE", help="Write a file, or stdout (-); repeatable."
)
@option(OUTPUT, "--statistics", is_flag=True, help="Counts by rule instead of findings.")
@option(OUTPUT, "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour the output.")
@option(OUTPUT, "-q", "--quiet", is_flag=True, help="Findings and errors only, no summary.")
@option(OUTPUT, "--no-progress", is_flag=True, help="No progress line on the terminal.")
@option(OUTPUT, "--exit-zero", is_flag=True, help="Exit with 0 even when there are findings.")
def command(
    paths: tuple[str, ...],
    select: tuple[str, ...],
    extend_select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: tuple[str, ...],
    explain: str | None,
    fix: bool,
    unsafe_fixes: bool,
    diff: bool,
    exit_non_zero_on_fix: bool,
    exclude: tuple[str, ...],
    force_exclude: bool,
    no_gitignore: bool,
    stdin_filename: str | None,
    config_file: str | None,
    no_config: bool,
    jobs: str,
    no_cache: bool,
    cache_dir: str | None,
    watch: bool,
    show_files: bool,
    show_settings: bool,
    baseline: str | None,
    write_baseline: bool,
    prune_baseline: bool,
    diff_base: str | None,
    target_jax: str | None,
    from_jax: str | None,
    assume_traced: tuple[str, ...],
    python: tuple[str, ...],
    form: str | None,
    outputs: tuple[str, ...],
    statistics: bool,
    color: str,
    quiet: bool,
    no_progress: bool,
    exit_zero: bool,
    **confirm_asked: Any,
) -> int:
    """Find JAX bugs in files, folders, notebooks and standard input (`-`); without a PATH, here.

    Reads only, unless --fix is given, which repairs files, or --confirm, which runs your code.

    Exit codes: 0 nothing to report (with --fix: any more; with --diff: nothing to repair), 1 findings, 2 the run
    itself failed, with a line on stderr.
    """
    if explain is not None:
        from omnilint.commands import rule

        click.get_current_context().invoke(rule.command, word=explain, form="text")
        return EXIT_OK
    refuse(
        stdin_filename is not None and "-" not in paths, "--stdin-filename names what comes in by `-`; give that too"
    )
    refuse("-" in paths and sys.stdin is None, "standard input is closed; there is nothing to read for `-`")
    refuse(no_config and config_file is not None, "--config and --no-config don't go together; choose one")
    refuse(write_baseline and bool(diff_base), "--write-baseline takes all findings; leave --diff-base out")
    repairing = fix or diff
    refuse(repairing and write_baseline, "--write-baseline takes the findings as they are; leave --fix and --diff out")
    named = tuple(p for p in paths if p != "-") if paths else (".",)
    files = output.targets(outputs)
    printed = output.printed(files)
    taken = form or diff or statistics or write_baseline or (fix and "-" in paths)
    refuse(bool(printed and taken), f"--output {printed}=-: standard output is taken by another option; name a file")
    form = form or printed
    counted = form in (None, "rich", "concise", "json", "jsonl")
    refuse(statistics and not counted, f"--statistics has no form {form}; leave --format out, or take json")
    settings = config.override(
        config.Settings() if no_config else config.load(named or (stdin_filename or ".",), config_file),
        {
            "select": split_words(select),
            "extend_select": split_words(extend_select),
            "ignore": split_words(ignore),
            "fail_on": bar(fail_on),
            "exclude": exclude,
            "gitignore": False if no_gitignore else None,
            "traced": assume_traced,
            "target_jax": target_jax,
            "from_jax": from_jax,
            "python": python,
            "confirm": confirming.words(confirm_asked),
            "baseline": baseline,
        },
    )
    refuse(prune_baseline and not settings.baseline, "--prune-baseline needs a baseline; name it with --baseline FILE")
    if show_settings:
        click.echo("\n".join(show.lines(settings)))
        return EXIT_OK
    if show_files:
        found = sources.discover(named, settings.exclude, use_gitignore=settings.gitignore, force_exclude=force_exclude)
        return output.show_files(found)
    new_baseline = (settings.baseline or known.DEFAULT_FILE) if write_baseline else None
    if new_baseline:
        settings = config.override(settings, {"baseline": ""})
    make_room()

    def announce(told: str) -> None:
        if line:
            line.clear()
        if not quiet:
            click.echo(told, err=True)

    line = Line() if sys.stderr.isatty() and not no_progress else None
    stdin = sys.stdin.buffer.read() if "-" in paths else None

    how = confirming.how(settings, confirm_asked, announce)
    refuse(
        "confirmed" in settings.fail_on and how is None and not (write_baseline or exit_zero),
        "fail-on confirmed needs verdicts; ask for them with --confirm, or set another bar with --fail-on",
    )
    folder = cache_folder(no_cache, cache_dir)
    if how is not None and (no_cache or cache_dir):
        how = replace(how, cache=how.cache and folder)
    processes = crew.processes(jobs)

    def examine(edited: Mapping[str, bytes], confirmed: bool) -> Report:
        report = pipeline.check(
            named,
            settings,
            stdin=stdin,
            stdin_filename=stdin_filename,
            force_exclude=force_exclude,
            confirm=how if confirmed else None,
            diff_base=diff_base,
            prune_baseline=prune_baseline,
            progress=line or silent,
            edited=edited,
            cache=Store(folder) if folder is not None else None,
            jobs=processes,
        )
        if not no_config and config_file is None:
            files = [source.file for source in report.sources.values() if source.file]
            report.summary.passed_over = [sources.shown(f) for f in config.passed_over(settings, files)]
        return report

    if watch:
        contradicting = "-" in paths or repairing or bool(new_baseline)
        refuse(contradicting, "--watch only looks; leave `-`, --fix, --diff and --write-baseline out")
        from omnilint.commands import watching

        def tell(report: Report) -> None:
            if line:
                line.clear()
            output.save(report, files)
            output.show(report, form, color, quiet)

        watching.watch(
            lambda: examine({}, how is not None), tell, lambda: watching.snapshot(named, settings), settings.file
        )
    work = None
    try:
        if repairing:
            from omnilint.commands import fixing

            with fixing.prover(settings.python, how) as prove:
                work = fixing.repair(
                    examine, stdin, stdin_filename or sources.STDIN, unsafe_fixes, write=not diff, prove=prove
                )
            report = work.report
        else:
            report = examine({}, how is not None)
    finally:
        if line:
            line.clear()
    output.save(report, files)
    if new_baseline:
        return adopt(report, new_baseline, settings, how is not None)
    with work.streams(stdin is not None, diff) if work else nullcontext():
        if diff:
            output.show_patched(report, quiet)
        elif statistics:
            output.show_statistics(report, form, quiet)
        else:
            output.show(report, form, color, quiet)
    if any(p.kind != "worker" for p in report.problems):
        return EXIT_FAILED
    if work is not None and work.changed and (diff or exit_non_zero_on_fix):
        return EXIT_OK if exit_zero else EXIT_FINDINGS
    if diff:
        return EXIT_OK
    failed = any(fails(f, rules.severity(f), settings.fail_on) for f in report.findings)
    return EXIT_FINDINGS if failed and not exit_zero else EXIT_OK


def cache_folder(no_cache: bool, chosen: str | None) -> Path | None:
    """Where results are kept, None for nowhere; ends with a usage error when that can't be."""
    refuse(no_cache and chosen is not None, "--cache-dir and --no-cache don't go together; choose one")
    if chosen is not None and os.path.exists(chosen):
        refuse(not os.path.isdir(chosen), f"--cache-dir {chosen}: a file, not a folder; name another one")
    return None if no_cache else Path(chosen) if chosen else default_folder()


def adopt(report: Report, file: str, settings: config.Settings, confirmed: bool) -> int:
    """Make the findings of the report the baseline; what it knows of things that weren't checked stays in it."""
    baseline = known.read(file) if os.path.exists(file) else known.Baseline(file)
    judges = partial(judged, chosen=selection(settings), confirm=confirmed)
    number, stay = baseline.renew(report.findings, report.sources, report.checked, judges)
    output.tell_problems(report)
    staying = f" ({stay} more, which this run did not look for, stay)" if stay else ""
    told = f"{number} finding{'' if number == 1 else 's'} known from now on{staying}"
    click.echo(f"{file}: {told}; commit it, use --baseline {file}")
    return EXIT_FAILED if report.problems else EXIT_OK


def bar(values: tuple[str, ...]) -> tuple[str, ...]:
    """The words of `--fail-on`; ends with a usage error for one that means nothing."""
    try:
        return failing(list(split_words(values)))
    except ValueError as error:
        raise click.UsageError(f"--fail-on: {error}", click.get_current_context()) from None


def refuse(wrong: bool, message: str) -> None:
    """End with a usage error when options contradict each other."""
    if wrong:
        raise click.UsageError(message, click.get_current_context())


def make_room() -> None:
    """Suit this process to trees: they are large, none is ever garbage, and code can be deep.

    Collecting while trees are built took 40 % of the time to index flax 0.12.8. Python's own limit of
    1,000 calls ends at some 500 terms of a sum, which generated code exceeds; far beyond 3,000,
    LibCST's time, quadratic in the depth, becomes minutes.
    """
    gc.set_threshold(50_000, 20, 50)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 3_000))
