"""How long daily runs take: warm against ruff's warm run and our cold one, one file against flake8's, two processes.

    python tests/benchmark_daily.py TREE [--file FILE] [--runs 3]

Each run is a process of its own; wall and CPU seconds, the best of the runs. Not a test: machines are noisy, so look at
the ratios of one run. Tools that aren't installed are left out and named.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def cost(command: list[str], runs: int) -> tuple[float, float]:
    """Least wall and CPU seconds of a command and its children."""
    walls, cpus = [], []
    for _ in range(runs):
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, capture_output=True, check=False)
        walls.append(time.perf_counter() - started)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(walls), min(cpus)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree")
    parser.add_argument("--file", help="the single file; default: the first of the tree that mentions jax")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    files = sorted(Path(given.tree).rglob("*.py"))
    lines = sum(f.read_bytes().count(b"\n") for f in files)
    single = given.file or str(next(f for f in files if b"jax" in f.read_bytes()))
    print(f"{len(files)} files, {lines:,} lines, {os.cpu_count()} cores; one file: {single}")
    check = [sys.executable, "-m", "omnilint", "check", "--no-config", "--no-gitignore", "-q"]
    with tempfile.TemporaryDirectory() as kept:
        ours = [*check, "--cache-dir", kept]

        def show(name: str, command: list[str], runs: int = given.runs) -> None:
            wall, cpu = cost(command, runs)
            print(f"{name:38s} {wall:7.2f} s wall {cpu:7.2f} s CPU")

        show("omnilint, cold, 1 process", [*check, "--no-cache", "--jobs", "1", given.tree], 1)
        show("omnilint, cold, 2 processes", [*check, "--no-cache", "--jobs", "2", given.tree], 1)
        cost([*ours, given.tree], 1)
        show("omnilint, warm", [*ours, given.tree])
        changed = Path(single)
        text = changed.read_bytes()
        try:
            changed.write_bytes(text + b"\n# changed\n")
            show("omnilint, one file changed", [*ours, given.tree], 1)
        finally:
            changed.write_bytes(text)
        if importlib.util.find_spec("ruff") is not None:
            ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--cache-dir", kept, given.tree]
            cost(ruff, 1)
            show("ruff, warm", ruff)
        else:
            print("ruff: not installed, left out")
        show("omnilint, one file, nothing kept", [*check, "--no-cache", single])
        cost([*ours, single], 1)
        show("omnilint, one file, warm", [*ours, single])
        if importlib.util.find_spec("flake8") is not None:
            show("flake8, one file", [sys.executable, "-m", "flake8", "--isolated", "--select", "E,W,F", single])
        else:
            print("flake8: not installed, left out")


if __name__ == "__main__":
    main()
