"""`omnilint staging`: both pictures of a call, side by side on a terminal."""

from __future__ import annotations

import dataclasses
import json
import sys
from typing import Any

import click

from omnilint.commands import completing
from omnilint.confirm.staging import Picture, Staging, stage

SHOWN = ("jaxpr", "stablehlo", "hlo")
TODAY = "today: everything is staged out"
BEFORE = "before omnistaging: folded while tracing"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("what", metavar="FILE::FUNCTION", shell_complete=completing.files)
@click.option(
    "--input",
    "given",
    multiple=True,
    metavar="SPEC",
    help="An argument: f32[3,4], i32[], key, a Python literal, or NAME=one of these; repeatable.",
)
@click.option("--python", multiple=True, metavar="PATH", help="Interpreter that has JAX.")
@click.option(
    "--show",
    "shown",
    multiple=True,
    type=click.Choice(SHOWN),
    help="Which languages to print; all when left out. Repeatable.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="Text, or JSON.")
def command(what: str, given: tuple[str, ...], python: tuple[str, ...], shown: tuple[str, ...], form: str) -> None:
    """Show what a function stages out today and what trace-time folding gave before.

    FILE::FUNCTION is a function, or FILE::CLASS.METHOD a method. The file is imported and the function
    traced, under your own JAX: this runs your code. Operations that used to be folded are marked with *.
    """
    staging = stage(what, given, python)
    if form == "json":
        click.echo(json.dumps(as_json(staging), indent=2, ensure_ascii=False))
    elif sys.stdout.isatty():
        _side_by_side(staging, shown or SHOWN)
    else:
        click.echo("\n".join(_plain(staging, shown or SHOWN)))


def as_json(staging: Staging) -> dict[str, Any]:
    """The pictures as JSON."""
    data = dataclasses.asdict(staging)
    for side in ("today", "before"):
        data[side]["jaxpr"] = [{"text": text, "folded_before": folded} for text, folded in data[side]["jaxpr"]]
    return data


def _bytes(n: int) -> str:
    return f"{n} byte" + ("" if n == 1 else "s")


def size(picture: Picture) -> str:
    """One line on how big a picture is."""
    if picture.error:
        return f"cannot be traced: {picture.error}"
    operations = f"{picture.operations} operation" + ("" if picture.operations == 1 else "s")
    return f"{operations}, {_bytes(picture.constant_bytes)} of constants"


def constants(picture: Picture) -> list[str]:
    """The arrays that the program carries, one a line."""
    told = []
    for c in picture.constants:
        shape = f"{c['dtype']}[{','.join(str(n) for n in c['shape'])}]"
        value = f" = {' '.join(c['value'].split())}" if c["value"] else ""
        told.append(f"constant {c['name']}: {shape}{value} ({_bytes(c['bytes'])})")
    return told


def text_of(picture: Picture, language: str) -> list[tuple[str, bool]]:
    """The lines of one language, each with its mark; the jaxpr is followed by its constants."""
    if picture.error:
        return [(f"cannot be traced: {picture.error}", False)]
    if language == "jaxpr":
        return [*picture.jaxpr, *((line, False) for line in constants(picture))]
    return [(line, False) for line in getattr(picture, language).strip().splitlines()]


def _folded(staging: Staging) -> str:
    n, marked = staging.today.foldable, any(mark for _, mark in staging.today.jaxpr)
    how = " (marked *)" if marked or not n else " (not marked: the program prints parts of itself by name)"
    return "" if staging.today.error else f"{n} of today's operations used to be folded{how}"


def _plain(staging: Staging, shown: tuple[str, ...]) -> list[str]:
    lines = [f"{staging.call}   jax {staging.jax}", ""]
    for title, picture in ((TODAY, staging.today), (BEFORE, staging.before)):
        lines += [f"== {title}", f"   {size(picture)}"]
        if picture is staging.today and _folded(staging):
            lines.append(f"   {_folded(staging)}")
        for language in () if picture.error else shown:
            lines.append(f"-- {language}")
            lines += [("* " if mark else "  ") + text for text, mark in text_of(picture, language)]
        lines.append("")
    return lines[:-1]


def _side_by_side(staging: Staging, shown: tuple[str, ...]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    console.print(Text.assemble((staging.call, "bold"), (f"   jax {staging.jax}", "dim")))

    def drawn(picture: Picture, language: str) -> Text:
        text = Text()
        for line, mark in text_of(picture, language):
            style = "yellow" if mark else "red" if picture.error else ""
            text.append(("* " if mark else "  ") + line + "\n", style=style)
        return text

    table = Table(show_lines=True, expand=True)
    for title, picture in ((TODAY, staging.today), (BEFORE, staging.before)):
        table.add_column(Text.assemble((title, "bold"), "\n", (size(picture), "dim")), ratio=1, overflow="fold")
    for language in shown:
        if staging.today.error and staging.before.error:
            break
        table.add_row(drawn(staging.today, language), drawn(staging.before, language))
    console.print(table)
    if _folded(staging):
        console.print(Text(_folded(staging), style="yellow"))
