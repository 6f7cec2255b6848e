"""The whole answer of a run, for the next one that asks the same of the same files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

from omnilint.cache import keys, records
from omnilint.cache.around import files_around
from omnilint.cache.store import Store
from omnilint.config import Settings
from omnilint.model import Report, Source, TargetUsed

# What may be otherwise next time, though nothing in the files changed.
PASSING = frozenset({"internal", "worker", "vanished"})
_COUNTS = ("files", "lines", "python_files", "jax_files", "text_files", "functions", "traced")


class Results:
    """What a run with these settings and files gave, kept under a hash of all of them."""

    def __init__(self, store: Store, settings: Settings, texts: Sequence[Source]) -> None:
        self._store = store
        self._name = ""
        if settings.target_jax == "installed" or (settings.python and not settings.target_jax):
            return  # it depends on what is installed elsewhere
        folders = {os.path.dirname(s.file) for s in texts if s.file}
        around = keys.of_files(files_around(folders))
        files = [keys.of_source(s) for s in texts]
        target = "" if settings.target_jax else keys.of_files(_metadata(folders))
        told = (keys.salt(), os.getcwd(), keys.of_settings(settings), files, around, target)
        self._name = "run-" + keys.digest(*told)

    def restore(self, report: Report) -> bool:
        """Fill in the report; False when the answer isn't known."""
        known = self._store.get(self._name) if self._name else None
        if known is None:
            return False
        try:
            findings, suppressed = records.findings(known["findings"]), records.findings(known["suppressed"])
            told = [records.problem(p) for p in known["problems"]]
            cut_short = [records.problem(p) for p in known["cut_short"]]
            counts = {name: int(known["counts"][name]) for name in _COUNTS}
            targets = [TargetUsed(*t) for t in known["targets"]]
        except (KeyError, TypeError, ValueError, AttributeError):
            return False
        report.findings, report.suppressed = findings, suppressed
        report.targets = targets
        report.problems += told
        report.summary.cut_short = cut_short
        for name, number in counts.items():
            setattr(report.summary, name, number)
        return True

    def keep(self, report: Report, before: int) -> None:
        """Remember the report; its first `before` problems come from reading, which every run does anew."""
        told = report.problems[before:]
        if not self._name or any(p.kind in PASSING for p in told):
            return
        try:
            document: dict[str, Any] = {
                "findings": [records.of_finding(f) for f in report.findings],
                "suppressed": [records.of_finding(f) for f in report.suppressed],
                "problems": [records.of_problem(p) for p in told],
                "cut_short": [records.of_problem(p) for p in report.summary.cut_short],
                "counts": {name: getattr(report.summary, name) for name in _COUNTS},
                "targets": [astuple(t) for t in report.targets],
            }
        except TypeError:
            return
        self._store.put(self._name, document)


def _metadata(folders: Iterable[str]) -> Iterator[Path]:
    from omnilint.api.project import metadata_files

    return metadata_files(Path(folder) for folder in sorted(folders))
