"""The options of `--confirm`: what they are called, and what they make of the defaults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from omnilint.commands.sections import option
from omnilint.config.confirming import BACKENDS, IMPORTS, WORDS, seconds, size

if TYPE_CHECKING:
    from omnilint.config import Settings
    from omnilint.confirm import ConfirmOptions

HEADING = "Confirm"
Decorated = TypeVar("Decorated", bound=Callable[..., Any])

# Parameter of the command → its option: these say how to confirm, and nothing without --confirm.
NEEDS_CONFIRM = {
    "importing": "--import",
    "backend": "--backend",
    "timeout": "--timeout",
    "memory_limit": "--memory-limit",
    "run": "--run",
    "run_timeout": "--run-timeout",
    "no_prove_fixes": "--no-prove-fixes",
    "no_verdict_cache": "--no-verdict-cache",
}

_OPTIONS = (
    option(HEADING, "--confirm", is_flag=True, help="Run the code under real JAX to prove each finding."),
    option(
        HEADING,
        "--python",
        multiple=True,
        metavar="PATH",
        help="Interpreter that has JAX; repeatable.",
    ),
    option(
        HEADING,
        "--import",
        "importing",
        type=click.Choice(IMPORTS),
        help="Import modules whole, or only what makes names (slice); auto: slice what can't be imported whole.",
    ),
    option(
        HEADING,
        "--backend",
        type=click.Choice(BACKENDS),
        help="Where to run. all (default): proofs on the CPU, programs compiled on every backend there is.",
    ),
    option(HEADING, "--timeout", metavar="TIME", help="Limit of one run: 30 (seconds, the default), 2m."),
    option(HEADING, "--memory-limit", metavar="SIZE", help="Limit of one run: 8GiB (the default), 700M."),
    option(
        HEADING,
        "--run",
        metavar="COMMAND",
        help="Take verdicts from this run of your own too, as in 'pytest -q tests'; runs once per interpreter.",
    ),
    option(HEADING, "--run-timeout", metavar="TIME", help="Limit of the run of --run: 10m (the default), 90."),
    option(HEADING, "--no-prove-fixes", is_flag=True, help="Give verdicts only: run no repair that is offered."),
    option(HEADING, "--no-verdict-cache", is_flag=True, help="Run everything again, and keep nothing."),
)


def confirm_options(command: Decorated) -> Decorated:
    """The decorator that gives a click command these options."""
    for decorate in reversed(_OPTIONS):
        command = decorate(command)
    return command


def words(asked: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """What the command line says of the keys of the table `confirm`; a usage error for what can't be meant."""
    context = click.get_current_context()
    if not asked["confirm"]:
        for name, flag in NEEDS_CONFIRM.items():
            if asked.get(name):
                raise click.UsageError(f"{flag} says how to confirm; give --confirm too", context)
    told = {
        "import": asked["importing"],
        "backend": asked["backend"],
        "timeout": asked["timeout"],
        "memory-limit": asked["memory_limit"],
        "run-timeout": asked["run_timeout"],
    }
    for key, text in told.items():
        if text is not None:
            try:
                WORDS[key](text)
            except ValueError as error:
                raise click.UsageError(f"--{key}: {error}", context) from None
    return tuple((key, text) for key, text in told.items() if text is not None)


def how(settings: Settings, asked: dict[str, Any], tell: Callable[[str], None]) -> ConfirmOptions | None:
    """The options of a run with `--confirm`, None without."""
    if not asked["confirm"]:
        return None
    from omnilint.confirm import ConfirmOptions
    from omnilint.confirm.observe import Limits

    chosen = dict(settings.confirm)
    limits = Limits()
    options = ConfirmOptions(
        limits=Limits(
            seconds=seconds(chosen["timeout"]) if "timeout" in chosen else limits.seconds,
            memory=size(chosen["memory-limit"]) if "memory-limit" in chosen else limits.memory,
        ),
        backend=chosen.get("backend", "all"),
        importing=chosen.get("import", "auto"),
        inputs=dict(settings.inputs),
        command=asked["run"],
        proving_fixes=not asked["no_prove_fixes"],
        tell=tell,
    )
    if "run-timeout" in chosen:
        options = replace(options, command_seconds=seconds(chosen["run-timeout"]))
    return replace(options, cache=None) if asked["no_verdict_cache"] else options
