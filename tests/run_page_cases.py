"""Run by test_rule_pages.py in one process of its own: executes the pages' cases under real JAX.

Reads a JSON list of {"id", "code"} on standard input, prints {"version": …, id: {"exception", "message"}} as JSON.
A case is a module; its `trigger()` is called when it has one.
"""

from __future__ import annotations

import contextlib
import io
import json
import linecache
import sys
import types
import warnings
from typing import Any


def run(name: str, code: str) -> dict[str, Any]:
    """Execute one case and call its trigger; the exception that came out, if any."""
    file = f"<{name}>"
    linecache.cache[file] = (len(code), None, code.splitlines(True), file)
    module = types.ModuleType(name.replace("-", "_"))
    sys.modules[module.__name__] = module  # dataclasses look their module up by name
    try:
        exec(compile(code, file, "exec"), module.__dict__)
        if "trigger" in module.__dict__:
            jax.block_until_ready(module.__dict__["trigger"]())
    except Exception as e:
        return {"exception": type(e).__name__, "message": str(e)[:300]}
    return {"exception": None, "message": ""}


if __name__ == "__main__":
    import jax

    answers: dict[str, Any] = {"version": jax.__version__}
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in json.load(sys.stdin):
            answers[case["id"]] = run(case["id"], case["code"])
    print(json.dumps(answers))
