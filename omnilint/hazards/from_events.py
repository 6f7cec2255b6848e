"""From the analysis' events to findings: which hazard, where to stand, what to say, one for each root cause."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from omnilint.analysis import nodes as cst
from omnilint.analysis.events import Event
from omnilint.analysis.interp import Interp
from omnilint.analysis.tables import words
from omnilint.analysis.traces import Link
from omnilint.analysis.values import CONSTANT
from omnilint.hazards import causes, conc, shape, state
from omnilint.hazards.claim import Claim, Draft
from omnilint.model import Confidence, Finding, Place, Related

_NEEDS = frozenset(
    ["bool", "int", "float", "index", "slice", "range", "shape", "static", "mask", "data", "numpy", "hash", "format"]
)
_MAX_CHAIN = 8
_NODES = ("declared", "read")  # what events say in nodes, which findings don't hold


def drafts_of(it: Interp) -> list[Draft]:
    """What the events so far amount to, sorted by place."""
    drafts: list[Draft] = []
    claims = [c for e in it.events.values() if (c := _claim(e)) is not None]
    for c in sorted(claims, key=lambda c: (c.place, c.code)):
        if "noqa" in (line := _line_of(c)) or "omnilint:" in line:
            c.root, c.after = ("suppressed", c.place, c.code), None  # what is silenced must not speak for other places
        seen = c.event.unit.place(c.event.node)
        hypothetical = c.event.trace is not None and c.event.trace.hypothetical
        drafts.append(Draft((seen, c.event.kind), c.root, c.short, hypothetical, _finding(c), c.after))
    return drafts


def findings_from(drafts: Iterable[Draft]) -> list[Finding]:
    """Findings sorted by place, one for each root cause. Of several drafts of one event the first counts."""
    events: dict[tuple[object, ...], Draft] = {}
    for d in drafts:
        events.setdefault(d.event, d)
    firm = {d.root for d in events.values() if d.event[1] in causes.FIRM}
    merged: dict[tuple[object, ...], Finding] = {}
    for d in sorted(events.values(), key=lambda d: (d.after in firm, d.finding.place, d.finding.code)):
        root = d.after if d.after in firm else d.root
        old = merged.get(root)
        if old is None:
            merged[root] = d.finding
        else:
            if d.finding.place != old.place and len(old.related) < 2 * _MAX_CHAIN:
                extra = Related(d.finding.place, f"also here: {d.short}")
                old = _with_related(old, extra)
            needs = [*old.data["needs"], *d.finding.data["needs"]][: 2 * _MAX_CHAIN]
            merged[root] = replace(old, data={**old.data, "needs": needs})
    return sorted(merged.values(), key=lambda f: (f.place, f.code))


def _line_of(c: Claim) -> str:
    module = c.event.unit.module if c.unit is None else c.unit.module
    return _text(module.lines, c.place)


def _with_related(f: Finding, extra: Related) -> Finding:
    return f if extra in f.related else replace(f, related=(*f.related, extra))


def _claim(e: Event) -> Claim | None:
    hypothetical = e.trace is not None and e.trace.hypothetical
    if e.kind in _NEEDS:
        assert e.value is not None
        if _of_static_values(e):
            if hypothetical and not e.value.shaped:
                return None
            return shape.claim(e) if not _of_data(e) else shape.claim_of_data(e)
        return None if hypothetical else conc.claim(e)
    if hypothetical:
        return None
    return conc.special(e) or state.claim(e)


def _of_static_values(e: Event) -> bool:
    """Was the value staged from what is known while tracing?"""
    assert e.value is not None
    if e.value.vague:  # nothing is known of the operands: a size is computed from sizes, a condition from data
        return e.kind in ("shape", "static", "slice", "index", "range", "int") and not _reduces(e)
    return e.value.cause == CONSTANT


def _of_data(e: Event) -> bool:
    """Does the staged value speak of constants or data? A condition does, unless it is one on shapes."""
    assert e.value is not None
    return e.kind == "bool" and not e.value.shaped


def _reduces(e: Event) -> bool:
    """Is a number asked for that data were reduced to?"""
    node = e.node.args[0].value if isinstance(e.node, cst.Call) and e.kind == "int" and e.node.args else None
    func = node.func if isinstance(node, cst.Call) else None
    word = func.attr.value if isinstance(func, cst.Attribute) else func.value if isinstance(func, cst.Name) else ""
    return word in words("reductions")


def _confidence(e: Event) -> Confidence:
    if e.trace is not None and e.trace.hypothetical:
        return Confidence.CONDITIONAL
    return Confidence.CERTAIN if e.certain else Confidence.LIKELY


def _finding(c: Claim) -> Finding:
    module = c.event.unit.module if c.unit is None else c.unit.module
    return Finding(
        code=c.code,
        message=c.message,
        place=c.place,
        confidence=_confidence(c.event),
        symbol=module.symbol_at(c.place.line),
        related=tuple(_related(c)),
        statement=_text(module.lines, c.place),
        data={"kind": c.event.kind, "exception": c.event.exception, "needs": [_need(c)]},
    )


def _need(c: Claim) -> dict[str, Any]:
    """What repairs have to know of one place that needs a value: how it came about, and under which transform."""
    e = c.event
    links = list(e.value.link.chain()) if e.value is not None and e.value.link is not None else []
    return {
        "kind": e.kind,
        "what": e.what,
        "place": e.unit.place(e.node),
        "param": e.value.param if e.value is not None else None,
        "arguments": causes.arguments(e),
        "steps": tuple((link.place, link.message) for link in links if link.stages),
        "transforms": tuple((link.place, link.message) for link in links if link.kind == "transform"),
        **{k: v for k, v in e.data.items() if k not in _NODES},
    }


def _text(lines: list[str], place: Place) -> str:
    return lines[place.line - 1] if 0 < place.line <= len(lines) else ""


def _related(c: Claim) -> Iterable[Related]:
    out: list[Related] = []
    links: list[Link] = list(c.link.chain()) if c.link is not None else []
    seen: set[tuple[Place, str]] = set()
    for link in reversed(links):
        place = link.place
        if (place, link.message) in seen or place == c.place:
            continue
        seen.add((place, link.message))
        out.append(Related(_narrow(link, place), link.message))
    out.extend(r for r in c.extra if r.place != c.place)
    if len(out) > _MAX_CHAIN:
        out = [*out[: _MAX_CHAIN // 2], *out[-_MAX_CHAIN // 2 :]]
    return out


def _narrow(link: Link, place: Place) -> Place:
    """For a whole function, its first line only."""
    if isinstance(link.node, cst.FunctionDef):
        return link.unit.name_place(link.node)
    return place
