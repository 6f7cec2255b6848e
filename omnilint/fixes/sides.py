"""Both sides of a repair as runs need them: texts with probes, places to watch, functions whose results count."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from omnilint.fixes.edited_functions import Edited, edited
from omnilint.fixes.moved_call import moved
from omnilint.fixes.probes import Need, Probed, probed
from omnilint.model import Finding, Place, Report

Json = dict[str, Any]


class Side(NamedTuple):
    """The code before a repair, or after it.

    `texts` are the files that are other than on disk, by file; `watch` are places that a run has to come to.
    """

    texts: dict[str, str]
    watch: list[Json]
    edited: Edited
    probed: Probed

    def missed(self, seen: Json) -> str | None:
        """What a run didn't come to, in words."""
        missed = [watch for watch in self.watch if not runs(seen, watch["id"])]
        return "doesn't run all of the edited lines" if missed else None

    def evaluates(self, seen: Json) -> bool:
        """Whether a run evaluated each edited expression, and called each function whose making is edited."""
        told, given = set(seen.get("evaluated") or ()), seen.get("given") or {}
        return all(n in told for n in self.probed.asked) and all(f in given for f in self.probed.entered)


def runs(seen: Json, watch: str) -> bool:
    """Whether a run came to a place."""
    hits = (seen.get("hits") or {}).get(watch)
    return bool(hits and hits["runs"])


def sides(
    before: Mapping[str, str],
    after: Mapping[str, str],
    report: Report,
    files: Mapping[str, str],
    made: Sequence[Finding],
) -> tuple[Side, Side]:
    """The sides of the repair of `made`; texts are by file, `files` by path; what isn't in `before` is as on disk."""
    path_of = {file: path for path, file in files.items()}
    whole = {file: before.get(file, report.sources[path_of[file]].text) for file in after}
    needs: dict[str, list[Need]] = {}
    for finding in made:
        file = files.get(finding.place.path)
        if file is not None and file in after and finding.code.startswith("OMN5"):
            needs.setdefault(file, []).extend(_needs(finding.place, whole[file], after[file]))
    functions, probes = edited(whole, after), probed(whole, after, needs)
    old, new = Side(dict(before), [], functions[0], probes[0]), Side(dict(after), [], functions[1], probes[1])
    for file in after:
        new.watch.extend(_changed(whole[file], after[file], file))
    return old, new


def _changed(before: str, after: str, file: str) -> Iterator[Json]:
    """The lines that differ, as places to watch; lines without code, and what was only taken out, are none."""
    lines = after.splitlines()
    matcher = difflib.SequenceMatcher(None, before.splitlines(), lines, autojunk=False)
    for tag, _, _, first, last in matcher.get_opcodes():
        own = [n + 1 for n in range(first, last) if lines[n].strip() and not lines[n].lstrip().startswith("#")]
        if tag != "equal" and own:
            told: Json = {"id": f"edit:{file}:{first}", "file": file, "first": own[0], "last": own[-1]}
            yield _statement(after, {**told, "names": [], "whenever": True})  # an import runs before any call


def _needs(place: Place, before: str, after: str) -> Iterator[Need]:
    """Where a value is needed on either side, when that isn't what is edited: the repair stands where it is made."""
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    lines = range(place.line, place.end_line + 1)
    if not any(tag != "equal" and first < n <= last for tag, first, last, _, _ in matcher.get_opcodes() for n in lines):
        by = moved(place.line, before, after) - place.line
        yield (place, replace(place, line=place.line + by, end_line=place.end_line + by))


def _statement(text: str, watch: Json) -> Json:
    """The watch widened to the statements that begin or go on in its lines: not every line of one has an event."""
    best: tuple[int, int] | None = None
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            first, last = node.lineno, node.end_lineno or node.lineno
            if first <= watch["last"] and last >= watch["first"]:
                best = (min(first, best[0]), max(last, best[1])) if best else (first, last)
    if best is not None:
        watch["first"], watch["last"] = min(best[0], watch["first"]), max(best[1], watch["last"])
    return watch
