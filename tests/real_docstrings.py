"""What the history says of docstrings, against a real JAX of that release.

    python tests/real_docstrings.py --python ENV/bin/python

Every public name of the release of ENV that the history calls documented or undocumented is imported there, and asked
for its `__doc__`. Lists those that differ, and counts. Not a test: it needs environments with old releases of JAX.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import warnings
from collections import Counter
from typing import Any


def worker() -> None:
    """Says which of the names on standard input have a docstring; None: not to be had there, or not callable."""
    import jax

    warnings.simplefilter("ignore")
    answers = [_documented(*q) for q in json.load(sys.stdin)]
    json.dump({"jax": jax.__version__, "answers": answers}, sys.stdout)


def _documented(module: str, name: str) -> bool | None:
    try:
        thing = importlib.import_module(module)
        thing = getattr(thing, name) if name else thing
    except Exception:
        return None
    told = getattr(thing, "__doc__", None)
    return bool(isinstance(told, str) and told.strip()) if callable(thing) or not name else None


def said(version: str) -> dict[tuple[str, str], bool]:
    """What the history says of the public names of a release, by module and name."""
    from omnilint.api import history

    index = history.index_of(version)
    out = {}
    for dotted in history.every_name():
        head, _, leaf = dotted.rpartition(".")
        places = [(dotted, ""), (head, leaf)] if history.is_module(dotted, index) else [(head, leaf)]
        for module, name in places:
            told = history.documented(module, name, index) if history.exists(module, name, index) else None
            if told is not None and not history.private(module):
                out[module, name] = told
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", required=True, help="an interpreter that has the JAX to compare with")
    args = parser.parse_args()

    def ask(questions: list[tuple[str, str]]) -> dict[str, Any]:
        command = [args.python, __file__, "--worker"]
        done = subprocess.run(command, input=json.dumps(questions), capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{args.python}: {done.stderr.strip().splitlines()[-1]}")
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    version = ask([])["jax"]
    told = said(version)
    counts: Counter[str] = Counter()
    for (place, here), real in zip(told.items(), ask(list(told))["answers"], strict=True):
        word = "can't be asked" if real is None else "agree" if real is here else "differ"
        counts[word] += 1
        if word == "differ":
            print(f"{'.'.join(filter(None, place))}: said to be {'' if here else 'un'}documented")
    print(f"jax {version}: {dict(sorted(counts.items()))}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--worker"]:
        worker()
    else:
        main()
