"""The `omnilint` program: its commands, loaded when asked for, and one line on stderr for whatever goes wrong."""

from __future__ import annotations

import errno
import gc
import importlib
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress

import click

from omnilint import __version__
from omnilint.compiled import COMPILED
from omnilint.errors import Failure, did_you_mean

# Name → what `omnilint --help` says of it; the text stands here so that help imports no command.
COMMANDS = {
    "check": "Find JAX bugs in files, folders, notebooks or standard input.",
    "record": "Run a command and note what flagged functions are called with, for --confirm.",
    "staging": "Show what a function stages out today and what folding gave before.",
    "rule": "Explain a rule, or list all of them.",
    "config": "Show the settings that hold for a path, and where each was set.",
    "clean": "Remove what omnilint keeps to be faster next time.",
    "api": "Tell the life of a JAX name across versions, and what to use instead.",
}

# What writing to standard output or standard error ends with when there is no room, or nothing behind it.
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

EXIT_OK, EXIT_FINDINGS, EXIT_FAILED, EXIT_INTERRUPTED = 0, 1, 2, 130


class LazyGroup(click.Group):
    """A group whose commands live in `omnilint.commands.<name>`, as an object called `command`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"omnilint.commands.{name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            # `omnilint src` is what users of other linters type first.
            hint = f"`omnilint check {args[0]}`?" if os.path.exists(args[0]) else did_you_mean(args[0], COMMANDS)
            raise click.UsageError(f"no command is called {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True)
@click.version_option(__version__, message=f"omnilint %(version)s{' (compiled)' if COMPILED else ''}")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Find, prove and explain the JAX bugs that omnistaging turned from luck into errors.

    Start with `omnilint check .`; `omnilint check --confirm .` runs the code under your own JAX to
    prove each finding.

    Exit codes: 0 nothing to report, 1 findings, 2 the run itself failed.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the program and give its exit code; whatever goes wrong is one line on standard error."""
    prepare_streams()
    try:
        result = cli.main(
            args=None if arguments is None else list(arguments), prog_name="omnilint", standalone_mode=False
        )
        sys.stdout.flush()
        return result if isinstance(result, int) else EXIT_OK
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        hint = (
            f" (`{context.command_path} --help` lists the options)"
            if isinstance(error, click.UsageError) and context
            else ""
        )
        fail(error.format_message() + hint)
        return EXIT_FAILED
    except Failure as error:
        fail(str(error))
        return EXIT_FAILED
    except (click.Abort, KeyboardInterrupt):
        fail("interrupted")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader has gone (`| head`): nothing to say, and nowhere to say it. Python would still flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_FINDINGS
    except FileNotFoundError as error:
        try:
            os.getcwd()
        except FileNotFoundError:
            fail("the current directory is gone; change to one that exists")
            return EXIT_FAILED
        return own_failure(error)
    except OSError as error:
        if error.errno in UNWRITABLE and error.filename is None:
            return no_output(error)
        return own_failure(error)
    except Exception as error:
        return own_failure(error)


def no_output(error: OSError) -> int:
    """Say that what there is to say can't be written; gives the exit code."""
    with suppress(OSError):  # standard error may be the one that is full
        fail(f"the output can't be written ({error.strerror}); make room, or write it elsewhere")
    return EXIT_FAILED


def own_failure(error: Exception) -> int:
    """Say that the program itself failed; gives the exit code."""
    if os.environ.get("OMNILINT_DEBUG"):
        raise error
    fail(f"internal error ({type(error).__name__}: {error}); please report it (OMNILINT_DEBUG=1 shows where)")
    return EXIT_FAILED


def prepare_streams() -> None:
    """See that whatever is written can be: closed streams, file names that are no text, terminals without Unicode."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  it stays open to the end
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def fail(message: str) -> None:
    """One line on standard error that says what is wrong and what to do."""
    click.echo(click.style("error", fg="red", bold=True) + ": " + " ".join(message.split()), err=True)


def main() -> None:
    """The console script: a short life without garbage collection, and no tidying up of memory at its end.

    Looking for cycles among syntax trees, and taking the trees apart, would only make people wait.
    """
    gc.disable()
    code = run()
    if sys.gettrace() is not None or sys.getprofile() is not None:
        sys.exit(code)  # a debugger, or a measurement of coverage, still has something to write
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)
