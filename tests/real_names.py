"""What the history says of every public name, against a real JAX of that release.

    python tests/real_names.py --python ENV/bin/python

Every public name that any release had is asked for in ENV: `from module import name`. It must be there, be missing,
or warn as the history says of that release. Lists those that differ, and counts. Names of modules that ENV can't import
for want of another package are left out, and so are warnings that a call alone gives. Not a test: it needs environments
with old releases of JAX.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import warnings
from collections import Counter

THERE, WARNS, MISSING, UNKNOWN = "there", "deprecated", "missing", "not tried"


def worker() -> None:
    """Answers for the names on standard input."""
    import jax

    answers = [_seen(*q) for q in json.load(sys.stdin)]
    json.dump({"jax": jax.__version__, "answers": answers}, sys.stdout)


def _seen(module: str, name: str) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            holder = importlib.import_module(module)
            caught.clear()
            try:
                getattr(holder, name)
            except AttributeError:
                importlib.import_module(f"{module}.{name}")
        except ModuleNotFoundError as error:
            # What a module needs, and this environment lacks, says nothing of the module.
            return MISSING if f"{module}.{name}.".startswith(f"{error.name}.") else UNKNOWN
        except Exception:
            return UNKNOWN
    return WARNS if any(issubclass(w.category, (DeprecationWarning, FutureWarning)) for w in caught) else THERE


def said(module: str, name: str, index: int) -> str:
    """What the history says of a name: without the warnings of modules on the way, and of calls."""
    from omnilint.api import history

    dotted = f"{module}.{name}"
    parts = dotted.count(".") + 1
    found = history.resolve(dotted, index, parts)
    if found.missing:
        return MISSING
    if not found.known:
        return UNKNOWN
    return WARNS if found.warns and found.warns_at == parts and not found.on_call else THERE


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", required=True, help="an interpreter that has the JAX to compare with")
    args = parser.parse_args()
    from omnilint.api import history

    names = [n.rpartition(".")[::2] for n in history.every_name() if "." in n]
    command = [args.python, __file__, "--worker"]
    done = subprocess.run(command, input=json.dumps(names), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{args.python}: {done.stderr.strip().splitlines()[-1]}")
    answer = json.loads(done.stdout[done.stdout.index('{"jax"') :])
    index = history.index_of(answer["jax"])
    counts: Counter[str] = Counter()
    for (module, name), seen in zip(names, answer["answers"], strict=True):
        told = said(module, name, index)
        if history.is_module(f"{module}.{name}", index) and WARNS in (seen, told):
            told, seen = THERE, THERE if seen == WARNS else seen  # modules warn when they are first imported, once
        if UNKNOWN in (seen, told):
            counts["open"] += 1
            continue
        counts["agree" if told == seen else "differ"] += 1
        if told != seen:
            print(f"{module}.{name}: said to be {told}, is {seen}")
    print(f"jax {answer['jax']}: {dict(counts)}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--worker"]:
        worker()
    else:
        main()
