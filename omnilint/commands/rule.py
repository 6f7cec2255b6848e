"""`omnilint rule`: a rule's page, or the list of rules."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from typing import Any

import click

from omnilint import knowledge
from omnilint.commands import completing
from omnilint.errors import ConfigError, did_you_mean
from omnilint.knowledge import Rule
from omnilint.selection import PREFIX, PREFIX_OF_HAZARD

# What an example is for stands behind the language of its fence; the tests read the rest of the words.
FENCE = re.compile(r"^(```\w+) (\w+)(.*)$", re.M)
CAPTIONS = {
    "report": "Reported",
    "silent": "Left alone",
    "miss": "Wrong, and not seen",
    "problem": "Not checked, and said so",
    "confirm": "Seen by `--confirm` only",
}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("word", required=False, metavar="[CODE]", shell_complete=completing.rules)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="Text, or JSON.")
def command(word: str | None, form: str) -> None:
    """Explain a rule, or list all of them.

    CODE is a code (OMN101), a name (shape-maths-as-size), a prefix (OMN1) or a hazard (SHAPE).
    """
    found = rules_of(word)
    single = len(found) == 1
    if form == "json":
        data = [as_json(rule) | ({"page": rule.page} if single else {}) for rule in found]
        click.echo(json.dumps(data[0] if single else data, indent=2, ensure_ascii=False))
    elif single:
        show(found[0])
    else:
        click.echo("\n".join(listing(found)))


def rules_of(word: str | None) -> list[Rule]:
    """The rules that a user's word stands for, all of them for None.

    Raises ConfigError, with a near match, when it stands for none.
    """
    rules = knowledge.rules()
    if word is None:
        return list(rules.values())
    upper, lower = word.strip().upper(), word.strip().lower()
    prefix = PREFIX_OF_HAZARD.get(upper, upper)
    found = [rule for rule in rules.values() if rule.name == lower]
    if not found and prefix.startswith(PREFIX):
        found = [rule for code, rule in rules.items() if code.startswith(prefix)]
    if not found:
        names = [rule.name for rule in rules.values()]
        known = names if "-" in lower or len(lower) > len("OMN101") + 2 else [*rules, *PREFIX_OF_HAZARD]
        near = did_you_mean(lower if known is names else upper, known, "`omnilint rule` lists them all")
        raise ConfigError(f"no rule is called {word!r}; {near}")
    return found


def as_json(rule: Rule) -> dict[str, Any]:
    """The rule's metadata, as its page's front matter has them."""
    return {
        "code": rule.code,
        "name": rule.name,
        "hazard": rule.hazard.value,
        "severity": rule.severity.value,
        "since": rule.since,
        "fix": rule.fix,
        "default": rule.default,
        "summary": rule.summary,
        "references": list(rule.references),
    }


def listing(rules: Iterable[Rule]) -> Iterable[str]:
    """One line a rule, under a heading a hazard."""
    rules = list(rules)
    width = max(len(rule.name) for rule in rules)
    hazard = None
    for rule in rules:
        if rule.hazard != hazard:
            if hazard is not None:
                yield ""
            hazard = rule.hazard
            yield f"{hazard}: {knowledge.hazards()[hazard]}"
        yield f"  {rule.code}  {rule.name:<{width}}  {rule.summary}{'' if rule.default else ' (off by default)'}"


def facts(rule: Rule) -> str:
    """The line of facts that stands under a page's title."""
    off = "" if rule.default else ", off by default"
    return f"{rule.hazard}, {rule.severity}{off}, since {rule.since}, fix: {rule.fix}"


def markdown(rule: Rule) -> str:
    """The page as it is printed: with the line of facts, a caption for each case, and the references."""
    text, _, cases = rule.page.partition("## Cases\n")
    title, _, body = FENCE.sub(r"\1", text).partition("\n")
    cases = FENCE.sub(_captioned, cases)
    references = "\n".join(f"- <{reference}>" for reference in rule.references)
    return f"{title}\n\n{facts(rule)}\n{body}## Cases\n{cases}\n## References\n\n{references}\n"


def _captioned(fence: re.Match[str]) -> str:
    caption, raised = CAPTIONS[fence[2]], re.search(r"raises=(\w+)", fence[3])
    return f"{caption}{f', JAX raises {raised[1]}' if raised else ''}:\n\n{fence[1]}"


def show(rule: Rule) -> None:
    """Print the page: rendered on a terminal, as Markdown elsewhere."""
    text = markdown(rule)
    if not sys.stdout.isatty():
        click.echo(text, nl=False)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text))
