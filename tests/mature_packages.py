"""What all safe repairs do to packages: which modules import and which tests pass, before and after.

    python tests/mature_packages.py PYTHON FOLDER… [--tests WORDS] [--unsafe] [--keep DIR]

PYTHON has JAX, pytest and what the packages need. Each FOLDER is an unpacked release: the repairs are made in a copy,
for the JAX that PYTHON has, and the modules are imported and the tests run there, and in another copy as it was.
WORDS choose tests, as pytest's -k does. Ends with 1 when a module or a test is worse off. Not a test.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from dataclasses import dataclass
from pathlib import Path

SECONDS = 1500
IMPORTS = """
import importlib, json, pkgutil, sys, warnings
warnings.simplefilter("ignore")
told = []
for name in sys.argv[1:]:
    package = importlib.import_module(name)
    for found in pkgutil.walk_packages(package.__path__, name + ".", onerror=lambda name: None):
        if not found.name.rpartition(".")[2].startswith(("test", "conftest", "__main__")):
            try:
                importlib.import_module(found.name)
                told.append(found.name)
            except BaseException:
                pass
    told.append(name)
print("@@" + json.dumps(told))
"""


@dataclass(frozen=True)
class State:
    """What works in a copy of a package: modules that import, tests that pass."""

    modules: frozenset[str]
    tests: frozenset[str]


def _run(python: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": str(folder), "JAX_PLATFORMS": "cpu", "PYTHONDONTWRITEBYTECODE": "1"}
    environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # plugins of the environment have no say here
    command = [python, *arguments]
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, timeout=SECONDS)


def packages(folder: Path) -> list[str]:
    """The packages at the top of a release, tests and examples left out."""
    found = sorted(p.parent.name for p in folder.glob("*/__init__.py"))
    return [name for name in found if name not in ("tests", "test", "examples", "docs")]


def state(python: str, folder: Path, words: str | None) -> State:
    """Import everything, run the tests."""
    modules: set[str] = set()
    for name in packages(folder):
        told = [x for x in _run(python, folder, "-c", IMPORTS, name).stdout.splitlines() if x.startswith("@@")]
        modules |= set(json.loads(told[0][2:])) if told else set()
    report = folder / "omnilint-junit.xml"
    options = [
        "-q",
        "-p",
        "no:cacheprovider",
        "-o",
        "addopts=",
        "-o",
        "python_files=*_test.py test_*.py",
        "-W",
        "ignore",
    ]
    options += ["--continue-on-collection-errors"]
    chosen = ["-k", words] if words else []
    files = sorted(str(p.relative_to(folder)) for form in ("*_test.py", "test_*.py") for p in folder.rglob(form))
    if files:
        _run(python, folder, "-m", "pytest", *options, *chosen, f"--junitxml={report}", *files)
    return State(frozenset(modules), _passed(report) if report.exists() else frozenset())


def _passed(report: Path) -> frozenset[str]:
    return frozenset(
        f"{case.get('classname')}.{case.get('name')}"
        for case in xml.parse(report).getroot().iter("testcase")
        if not any(case.find(what) is not None for what in ("failure", "error", "skipped"))
    )


def repaired(python: str, folder: Path, unsafe: bool) -> int:
    """Make the repairs in place; how many findings they were for."""
    jax = _run(python, folder, "-c", "import jax; print(jax.__version__)").stdout.strip()
    command = ["check", "--no-config", "--no-gitignore", "--target-jax", jax, "--fix", "--format", "json", "."]
    command += ["--unsafe-fixes"] if unsafe else []
    done = subprocess.run([sys.executable, "-m", "omnilint", *command], cwd=folder, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{folder}: {done.stderr}")
    return len(json.loads(done.stdout)["summary"]["fixed"])


def row(python: str, release: Path, given: argparse.Namespace, work: Path) -> tuple[list[str], list[str]]:
    """(a row of the table, what is worse off)."""
    old, new = work / f"{release.name}-before", work / f"{release.name}-after"
    for copy in (old, new):
        shutil.copytree(release, copy, ignore=shutil.ignore_patterns(".git", "__pycache__"))
    fixed = repaired(python, new, given.unsafe)
    before, after = state(python, old, given.tests), state(python, new, given.tests)
    lost = sorted((before.modules - after.modules) | (before.tests - after.tests))
    counts = [str(fixed), *(f"{len(a)} → {len(b)}" for a, b in ((before.modules, after.modules),
                                                               (before.tests, after.tests)))]  # fmt: skip
    return [release.name, *counts, str(len(lost))], lost


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--tests", metavar="WORDS")
    parser.add_argument("--unsafe", action="store_true")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave the copies there")
    given = parser.parse_args()
    worse: list[str] = []
    print("| release | findings repaired | modules that import | tests that pass | lost |")
    print("| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for release in given.folders:
            cells, lost = row(given.python, release.resolve(), given, given.keep or Path(folder))
            print("| " + " | ".join(cells) + " |", flush=True)
            worse += lost
    print("\n".join(worse))
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
