"""How long a cold run takes, as ratios: CPU time against `ast.parse` of the same files, and against peers.

    python tests/benchmark_speed.py PATH… [--runs 3]

Each command is a process of its own, so the import of the program counts. Peers that aren't installed (flake8,
jaxlint) are left out and named. Not a test: machines are noisy, so look at the ratios of one run.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path

PARSE = "import ast,pathlib,sys\nfor f in sys.stdin.read().split('\\0'):\n    ast.parse(pathlib.Path(f).read_bytes())\n"
PEERS = {"flake8": ["-m", "flake8"], "jaxlint": ["-m", "jaxlint"]}


def cost(command: list[str], text: str = "") -> tuple[float, float]:
    """CPU seconds of a command and its children, and the peak memory of all so far (MiB)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, after.ru_maxrss / 1024


def files_below(paths: list[str]) -> list[str]:
    found: list[Path] = []
    for p in map(Path, paths):
        found += sorted(p.rglob("*.py")) if p.is_dir() else [p]
    return [str(f) for f in found]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    files = files_below(given.paths)
    lines = sum(Path(f).read_bytes().count(b"\n") for f in files)
    commands = {
        "ast.parse": ([sys.executable, "-c", PARSE], "\0".join(files)),
        "omnilint check": ([sys.executable, "-m", "omnilint", "check", *given.paths], ""),
    }
    for name, module in PEERS.items():
        if importlib.util.find_spec(name) is not None:
            commands[name] = ([sys.executable, *module, *given.paths], "")
        else:
            print(f"{name}: not installed, left out")
    print(f"{len(files)} files, {lines:,} lines, {os.cpu_count()} cores")
    base = 0.0
    for name, (command, text) in commands.items():
        times = [cost(command, text) for _ in range(given.runs)]
        cpu = statistics.median(t for t, _ in times)
        base = base or cpu
        peak = max(m for _, m in times)
        print(f"{name:16s} {cpu:7.2f} s CPU   {cpu / base:6.1f} × ast.parse   peak so far {peak:,.0f} MiB")


if __name__ == "__main__":
    main()
