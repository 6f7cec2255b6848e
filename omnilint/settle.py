"""From what the hazards claim to what is reported: selected, not silenced, each once, whole, in order."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from itertools import groupby

from omnilint import knowledge
from omnilint.index.module import ModuleIndex
from omnilint.model import Applicability, Confidence, Finding, Fix, Place, Source
from omnilint.selection import CONFIRM_ONLY, Selection
from omnilint.sources.kinds import TEXT
from omnilint.sources.read import split_lines
from omnilint.statements import Statements
from omnilint.suppress import UNUSED, Suppression, Suppressions, speaks

# About the check itself: a comment against these is never called idle.
META = "OMN9"

_IDLE = "this comment silences nothing; remove it"
_ASTRAY = "this comment stands on no line of a statement and silences nothing; put it on one, or remove it"
_DEFINITION = re.compile(r"(@.*\n)*(async )?def ")
_CONFIDENCES = list(Confidence)


def settle(
    findings: list[Finding],
    sources: Mapping[str, Source],
    modules: Mapping[str, ModuleIndex],
    chosen: Selection,
    confirm: bool,
) -> tuple[list[Finding], list[Finding]]:
    """(reported, silenced) findings in the order of their places; comments that silence nothing are reported too."""
    reported: list[Finding] = []
    silenced: list[Finding] = []
    by_path = {path: list(group) for path, group in groupby(sorted(findings, key=_order), key=lambda f: f.place.path)}
    for path in sorted(sources, key=lambda p: p.split("/")):
        source, module = sources[path], modules.get(path)
        own = by_path.get(path, [])
        if not speaks(source):
            own = [f for f in own if chosen.reports(f.code, source.file)]
            if not own:
                continue
        statements = Statements(module.tree) if module else None
        suppressions = Suppressions(source, statements)
        seen: set[tuple[Place, str]] = set()
        used: set[tuple[Suppression, str]] = set()
        kept: list[Finding] = []
        for finding in own:
            if (finding.place, finding.code) in seen:
                continue
            seen.add((finding.place, finding.code))
            suppression = suppressions.of(finding)
            if suppression is not None:
                used.add((suppression, finding.code))
            # What isn't selected is looked at for this alone: a bare comment may be meant for it.
            if chosen.reports(finding.code, source.file):
                whole = _with_places(_whole(finding, source, module, statements, chosen), sources, modules)
                (kept if suppression is None else silenced).append(whole)
        parsed = module is not None or source.kind == TEXT
        if (suppressions.all or suppressions.slips) and parsed and chosen.reports(UNUSED, source.file):
            looked = tuple(c for c in knowledge.codes() if c[:4] != META and judged(c, source.file, chosen, confirm))
            idle = _unused(suppressions, statements, used, looked, confirm, path)
            unused = [_whole(f, source, module, statements, chosen) for f in idle]
            silenced += [f for f in unused if suppressions.allow_idle(f.place.line)]
            kept = sorted([*kept, *(f for f in unused if not suppressions.allow_idle(f.place.line))], key=_order)
        reported += kept
    return reported, silenced


def _order(f: Finding) -> tuple[object, ...]:
    return f.place.path.split("/"), f.place, f.code, _CONFIDENCES.index(f.confidence), f.message


def _whole(
    finding: Finding,
    source: Source,
    module: ModuleIndex | None,
    statements: Statements | None,
    chosen: Selection,
) -> Finding:
    """The finding with its severity, and with symbol and statement, which its fingerprint is made of."""
    line = finding.place.line
    symbol = finding.symbol or (module.symbol_at(line) if module else "")
    statement = statements.text(line) if statements else None
    if statement is None:
        lines = split_lines(source.text)
        statement = lines[line - 1].strip() if line <= len(lines) else ""
    severity = chosen.severity(finding.code) or finding.severity
    return dataclasses.replace(finding, symbol=symbol, statement=statement, severity=severity)


def _with_places(finding: Finding, sources: Mapping[str, Source], modules: Mapping[str, ModuleIndex]) -> Finding:
    """The finding with the names of the other places that it speaks for: a baseline must tell when one is added."""
    others = [r.place for r in finding.related if r.message.startswith("also here")]
    if not others:
        return finding
    also = []
    for place in others:
        module = modules.get(place.path)
        text = Statements(module.tree).text(place.line) if module else None
        line = split_lines(sources[place.path].text)[place.line - 1].strip() if place.path in sources else ""
        also.append([place.path, module.symbol_at(place.line) if module else "", line if text is None else text])
    return dataclasses.replace(finding, data={**finding.data, "also": also})


def judged(code: str, file: str | None, chosen: Selection, confirm: bool) -> bool:
    """Whether this run would have found the code, so that what speaks of it (a comment, a baseline) is out of date."""
    return (confirm or not code.startswith(CONFIRM_ONLY)) and chosen.reports(code, file)


def _may_be_idle(s: Suppression, among: Suppressions, statements: Statements | None, confirm: bool) -> bool:
    """Whether a comment without codes is idle when nothing was found there.

    `noqa` may be meant for other tools, one for the whole file is a decision about what may come, one for a definition
    may be for what only confirm finds there, and of one with a slip the slip is told.
    """
    if not s.own or s.whole_file or s.prefixes or any(slip.line == s.line for slip in among.slips):
        return False
    statement = (statements.text(s.line) if statements else None) or ""
    return confirm or not _DEFINITION.match(statement)


def _unused(
    suppressions: Suppressions,
    statements: Statements | None,
    used: set[tuple[Suppression, str]],
    judged: tuple[str, ...],
    confirm: bool,
    path: str,
) -> Iterator[Finding]:
    for slip in suppressions.slips:
        yield Finding(UNUSED, slip.message, Place(path, slip.line, slip.column, slip.line, slip.end_column))
    for s in suppressions.all:
        codes = {code for suppression, code in used if suppression == s}
        idle = [
            prefix
            for prefix in s.prefixes
            if any(code.startswith(prefix) for code in judged) and not any(code.startswith(prefix) for code in codes)
        ]
        if not idle and (codes or not _may_be_idle(s, suppressions, statements, confirm)):
            continue
        place = Place(path, s.line, s.column, s.line, s.end_column)
        words = [word for word, prefix in s.words if prefix in idle]
        if len(words) == len(s.words):
            astray = statements and not s.whole_file and statements.text(s.line) is None
            message, done = _ASTRAY if astray else _IDLE, "remove the comment"
        else:
            named = ", ".join(f"`{word}`" for word in words)
            message, done = f"{named} in this comment silences nothing; remove it there", f"remove {named}"
        yield Finding(UNUSED, message, place, fix=Fix(Applicability.SAFE, done, (s.without(idle, path),)))
