"""What the check of JAX's names costs: its share of a cold run, the time that the history takes to load, its size.

    python tests/benchmark_names.py FOLDER…

Times are CPU seconds of one process; look at the shares, as machines differ. Not a test.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any


def timed(spent: dict[str, float], name: str, work: Callable[..., Any]) -> Callable[..., Any]:
    """`work`, with the CPU time that it takes added to `spent`."""

    def measured(*args: Any, **options: Any) -> Any:
        start = time.process_time()
        try:
            return work(*args, **options)
        finally:
            spent[name] = spent.get(name, 0.0) + time.process_time() - start

    return measured


def measure(folder: str) -> dict[str, float]:
    """CPU seconds of a check of a folder: all of it ("run"), names, dead switches and loading the history."""
    from omnilint import pipeline
    from omnilint.api import history
    from omnilint.config import Settings
    from omnilint.hazards import internal, switches

    spent: dict[str, float] = {}
    history._part.cache_clear()
    kept = (internal.find, switches.find, history._load)
    internal.find = timed(spent, "names", internal.find)
    switches.find = timed(spent, "switches", switches.find)
    history._load = timed(spent, "load", history._load)
    try:
        timed(spent, "run", pipeline.check)([folder], Settings())
    finally:
        internal.find, switches.find, history._load = kept
    return spent


def main() -> None:
    start = time.process_time()
    from omnilint import cli, knowledge  # noqa: F401 - what every run imports

    imported = time.process_time() - start
    tables = (knowledge.folder() / "tables").glob("jax_api_*.json.xz")
    print(f"history: {sum(t.stat().st_size for t in tables) / 1024:.0f} KB")
    for folder in sys.argv[1:]:
        spent = measure(folder)
        share = (spent.get("names", 0) + spent.get("switches", 0)) / (spent["run"] + imported)
        told = ", ".join(f"{name} {seconds:.2f}" for name, seconds in spent.items())
        print(f"{folder}: share of names and switches {share:.0%} ({told})")


if __name__ == "__main__":
    main()
