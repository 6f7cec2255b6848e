"""Step 6: the report in the forms that people and programs read; one module a form, imported when it is asked for."""

from __future__ import annotations

import importlib

from omnilint.model import Report

# Name of a form → the module that renders it. `rich` is for a terminal and writes to a console instead.
FORMS = {
    "concise": "concise",
    "json": "json_format",
    "jsonl": "jsonl",
    "sarif": "sarif",
    "github": "github",
    "gitlab": "gitlab",
    "junit": "junit",
    "markdown": "markdown",
}
# What is put on the lines of a repository by others: there a path counts from the repository's top.
ROOTED = ("sarif", "github", "gitlab", "junit")
NAMES = ("rich", *FORMS)


def without_padding(text: str) -> str:
    """The text without the blanks that fill a terminal's lines up to its width."""
    return "".join(line.rstrip(" ") + "\n" for line in text.split("\n")[:-1])


def render(report: Report, form: str) -> str:
    """The report as text in one of NAMES, with a newline at its end unless it is empty."""
    if form == "rich":
        from io import StringIO

        from rich.console import Console

        from omnilint.report import rich_text

        stream = StringIO()
        rich_text.write(report, Console(file=stream, width=120, highlight=False))
        return without_padding(stream.getvalue())
    module = importlib.import_module(f"omnilint.report.{FORMS[form]}")
    if form in ROOTED:
        from omnilint.report.rooted import rooted

        report = rooted(report)
    text: str = module.render(report)
    return text if not text or text.endswith("\n") else text + "\n"
