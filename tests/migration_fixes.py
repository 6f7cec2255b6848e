"""How many of the real fixes of a migration omnilint would have made, and how they compare with the maintainers'.

    python tests/migration_fixes.py RELEASES LABELS.jsonl [--show]

RELEASES holds unpacked releases, a folder `package-version` each. LABELS has one place a line that the migration
had to mend: `class` (the hazard), `pypi_package`, `version_before`, `path_in_sdist`, `line`, `symbol`, `version_after`,
`path_after`. A label is found by a finding of its class that covers its line, or whose chain runs through it. Nothing
of the releases is run. `--show` prints the two mends side by side. Not a test.
"""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from omnilint import config, pipeline
from omnilint.fixes.rewrite import spans_of
from omnilint.fixes.text import apply
from omnilint.model import Finding, Report
from omnilint.report import rules
from omnilint.sources.globs import Patterns

Label = dict[str, Any]
COLUMNS = ("labels", "not there", "found", "with a repair", "safe", "unsafe", "display", "as the maintainers")


@dataclass(frozen=True)
class Mend:
    """What became of a label: the finding, and new lines of ours and theirs."""

    finding: Finding | None
    ours: tuple[str, ...] = ()
    theirs: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether every line that we would write stands in what the maintainers wrote, whatever NumPy is called."""
        return bool(self.ours) and {_plain(line) for line in self.ours} <= {_plain(line) for line in self.theirs}


def _plain(line: str) -> str:
    return re.sub(r"\b(onp|numpy|_np|osp)\b", "np", re.sub(r"\s+", "", line))


def located(root: Path, path: str) -> Path | None:
    """The file of a release for a path that may begin with a source release's own folder."""
    parts = PurePosixPath(path).parts
    return next((p for i in range(len(parts)) if (p := root.joinpath(*parts[i:])).is_file()), None)


@cache
def checked(root: Path) -> Report:
    """What is found in a release, all of its public functions taken as traced by their users."""
    settings = dataclasses.replace(config.Settings(), traced=(Patterns.of(str(root.resolve()), ["**"]),))
    return pipeline.check([str(root.resolve())], settings)


def finding_of(label: Label, report: Report, file: Path) -> Finding | None:
    """The finding that is about a label; one with a repair where several are."""

    def here(path: str) -> bool:
        return os.path.realpath(report.sources[path].file or path) == os.path.realpath(file)

    def rank(f: Finding) -> int:
        if here(f.place.path) and f.place.line <= label["line"] <= f.place.end_line:
            return 0
        return 1 if any(r.place.line == label["line"] and here(r.place.path) for r in f.related) else 2

    about = [f for f in report.findings if rules.hazard(f) == label["class"] and rank(f) < 2]
    return min(about, key=lambda f: (rank(f), f.fix is None), default=None)


def _news(before: str, after: str) -> Iterator[str]:
    """The lines that are new, imports and comments left out."""
    for line in difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm=""):
        text = line[1:].strip()
        if (
            line.startswith("+")
            and not line.startswith("+++")
            and text
            and not text.startswith(("#", "import ", "from "))
        ):
            yield text


def mend(label: Label, releases: Path) -> Mend | None:
    """Both mends of a label; None where the release or the file isn't there."""
    root = releases / f"{label['pypi_package']}-{label['version_before']}"
    file = located(root, label["path_in_sdist"])
    if file is None:
        return None
    report = checked(root)
    finding = finding_of(label, report, file)
    if finding is None or finding.fix is None:
        return Mend(finding)
    ours: list[str] = []
    for path in dict.fromkeys(e.place.path for e in finding.fix.edits):
        source = report.sources[path]
        spans = spans_of(source, [e for e in finding.fix.edits if e.place.path == path])
        ours += _news(source.text, apply(source.text, spans))
    later = releases / f"{label['pypi_package']}-{label['version_after']}"
    after = located(later, label.get("path_after") or label["path_in_sdist"])
    theirs = _news(file.read_text(), after.read_text()) if after is not None else ()
    return Mend(finding, tuple(ours), tuple(theirs))


def table(labels: list[Label], releases: Path, show: bool) -> dict[str, Counter[str]]:
    """The counts of COLUMNS, by class."""
    counts: dict[str, Counter[str]] = {}
    for label in labels:
        told = mend(label, releases)
        row = counts.setdefault(label["class"], Counter())
        row["labels"] += 1
        row["not there"] += told is None
        if told is None or told.finding is None:
            continue
        row["found"] += 1
        fix = told.finding.fix
        if fix is not None:
            row["with a repair"] += 1
            row[fix.applicability.value] += 1
            row["as the maintainers"] += told.same
        if show:
            _show(label, told)
    return counts


def _show(label: Label, told: Mend) -> None:
    assert told.finding is not None
    fix = told.finding.fix
    kind = fix.applicability.value if fix else f"none: {told.finding.data.get('unfixed')}"
    print(f"\n{label['id']} {told.finding.code} {label['path_in_sdist']}:{label['line']} ({kind})")
    print(f"  they: {label['fix']}")
    print("\n".join(f"  {'=' if told.same else '+'} {line}" for line in told.ours))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("releases", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--show", action="store_true", help="both mends of each label that has a repair, or why not")
    given = parser.parse_args()
    labels = [json.loads(line) for line in given.labels.read_text(encoding="utf-8").splitlines()]
    counts = table([x for x in labels if x.get("line") and x.get("version_before")], given.releases, given.show)
    print("\n| class | " + " | ".join(COLUMNS) + " |\n" + "| --- " * (len(COLUMNS) + 1) + "|")
    for name in (*sorted(counts), "all"):
        row = sum(counts.values(), Counter()) if name == "all" else counts[name]
        print(f"| {name} | " + " | ".join(str(row[c]) for c in COLUMNS) + " |")


if __name__ == "__main__":
    main()
