"""What a call stages out, with and without trace-time folding: jaxpr, StableHLO, HLO, operations, constants."""

from __future__ import annotations

import contextlib
import re
import sys
from typing import Any

from . import compat, equations, errors, load, modes, owner, synth


def show(request: Any, reporter: Any) -> Any:
    """Both pictures of one call, for the first set of arguments with which either can be drawn."""
    home = errors.Home(request["home"])
    entry = request["entry"]
    reporter.stage("import")
    try:
        module = load.module(request["module"])
        reporter.stage("call")
        owner.find(module, entry, vars(module))
    except BaseException as e:
        return {"exception": errors.describe(e, home)}
    first: Any = None
    for number, arguments in enumerate(entry["assignments"]):
        try:
            pictures = [_fresh(module, entry, arguments, fold, home) for fold in (False, True)]
        except Exception as e:
            first = first or e
            continue
        today, before = pictures
        if "error" not in today or "error" not in before:
            _mark(today, before)
            return {"chosen": number, "today": today, "before": before, "backend": compat.backend_name()}
        first = first or today["raised"]
    return {"exception": errors.describe(first or TypeError("nothing to call it with"), home)}


def _fresh(module: Any, entry: Any, arguments: Any, fold: bool, home: Any) -> Any:
    """One picture, after which the globals of the user's modules are what they were: tracing may have rebound them."""
    mine = [m for m in list(sys.modules.values()) if home.file(getattr(m, "__file__", None) or "")]
    before = [(vars(m), {k: v for k, v in vars(m).items() if not k.startswith("__")}) for m in mine]
    held = [(v, type(v)(v)) for _, was in before for v in was.values() if type(v) in (dict, list, set)]
    try:
        fun = synth.without_jit(owner.find(module, entry, vars(module)))
        return _picture(synth.Call(fun, arguments, entry, vars(module)), fold, home)
    finally:
        for names, was in before:
            for name in [k for k in names if not k.startswith("__") and k not in was]:
                del names[name]
            names.update(was)
        for value, was in held:
            value.clear()
            value.extend(was) if isinstance(value, list) else value.update(was)


def _picture(call: Any, fold: bool, home: Any) -> Any:
    jax = compat.jax()
    fun: Any = modes.folded(jax, call.function()) if fold else call.function()
    abstract = call.abstract()
    try:
        closed = jax.make_jaxpr(fun)(*abstract)
    except Exception as e:
        told = errors.describe(e, home)
        return {"error": told["type"], "message": told["message"], "frames": told["frames"], "raised": e}
    found = equations.walk(closed.jaxpr)
    text = str(closed)
    constants = _constants(closed, text)
    drawn: dict[str, Any] = {
        "text": text,
        "equations": found,
        "operations": sum(e.counts for e in found),
        "constants": constants,
        "constant_bytes": sum(c["bytes"] for c in constants) + _literal_bytes(closed.jaxpr),
    }
    with contextlib.suppress(Exception):  # the jaxpr alone is a picture too
        lowered = jax.jit(fun).lower(*abstract)
        drawn["stablehlo"] = lowered.as_text()
        drawn["hlo"] = lowered.as_text("hlo")
    return drawn


def _mark(today: Any, before: Any) -> None:
    """Turn equations into marks on lines: folded before is what needs no input today and is not there any more."""
    then = before.pop("equations", [])
    kept = [e.words for e in then if e.alone]
    now = today.pop("equations", [])
    marks = [e.alone for e in now]
    for i in range(len(now) - 1, -1, -1):
        if marks[i] and now[i].words in kept:
            kept.remove(now[i].words)
            marks[i] = False
    for side, known, marked in ((today, now, marks), (before, then, [False] * len(then))):
        side.pop("raised", None)
        side["foldable"] = sum(1 for i, e in enumerate(known) if marked[i] and e.counts)
        if "text" in side:
            side["jaxpr"] = equations.lines(side.pop("text"), known, marked)


def _constants(closed: Any, text: str) -> list[Any]:
    """The arrays that the program carries, with their names in the text and, when small, their values."""
    import numpy as np

    head = re.match(r"\{ lambda ([^;]*);", text)
    names = re.findall(r"(\w+):", head.group(1)) if head else []
    told = []
    for i, value in enumerate(closed.consts):
        array = np.asarray(value) if not compat.is_key(value) else None
        told.append(
            {
                "name": names[i] if i < len(names) else "",
                "dtype": str(value.dtype) if hasattr(value, "dtype") else type(value).__name__,
                "shape": list(getattr(value, "shape", ())),
                "bytes": int(array.nbytes) if array is not None else 0,
                "value": np.array2string(array, threshold=16) if array is not None and array.size <= 16 else None,
            }
        )
    return told


def _literal_bytes(jaxpr: Any) -> int:
    total = 0
    for eqn in jaxpr.eqns:
        for v in eqn.invars:
            if equations.is_literal(v):
                total += int(getattr(getattr(v.aval, "dtype", None), "itemsize", 0))
        total += sum(_literal_bytes(j) for _, j in equations.inner(eqn))
    return total
