"""How long daily runs take: warm against ruff's warm run and our cold one, one change, one file against flake8's.

    python tests/benchmark_daily.py TREE [--file FILE] [--runs 3]

Each run is a process of its own. Shown are the least wall time of the runs and the median of their CPU time, user and
system, with the machine's load before and after: where others work on the machine too, wall time says little, and two
processes can't be faster than one. Cold runs with one and two processes take turns. Not a test: look at the ratios of
one run. Tools that aren't installed are left out and named.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CHECK = [sys.executable, "-m", "omnilint", "check", "--no-config", "--no-gitignore", "-q"]


def cost(command: list[str]) -> tuple[float, float]:
    """Wall and CPU seconds of a command and its children."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, capture_output=True, check=False)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def show(name: str, costs: list[tuple[float, float]]) -> None:
    wall, cpu = min(w for w, _ in costs), statistics.median(c for _, c in costs)
    print(f"{name:44s} {wall:7.2f} s wall {cpu:7.2f} s CPU", flush=True)


def load() -> str:
    return "load " + " ".join(f"{n:.1f}" for n in os.getloadavg())


@contextmanager
def changed(file: Path, line: int, text: str) -> Iterator[None]:
    """The file with one more line, and as it was afterwards."""
    before = file.read_bytes()
    lines = before.decode().split("\n")
    lines.insert(line, text)
    try:
        file.write_bytes("\n".join(lines).encode())
        yield
    finally:
        file.write_bytes(before)


def a_body(file: Path) -> tuple[int, str]:
    """(line, blanks) where a statement can be put into the file's longest function."""
    functions = [n for n in ast.walk(ast.parse(file.read_bytes())) if isinstance(n, ast.FunctionDef)]
    longest = max(functions, key=lambda n: (n.end_lineno or n.lineno) - n.lineno)
    return longest.body[-1].lineno - 1, " " * longest.body[-1].col_offset


def central(files: list[Path]) -> Path:
    """The file that most others import, by its folder's name and its own: the worst one to change."""
    texts = [f.read_text(errors="replace") for f in files]
    mentioned = {f: sum(f"{f.parent.name}.{f.stem} import" in t for t in texts) for f in files}
    return max((f for f in files if f.stem != "__init__" and b"def " in f.read_bytes()), key=lambda f: mentioned[f])


def ours(tree: str, file: Path, kept: str, runs: int) -> None:
    """Cold with one and two processes, warm, and after changes of a file on which others depend."""
    cold = {jobs: [*CHECK, "--no-cache", "--jobs", jobs, tree] for jobs in ("1", "2")}
    turns = [{jobs: cost(command) for jobs, command in cold.items()} for _ in range(runs)]
    show("omnilint, cold, 1 process", [turn["1"] for turn in turns])
    show("omnilint, cold, 2 processes", [turn["2"] for turn in turns])
    warm = [*CHECK, "--cache-dir", kept, tree]
    cost(warm)
    show("omnilint, warm", [cost(warm) for _ in range(runs)])
    at, blanks = a_body(file)
    with changed(file, 0, "# changed"):
        show(f"omnilint, a comment more in {file.name}", [cost(warm)])
    with changed(file, at, f"{blanks}_changed = 1"):
        show(f"omnilint, a statement more in {file.name}", [cost(warm)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree")
    parser.add_argument("--file", help="the file to change and to check alone; default: one that most others import")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    files = sorted(Path(given.tree).rglob("*.py"))
    lines = sum(f.read_bytes().count(b"\n") for f in files)
    single = Path(given.file) if given.file else central(files)
    print(f"{len(files)} files, {lines:,} lines, {os.cpu_count()} cores, {load()}; one file: {single}", flush=True)
    with tempfile.TemporaryDirectory() as kept:
        ours(given.tree, single, kept, given.runs)
        if importlib.util.find_spec("ruff") is not None:
            ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--cache-dir", kept, given.tree]
            cost(ruff)
            show("ruff, warm", [cost(ruff) for _ in range(given.runs)])
        else:
            print("ruff: not installed, left out")
        show("omnilint, one file, nothing kept", [cost([*CHECK, "--no-cache", str(single)]) for _ in range(given.runs)])
        warm = [*CHECK, "--cache-dir", kept, str(single)]
        cost(warm)
        show("omnilint, one file, warm", [cost(warm) for _ in range(given.runs)])
        if importlib.util.find_spec("flake8") is not None:
            flake8 = [sys.executable, "-m", "flake8", "--isolated", "--select", "E,W,F", str(single)]
            show("flake8, one file", [cost(flake8) for _ in range(given.runs)])
        else:
            print("flake8: not installed, left out")
    print(load())


if __name__ == "__main__":
    main()
