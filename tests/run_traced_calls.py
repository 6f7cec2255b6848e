"""Run by test_traced_functions.py in one process of its own: executes the modules' `# call:` lines under real JAX.

Reads a JSON list of paths on standard input, prints {path: [{"exception", "lines"}, …]} as JSON, one for each call;
for a module that imports what isn't installed, the name of that.
"""

from __future__ import annotations

import json
import re
import sys
import traceback
import types
import warnings
from pathlib import Path
from typing import Any

CALL = re.compile(r"^# call: (.*)$", re.MULTILINE)


def run(path: str) -> list[dict[str, Any]] | str:
    """What each call of one module raises, and the lines of the module that it came through."""
    text = Path(path).read_text(encoding="utf-8")
    module = types.ModuleType(f"traced_{Path(path).stem}")
    sys.modules[module.__name__] = module  # dataclasses look their module up by name
    try:
        exec(compile(text, path, "exec"), vars(module))
    except ModuleNotFoundError as e:
        return str(e.name)
    return [called(call, path, vars(module)) for call in CALL.findall(text)]


def called(call: str, path: str, names: dict[str, Any]) -> dict[str, Any]:
    try:
        exec(call, names)
    except Exception as e:
        lines = [t.lineno for t in traceback.extract_tb(e.__traceback__) if t.filename == path]
        return {"exception": f"{type(e).__name__}: {e}"[:300], "lines": lines}
    return {"exception": None, "lines": []}


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = {path: run(path) for path in json.load(sys.stdin)}
    print(json.dumps(answers))
