"""What a call stages out, with and without trace-time folding: jaxpr, StableHLO, HLO, operations, constants."""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
from typing import Any

from . import compat, errors, inputs, load, modes, synth

# Equations that only wrap a program of their own; what counts as an operation is inside.
_CALLS = frozenset(("pjit", "jit", "closed_call", "core_call", "xla_call", "custom_jvp_call", "custom_vjp_call"))

_INSIDE = "__wrapped__"


def show(request: Any, reporter: Any) -> Any:
    """Both pictures of one call, for the first set of arguments with which either can be drawn."""
    home = errors.Home(request["home"])
    entry = request["entry"]
    reporter.stage("import")
    try:
        module = load.module(request["module"])
        reporter.stage("call")
        namespace = vars(module)
        fun = _unwrapped(synth.find(module, entry, namespace))
    except BaseException as e:
        return {"exception": errors.describe(e, home)}
    first: Any = None
    for number, arguments in enumerate(entry["assignments"]):
        try:
            call = synth.Call(fun, arguments, entry, namespace)
        except Exception as e:
            first = first or e
            continue
        today, before = _picture(call, False, home), _picture(call, True, home)
        if "error" not in today or "error" not in before:
            _mark(today, before)
            return {"chosen": number, "today": today, "before": before, "backend": compat.backend_name()}
        first = first or today["raised"]
    return {"exception": errors.describe(first or TypeError("nothing to call it with"), home)}


def _unwrapped(fun: Any) -> Any:
    """The Python function inside a jitted one, so that its own operations are shown, not one call of it."""
    if inspect.ismethod(fun) and synth.is_transformed(fun.__func__):
        return functools.partial(getattr(fun.__func__, _INSIDE), fun.__self__)
    return getattr(fun, _INSIDE) if synth.is_transformed(fun) else fun


def _picture(call: Any, fold: bool, home: Any) -> Any:
    jax = compat.jax()
    fun: Any = modes.folded(jax, call.function()) if fold else call.function()
    abstract = [inputs.abstract(v) for v in call.values()]
    try:
        closed = jax.make_jaxpr(fun)(*abstract)
    except Exception as e:
        told = errors.describe(e, home)
        return {"error": told["type"], "message": told["message"], "frames": told["frames"], "raised": e}
    operations, foldable = _count(closed.jaxpr, [True] * len(closed.jaxpr.invars))
    text = str(closed)
    constants = _constants(closed, text)
    drawn: dict[str, Any] = {
        "text": text,
        "equations": _equations(closed.jaxpr),
        "operations": operations,
        "foldable": foldable,
        "constants": constants,
        "constant_bytes": sum(c["bytes"] for c in constants) + _literal_bytes(closed.jaxpr),
    }
    with contextlib.suppress(Exception):  # the jaxpr alone is a picture too
        lowered = jax.jit(fun).lower(*abstract)
        drawn["stablehlo"] = lowered.as_text()
        drawn["hlo"] = lowered.as_text("hlo")
    return drawn


def _inner(eqn: Any) -> list[Any]:
    """The programs inside an equation, as open jaxprs."""
    found = []
    for value in eqn.params.values():
        for item in value if isinstance(value, (tuple, list)) else (value,):
            jaxpr = getattr(item, "jaxpr", item)
            if hasattr(jaxpr, "eqns"):
                found.append(jaxpr)
    return found


def _is_literal(variable: Any) -> bool:
    return hasattr(variable, "val")


def _count(jaxpr: Any, depends: list[bool]) -> Any:
    """(operations, how many of them depend on no input); `depends` says it of each input variable."""
    tainted = {id(v) for i, v in enumerate(jaxpr.invars) if depends[i]}
    operations = foldable = 0
    for eqn in jaxpr.eqns:
        flags = [not _is_literal(v) and id(v) in tainted for v in eqn.invars]
        inside = _inner(eqn)
        if any(flags):
            tainted.update(id(v) for v in eqn.outvars)
        if eqn.primitive.name in _CALLS and len(inside) == 1 and len(inside[0].invars) == len(flags):
            more, folded = _count(inside[0], flags)
            operations, foldable = operations + more, foldable + folded
            continue
        all_inside = sum(_count(j, [True] * len(j.invars))[0] for j in inside)
        operations += 1 + all_inside
        foldable += 0 if any(flags) else 1 + all_inside
    return operations, foldable


def _equations(jaxpr: Any) -> list[Any]:
    """For each equation: what it is, and whether it depends on no input."""
    tainted = {id(v) for v in jaxpr.invars}
    told = []
    for eqn in jaxpr.eqns:
        depends = any(not _is_literal(v) and id(v) in tainted for v in eqn.invars)
        if depends:
            tainted.update(id(v) for v in eqn.outvars)
        told.append([eqn.primitive.name + " " + " ".join(str(v.aval) for v in eqn.outvars), not depends])
    return told


def _mark(today: Any, before: Any) -> None:
    """Turn equations into marks on lines: folded before is what needs no input today and is not there any more."""
    kept = [name for name, alone in before.pop("equations", []) if alone]
    marks = today.pop("equations", [])
    for mark in reversed(marks):
        if mark[1] and mark[0] in kept:
            kept.remove(mark[0])
            mark[1] = False
    today["foldable"] = max(0, today.get("foldable", 0) - before.get("foldable", 0))
    before["foldable"] = 0
    for side, folded in ((today, [m[1] for m in marks]), (before, None)):
        side.pop("raised", None)
        if "text" in side:
            side["jaxpr"] = _lines(side.pop("text"), folded)


def _lines(text: str, marks: Any) -> list[Any]:
    """The jaxpr's lines with their marks; an equation's own lines are its first one and those deeper inside."""
    lines = text.splitlines()
    starts = [line for line in lines[1:] if re.match(r"\s+[\w:\[\], ]+ = ", line)]
    indent = min((len(line) - len(line.lstrip()) for line in starts), default=0)
    told = []
    number = -1
    for line in lines:
        here = len(line) - len(line.lstrip())
        if indent and here == indent:
            number += 1
        inside = indent and here >= indent and marks is not None and 0 <= number < len(marks)
        told.append({"text": line.rstrip(), "folded": bool(inside and marks[number])})
    if marks is not None and number + 1 != len(marks):  # printed in a way that we can't read
        return [{"text": line["text"], "folded": False} for line in told]
    return told


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
            if _is_literal(v):
                total += int(getattr(getattr(v.aval, "dtype", None), "itemsize", 0))
        total += sum(_literal_bytes(j) for j in _inner(eqn))
    return total
