"""What the formats for people share: how a place is written, and the source line that it points into."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby

from omnilint.model import Applicability, Finding, Fix, Place, Repaired, Report, Verdict
from omnilint.sources.notebook import Notebook
from omnilint.sources.read import split_lines
from omnilint.visible import visible


def position(place: Place) -> str:
    """`path:line:column`, with the cell of a notebook in between."""
    cell = f"cell {place.cell}:" if place.cell else ""
    return f"{visible(place.path)}:{cell}{place.line}:{place.column}"


def position_from(place: Place, path: str) -> str:
    """A place as it is written below a heading that has named `path` already."""
    if place.path != path:
        return position(place)
    cell = f"cell {place.cell}:" if place.cell else ""
    return f"{cell}{place.line}:{place.column}"


MOST_PLACES = 10


def chain(finding: Finding, where: Callable[[Place], str]) -> Iterator[tuple[str, str]]:
    """The reason chain as (places, what happens there): neighbours of one kind together, ten of them at most."""
    for told, links in groupby(finding.related, key=lambda link: link.message):
        places = [where(link.place) for link in links]
        more = f" and {len(places) - MOST_PLACES} more" if len(places) > MOST_PLACES else ""
        yield ", ".join(places[:MOST_PLACES]) + more, told


def message(finding: Finding) -> str:
    """The message on one line, with the confidence unless it is certain."""
    text = " ".join(finding.message.split())
    return text if finding.confidence == "certain" else f"{text} [{finding.confidence}]"


class Lines:
    """Source lines by place, each file split once."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._split: dict[str, list[str]] = {}

    def at(self, place: Place) -> str | None:
        """The line that the place begins on; None when the file isn't part of the run."""
        source = self._report.sources.get(place.path)
        if source is None:
            return None
        if place.path not in self._split:
            self._split[place.path] = split_lines(source.text)
        line = place.line
        if isinstance(source, Notebook) and place.cell:
            line = source.line_of(place.cell, line)
        lines = self._split[place.path]
        return lines[line - 1] if 0 < line <= len(lines) else None


# What isn't plain from the call itself is said beside it.
SOURCES = {
    "record": "recorded",
    "hint": "as hinted",
    "search": "made up",
    "literal": "as called in the code",
    "doctest": "a doctest",
    "run": "your own run",
}


def rewrite(finding: Finding, report: Report) -> list[str]:
    """What a repair makes of the lines that it touches: removed ones with `-`, new ones with `+`."""
    source = report.sources.get(finding.place.path)
    if finding.fix is None or source is None:
        return []
    from difflib import unified_diff

    from omnilint.fixes.rewrite import spans_of
    from omnilint.fixes.text import apply, parts, text_of

    own = [e for e in finding.fix.edits if e.place.path == finding.place.path]
    out: list[str] = []
    # Part by part: the rest of the file is the same, and can be long.
    for old, spans in parts(text_of(source), spans_of(source, own)):
        lines = unified_diff(split_lines(old), split_lines(apply(old, spans)), lineterm="", n=0)
        out += [line for line in list(lines)[2:] if not line.startswith("@@")]
    return out


def repair(finding: Finding) -> list[str]:
    """The repair that is offered, with how far it may be trusted, on one line; none where there is none."""
    fix = finding.fix
    return [] if fix is None else [f"fix: {fix.description} ({', '.join(trust(fix))})"]


def trust(fix: Fix) -> list[str]:
    """How far a repair may be trusted, in words: its kind, and what confirm said of it."""
    kind = "shown only" if fix.applicability is Applicability.DISPLAY else fix.applicability.value
    if fix.verified:
        return [kind, "verified"]
    if fix.verified is False:
        return [kind, f"fails its proof: {fix.reason}"]
    return [kind, f"not proven: {fix.reason}"] if fix.reason else [kind]


def fixed(finding: Finding, repaired: Repaired) -> str:
    """What was done about a finding, on one line; `[verified]` when it was proven."""
    assert finding.fix is not None
    did = "fixed" if repaired.written else "would be fixed"
    return f"{did}: {finding.fix.description}{' [verified]' if finding.fix.verified else ''}"


def proofs(finding: Finding) -> list[str]:
    """Each interpreter's answer and its evidence, on one line; the interpreter is named when there are several."""
    several = len({v.python for v in finding.verdicts}) > 1
    # That a name was gone or a tolerance too tight before 2020 too tells nobody anything.
    dated = not finding.code.startswith(("OMN3", "OMN4"))
    return [_proof(v, several, dated) for v in finding.verdicts]


def _proof(verdict: Verdict, several: bool, dated: bool) -> str:
    by = " ".join(
        part
        for part in (
            f"by jax {verdict.jax}" if verdict.jax else "",
            f"on {verdict.backend}" if verdict.backend else "",
            f"in {verdict.python}" if several and verdict.python else "",
        )
        if part
    )
    told = ": ".join(part for part in (verdict.exception, _gist(verdict.message)) if part)
    parts = [f"{verdict.status}{f' {by}' if by else ''}{f': {told}' if told else ''}"]
    if verdict.line is not None and verdict.exception:
        parts.append(f"raised at line {verdict.line}")
    if verdict.inputs:
        origin = SOURCES.get(verdict.source or "")
        parts.append(f"inputs {verdict.inputs}{f' ({origin})' if origin else ''}")
    if verdict.reason:
        parts.append(verdict.reason)
    if verdict.legacy is not None and dated:
        parts.append("worked before omnistaging" if verdict.legacy else "failed before omnistaging too")
    return "; ".join(parts)


def _gist(text: str | None) -> str:
    """The first line of JAX's message without what follows in all of them (where the tracing began)."""
    line = next((line.strip() for line in (text or "").splitlines() if line.strip()), "")
    return line.partition(" The error occurred while tracing")[0]
