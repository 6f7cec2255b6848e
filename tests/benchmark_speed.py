"""How long a cold run takes, as ratios: CPU time against `ast.parse` of the same files, and against peers.

    python tests/benchmark_speed.py PATH… [--runs 3] [--jaxlint PROGRAM] [--flake8 PROGRAM] [--growth TREE…]

Each command is a process of its own, without a cache and in one process, so the import of the program counts. Peers
are looked for beside this Python and on the PATH; those that aren't found are left out and named. `--growth` takes
files from these trees until they have 40,000 lines, and compares a run on them with one on ten copies of them, so that
the mix of code is the same. Not a test: machines are noisy, so look at the ratios of one run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

PARSE = "import ast,pathlib,sys\nfor f in sys.stdin.read().split('\\0'):\n    ast.parse(pathlib.Path(f).read_bytes())\n"
OMNILINT = [sys.executable, "-m", "omnilint", "check", "--no-cache", "--jobs", "1"]
PEERS = {"flake8": ["-j", "1"], "jaxlint": ["check"]}
SIZE, COPIES = 40_000, 10


def cost(command: Sequence[str], text: str = "") -> tuple[float, float]:
    """(CPU seconds of a command and its children, its peak memory in MiB)."""
    with tempfile.TemporaryFile() as given:
        given.write(text.encode())
        given.seek(0)
        process = subprocess.Popen(command, stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, _, used = os.wait4(process.pid, 0)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def median(command: Sequence[str], runs: int, text: str = "") -> tuple[float, float]:
    """(median of the CPU seconds, largest peak) of several runs."""
    costs = [cost(command, text) for _ in range(runs)]
    return statistics.median(c for c, _ in costs), max(m for _, m in costs)


def files_below(paths: Iterable[str]) -> list[Path]:
    found: list[Path] = []
    for path in map(Path, paths):
        found += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return found


def lines_of(file: Path) -> int:
    return file.read_bytes().count(b"\n")


def program(name: str, given: str | None) -> str | None:
    """Where a peer is: as told, beside this Python, on the PATH."""
    beside = Path(sys.executable).parent / name
    found = given or (str(beside) if beside.exists() else shutil.which(name))
    if found is None:
        print(f"{name}: not found, left out; name it with --{name} PROGRAM")
    elif shutil.which(found) is None:
        sys.exit(f"--{name} {found}: no such program")
    return found


def compare(paths: Sequence[str], runs: int, peers: dict[str, str]) -> None:
    """Print each command's CPU time as a multiple of `ast.parse` of the same files."""
    files = files_below(paths)
    print(f"{len(files)} files, {sum(map(lines_of, files)):,} lines, median of {runs} runs, {os.cpu_count()} cores")
    base, peak = median([sys.executable, "-c", PARSE], runs, "\0".join(map(str, files)))
    nothing, _ = median([sys.executable, "-c", "import ast, pathlib, sys"], runs)
    base -= nothing  # starting Python is no part of parsing
    report("ast.parse", base, base, peak)
    report("omnilint check", *_against(base, median([*OMNILINT, *paths], runs)))
    for name, where in peers.items():
        report(name, *_against(base, median([where, *PEERS[name], *paths], runs)))


def _against(base: float, used: tuple[float, float]) -> tuple[float, float, float]:
    return used[0], base, used[1]


def report(name: str, cpu: float, base: float, peak: float) -> None:
    print(f"{name:16s} {cpu:7.2f} s CPU   {cpu / base:6.1f} × ast.parse   peak {peak:,.0f} MiB")


def growth(trees: Sequence[str], runs: int) -> None:
    """Print how time and memory grow with the number of lines: whole files up to a size, and copies of these."""
    chosen, lines = [], 0
    for tree in trees:
        for file in files_below([tree]):
            if lines < SIZE:
                chosen.append((Path(tree), file))
                lines += lines_of(file)
    before: tuple[float, float] | None = None
    with tempfile.TemporaryDirectory() as folder:
        for copies in (1, COPIES):
            for n in range(copies):
                for tree, file in chosen:
                    to = Path(folder, f"copy{n}", tree.name, file.relative_to(tree) if file != tree else file.name)
                    to.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(file, to)
            cpu, peak = median([*OMNILINT, folder], runs)
            size = copies * lines
            print(f"{size:9,} lines   {cpu:7.2f} s CPU   {1e6 * cpu / size:6.1f} µs a line   peak {peak:,.0f} MiB")
            if before is not None:
                print(f"{copies} × the lines: {cpu / before[0]:.1f} × the time, {peak / before[1]:.1f} × the memory")
            before = cpu, peak


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--growth", nargs="+", metavar="TREE", default=[])
    for name in PEERS:
        parser.add_argument(f"--{name}", metavar="PROGRAM", help=f"where {name} is, in an environment of its own say")
    given = parser.parse_args()
    peers = {name: where for name in PEERS if (where := program(name, getattr(given, name)))}
    compare(given.paths, given.runs, peers)
    if given.growth:
        growth(given.growth, given.runs)


if __name__ == "__main__":
    main()
