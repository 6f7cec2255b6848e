"""Whether two omnilints say the same, such as the plain one and the compiled one: all findings, problems and counts.

    python tests/compare_compiled.py PLAIN_PYTHON COMPILED_PYTHON PATH…

Each path is checked by each interpreter's omnilint, cold and in one process; one line a path, and exit code 1 where the
answers differ or the second interpreter's omnilint isn't compiled.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any


def answer(python: str, path: str) -> tuple[int, dict[str, Any]]:
    """(exit code, report but for the time it took) of a cold check."""
    command = [python, "-m", "omnilint", "check", "--no-cache", "--jobs", "1", "--format", "json", path]
    # In a folder of its own, so that neither takes the sources of a clone for the omnilint that is installed.
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    if not run.stdout:
        sys.exit(f"{python}: no answer for {path}: {run.stderr.strip()}")
    report = json.loads(run.stdout)
    del report["summary"]["seconds"]
    return run.returncode, report


def main(plain: str, compiled: str, *paths: str) -> int:
    version = subprocess.run([compiled, "-m", "omnilint", "--version"], capture_output=True, text=True, cwd="/").stdout
    if "(compiled)" not in version:
        print(f"{compiled}: this omnilint isn't compiled")
        return 1
    different = 0
    for path in (str(Path(path).resolve()) for path in paths):
        one, other = answer(plain, path), answer(compiled, path)
        different += one != other
        print(f"{'the same' if one == other else 'DIFFERENT'}: {path}, {len(one[1]['findings'])} findings")
    return 1 if different else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
