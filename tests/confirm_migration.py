"""Which places of the migration of 2020 are proven, on the code of that time, under the JAX of today.

    python tests/confirm_migration.py LABELS.jsonl --work DIR [--python ENV/bin/python] [--only RELEASE] [--why]

Each label names a release, a file and a line that had to be mended, and what kind of hazard stood there. Releases are
downloaded with pip into DIR once, and unpacked, not installed; each is checked as a library whose functions are all
traced, and the findings that stand at a label or name it as related are confirmed with `--import slice`. Prints them
with their verdicts, as a table in Markdown; `--why` also the reasons and the calls. Not a test: it downloads, and runs
for a quarter of an hour.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath
from typing import Any

from omnilint.config import Settings
from omnilint.confirm import ConfirmOptions, confirm_findings
from omnilint.index.project import Project
from omnilint.model import Finding, Report, Status, Verdict
from omnilint.pipeline import check
from omnilint.sources.globs import Patterns

Json = dict[str, Any]


def release(work: Path, package: str, version: str) -> Path | None:
    """The folder of an unpacked release, downloaded when it isn't there yet; None when it can't be had."""
    folder = work / "src" / f"{package}-{version}"
    if folder.is_dir():
        return folder
    downloads = work / "dl" / f"{package}-{version}"
    downloads.mkdir(parents=True, exist_ok=True)
    options = ["-q", "--no-deps", "--prefer-binary", "--ignore-requires-python", "-d", str(downloads)]
    subprocess.run([sys.executable, "-m", "pip", "download", *options, f"{package}=={version}"], check=False)
    for file in sorted(downloads.iterdir()):
        if file.suffix == ".gz":
            with tarfile.open(file) as archive:
                archive.extractall(folder, filter="data")
        elif file.suffix in (".whl", ".zip"):
            with zipfile.ZipFile(file) as packed:
                packed.extractall(folder)
    return folder if folder.is_dir() else None


def labelled(folder: Path, path: str) -> Path | None:
    """The file of a release that a label's path means: sources lie below a folder of their own, wheels don't."""
    parts = PurePosixPath(path).parts
    tried = ["/".join(parts[i:]) for i in range(len(parts))]
    inside = [folder, *(p for p in folder.iterdir() if p.is_dir())]
    return next((f for base in inside for t in tried if (f := base / t).is_file()), None)


def proven(folder: Path, labels: list[Json], python: str) -> dict[str, Finding | None]:
    """For each label of a release the finding that stands there, with its verdict; a proven one of several."""
    settings = Settings(traced=(Patterns.of(str(folder), ["**"]),), python=(python,))
    report = check([str(folder)], settings)
    files = {label["id"]: labelled(folder, label["path_in_sdist"]) for label in labels}
    places = [(str(files[x["id"]]), int(x["line"])) for x in labels]
    report.findings = [f for f in report.findings if any(_stands_at(f, file, line, report) for file, line in places)]
    project = Project()
    for source in report.sources.values():
        if source.kind == "python":
            with contextlib.suppress(SyntaxError):  # Python 2, in some test of then
                project.add(source, {str(s.file) for s in report.sources.values()})
    confirm_findings(report, project, [python], options=ConfirmOptions(importing="slice"))
    found: dict[str, Finding | None] = {}
    for label in labels:
        near = [f for f in report.findings if _stands_at(f, str(files[label["id"]]), int(label["line"]), report)]
        near.sort(key=lambda f: _verdict(f).status is not Status.CONFIRMED)
        found[label["id"]] = near[0] if near else None
    return found


def _stands_at(finding: Finding, file: str, line: int, report: Report) -> bool:
    """Whether a finding covers a line of a file, or names it as related."""
    places = [finding.place, *(r.place for r in finding.related)]
    return any(
        p.path in report.sources and report.sources[p.path].file == file and p.line <= line <= p.end_line
        for p in places
    )


def _verdict(finding: Finding) -> Verdict:
    return finding.verdicts[0] if finding.verdicts else Verdict(Status.INCONCLUSIVE, reason="not asked")


def row(label: Json, finding: Finding | None, why: bool) -> tuple[bool, str]:
    """(whether the label is proven, its line of the table)."""
    place = f"| {label['id']} | {label['pypi_package']} {label['version_before']} "
    place += f"| `{label['path_in_sdist']}:{label['line']}` "
    if finding is None:
        return False, f"{place}| no finding |  |  |"
    verdict = _verdict(finding)
    legacy = {True: "yes", False: "no", None: ""}[verdict.legacy]
    said = verdict.exception or ""
    if why or not said:
        said += f" {' '.join((verdict.reason or '').split())[:160]} [{' '.join((verdict.inputs or '').split())[:100]}]"
    right = verdict.status is Status.CONFIRMED
    return right, f"{place}| {finding.code} {verdict.status.value} | {said} | {legacy} |"


def main() -> None:
    """Print the table, and how many labels are proven."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("labels", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--only", default="")
    parser.add_argument("--why", action="store_true")
    asked = parser.parse_args()
    releases: dict[tuple[str, str], list[Json]] = {}
    for line in asked.labels.read_text(encoding="utf-8").splitlines():
        label = json.loads(line)
        releases.setdefault((label["pypi_package"], label["version_before"]), []).append(label)
    total, right = 0, 0
    print("| label | release | place | finding | what JAX raises | worked when folded |")
    print("| --- | --- | --- | --- | --- | --- |")
    for (package, version), labels in releases.items():
        if not f"{package}-{version}".startswith(asked.only):
            continue
        folder = release(asked.work, package, version)
        there = [x for x in labels if folder and labelled(folder, x["path_in_sdist"])]
        found = proven(folder.resolve(), there, asked.python) if folder and there else {}
        for label in labels:
            is_right, line = row(label, found.get(label["id"]), asked.why)
            if label not in there:
                line = (
                    f"| {label['id']} | {package} {version} | `{label['path_in_sdist']}` | not in the release |  |  |"
                )
            total, right = total + 1, right + is_right
            print(line, flush=True)
    print(f"\n{right} of {total} labels proven")


if __name__ == "__main__":
    main()
