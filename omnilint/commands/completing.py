"""What a shell may complete: files, folders, rules. `_OMNILINT_COMPLETE=bash_source omnilint` sets a shell up."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem


def files(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The shell's own completion of file names."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def folders(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The shell's own completion of folders."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]


def rules(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Codes, hazards and names of rules; of a list separated by commas, its last word."""
    from click.shell_completion import CompletionItem

    from omnilint import knowledge
    from omnilint.selection import PREFIX_OF_HAZARD

    before, comma, word = incomplete.rpartition(",")
    known = {rule.code: rule.summary for rule in knowledge.rules().values()}
    known |= {rule.name: rule.summary for rule in knowledge.rules().values()}
    known |= dict.fromkeys(PREFIX_OF_HAZARD, "all rules of a hazard")
    fitting = (name for name in known if name.lower().startswith(word.lower()))
    return [CompletionItem(before + comma + name, help=known[name]) for name in fitting]


# What an option is called to take, and what can stand there.
BY_METAVAR = {"FILE": files, "PATH": files, "FOLDER": folders, "RULE": rules, "RULES": rules}
