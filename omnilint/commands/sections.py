"""A click command whose `--help` groups its options under headings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from omnilint.commands import completing

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class SectionOption(click.Option):
    """An option that knows the heading it is listed under; what it takes says what a shell completes it with."""

    def __init__(self, *args: Any, section: str = "Options", **kwargs: Any) -> None:
        kwargs.setdefault("shell_complete", completing.BY_METAVAR.get(kwargs.get("metavar", "")))
        super().__init__(*args, **kwargs)
        self.section = section


class SectionCommand(click.Command):
    """A command that lists its options by section, in the order in which the sections come up."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                sections.setdefault(getattr(parameter, "section", "Help"), []).append(record)
        sections["Help"] = sections.pop("Help", [])  # last
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)


def option(section: str, *names: str, **attributes: Any) -> Callable[[Decorated], Decorated]:
    """`click.option` under a heading."""
    return click.option(*names, cls=SectionOption, section=section, **attributes)
