"""Compile and run what the user jits, step by step, so that a failure has a name; compare with eager runs."""

from __future__ import annotations

import base64
import functools
import importlib
import io
import re
from collections.abc import Callable
from typing import Any

from . import compat, describe, digest, equations

_CALLS = 3  # calls looked at of one function
_TEXT = 400_000  # characters of a program that are kept
_LEAVES = 64
_ARRAYS = 1_000_000  # characters of packed arrays that are kept
# A difference within this many units in the last place, of the largest number of a result, is rounding: sums of
# thousands of terms, in another order, stay far below.
_ULPS = 4096.0
_COARSE = 0.05  # and never is one below this share looked at, in the coarsest of dtypes


_jit: list[Any] = []  # JAX's own, once what is jitted is looked at


class Programs:
    """The programs of one run: what failed to compile, failed to run, or differs from the eager run."""

    def __init__(self, run: Any) -> None:
        self.run = run
        self.found: list[Any] = []
        self.looked: dict[str, int] = {}
        self.clean: list[Any] = []

    def start(self, run: Any) -> None:
        """Another run begins."""
        self.run, self.found, self.looked, self.clean = run, [], {}, []

    def look(self, kind: str, real: Any, fun: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """The result of the jitted call, found step by step."""
        name = getattr(fun, "__qualname__", type(fun).__qualname__)
        self.looked[name] = self.looked.get(name, 0) + 1
        if self.looked[name] > _CALLS:
            return real(*args, **kwargs)
        about = {"function": name, "program": "", **_where(fun, self.run.home), **_call(args, kwargs)}

        def failed(step: str, error: BaseException) -> None:
            told = {"type": type(error).__name__, "message": str(error)[:4000]}
            self.found.append({**about, "step": step, "error": told, **_exported(fun, args, kwargs)})

        lowered = self._lowered(real, args, kwargs, failed)
        about["program"] = _text(lowered)
        self._step("compile", about, lowered.compile, failed)
        out = self._step("run", about, lambda: compat.jax().block_until_ready(real(*args, **kwargs)), failed)
        self.run.reporter.stage("compare")
        worst = _difference(kind, fun, args, kwargs, out)
        if worst is not None:
            self.found.append({**about, "step": "differs", "worst": worst})
        else:
            self.clean.append([about["file"], about["line"]])
        return out

    def _lowered(self, real: Any, args: Any, kwargs: Any, failed: Callable[[str, BaseException], None]) -> Any:
        """The lowered program; what tracing raises is for other rules to judge, what lowering raises is not."""
        if not hasattr(real, "trace"):
            try:
                return real.lower(*args, **kwargs)
            except NotImplementedError as e:
                if "translation rule" in str(e):
                    failed("lower", e)
                raise
        traced = real.trace(*args, **kwargs)
        try:
            return traced.lower()
        except Exception as e:
            failed("lower", e)
            raise

    def _step(
        self, step: str, about: Any, work: Callable[[], Any], failed: Callable[[str, BaseException], None]
    ) -> Any:
        # Should the process die now, this is what the host knows.
        self.run.reporter.send({"stage": step, **about})
        try:
            return work()
        except Exception as e:
            if not _from_callback(e):
                failed(step, e)
            raise


def _from_callback(error: BaseException) -> bool:
    """Whether host code of the user's raised this while the program ran (pure_callback and its kin)."""
    text = str(error)
    return "callback" in text.lower() or "Traceback (most recent call last)" in text


def _where(fun: Any, home: Any) -> Any:
    code = getattr(fun, "__code__", None)
    return {"file": home.file(code.co_filename) if code else None, "line": code.co_firstlineno if code else None}


def _text(lowered: Any) -> str:
    try:
        return str(lowered.as_text())[:_TEXT]
    except Exception:
        return ""


def _call(args: Any, kwargs: Any) -> Any:
    """The call's arguments as descriptions, and its arrays, so that it can be made again; nothing where it can't."""
    arrays: list[Any] = []

    def told(value: Any) -> Any:
        made = describe.describe(value)
        if made is None:
            raise ValueError
        return _stored(made, compat.jax().tree_util.tree_leaves(value), arrays)

    try:
        call = {"args": [told(a) for a in args], "kwargs": {k: told(v) for k, v in kwargs.items()}}
        return {"call": call, "arrays": _packed(arrays)}
    except Exception:
        return {}


def _stored(made: Any, leaves: list[Any], arrays: list[Any]) -> Any:
    """A description in which arrays are numbers of stored ones; `leaves` are the value's own, in order."""
    if made["kind"] == "array":
        i = next(i for i, x in enumerate(leaves) if list(getattr(x, "shape", [-1])) == made["shape"])
        arrays.append(leaves.pop(i))
        return {"kind": "stored", "index": len(arrays) - 1, "numpy": bool(made.get("numpy"))}
    for part in ("items", "arguments"):
        inside = made.get(part)
        if isinstance(inside, dict):
            made[part] = {k: _stored(inside[k], leaves, arrays) for k in inside}
        elif isinstance(inside, list):
            made[part] = [_stored(v, leaves, arrays) for v in inside]
    return made


def _packed(arrays: list[Any]) -> str:
    import numpy as np

    buffer = io.BytesIO()
    np.savez(buffer, *[np.asarray(a) for a in arrays])
    packed = base64.b64encode(buffer.getvalue()).decode()
    if len(packed) > _ARRAYS:
        raise ValueError
    return packed


def _exported(fun: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """The program and its arrays in a form that needs none of the user's code; nothing where JAX can't give it."""
    jax = compat.jax()
    try:
        export = importlib.import_module("jax.export")
        flat, arrays = flattened(fun, args, kwargs)
        calls = set(re.findall(r"custom_call @([\w.]+)", _text(jax.jit(flat).lower(*arrays))))
        checks = [export.DisabledSafetyCheck.custom_call(name) for name in calls]
        made = export.export(jax.jit(flat), disabled_checks=checks)(*arrays)
        program = base64.b64encode(bytes(made.serialize())).decode()
        return {"exported": [program, _packed(arrays)]} if len(program) < 2_000_000 else {}
    except Exception as e:
        return {"unexported": f"{type(e).__name__}: {e}"[:300]}


def _difference(name: str, fun: Callable[..., Any], args: Any, kwargs: Any, out: Any) -> Any:
    """The worst difference between the compiled result and the same program op by op; None when rounding explains all.

    It is the program that is run again, not the Python code: clocks, counters and what code makes of a tracer
    stay as they were. Calls over devices are left alone, which mean something else op by op.
    """
    if name == "pmap":
        return None
    try:
        flat, arrays = flattened(fun, args, kwargs)
        closed = compat.jax().make_jaxpr(flat)(*arrays)
        sizes = [_size(a) for a in arrays]
        eager = evaluate(closed.jaxpr, closed.consts, *arrays, sizes=sizes)[:_LEAVES]
        compiled = compat.jax().tree_util.tree_leaves(out)[:_LEAVES]
        if len(eager) != len(compiled):
            return None
        types = " ".join(e.types for e in equations.walk(closed.jaxpr))
        exact = "float" not in types and "complex" not in types  # else rounding may tip a decision
        least = max(sizes, default=0.0)  # of large numbers that cancel nothing but their rounding is left
        worst = None
        for i, leaf in enumerate(compiled):
            gap = _gap(leaf, eager[i], exact, least)
            if gap is not None and (worst is None or gap["share"] > worst["share"]):
                worst = {**gap, "leaf": i, "compiled": digest.leaf(leaf), "eager": digest.leaf(eager[i])}
        if worst is not None:
            # Python code that was traced again may have made another program: this one, compiled, has to differ too.
            again = _jit[0](lambda *given: evaluate(closed.jaxpr, closed.consts, *given))(*arrays)
            if _gap(again[worst["leaf"]], eager[worst["leaf"]], exact, least) is None:
                return None
            worst["reference"] = _reference(fun, args, kwargs, worst["leaf"])
        return worst
    except Exception:
        return None


def flattened(fun: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """(a function of the call's arrays alone that gives the leaves of its result, these arrays)."""
    util = compat.jax().tree_util
    leaves, structure = util.tree_flatten((args, kwargs))
    places = [i for i, x in enumerate(leaves) if hasattr(x, "dtype") and not compat.is_key(x)]

    def flat(*arrays: Any) -> Any:
        whole = list(leaves)
        for n, i in enumerate(places):
            whole[i] = arrays[n]
        given, named = util.tree_unflatten(structure, whole)
        return util.tree_leaves(fun(*given, **named))

    return flat, [leaves[i] for i in places]


def evaluate(jaxpr: Any, consts: Any, *args: Any, sizes: Any = None) -> list[Any]:
    """A program op by op, calls inside of it too; `sizes` gets the largest number of each result on the way."""
    known: dict[Any, Any] = {}

    def read(v: Any) -> Any:
        return v.val if equations.is_literal(v) else known[v]

    for variables, values in ((jaxpr.constvars, consts), (jaxpr.invars, args)):
        for i, v in enumerate(variables):
            known[v] = values[i]
    for eqn in jaxpr.eqns:
        given = [read(v) for v in eqn.invars]
        inside = eqn.params.get("jaxpr")
        if eqn.primitive.name in ("pjit", "jit", "closed_call") and hasattr(inside, "consts"):
            out = evaluate(inside.jaxpr, inside.consts, *given, sizes=sizes)
        else:
            bound = eqn.primitive.get_bind_params(eqn.params)
            functions, params = bound if isinstance(bound, tuple) else ((), bound)  # JAX 0.10 has no functions here
            out = eqn.primitive.bind(*functions, *given, **params)
            out = out if eqn.primitive.multiple_results else [out]
            if sizes is not None:
                sizes.extend(_size(v) for v in out if not compat.is_key(v))
        for i, v in enumerate(eqn.outvars):
            known[v] = out[i]
    return [read(v) for v in jaxpr.outvars]


def _size(value: Any) -> float:
    """The largest number of an array of floats, 0 for others."""
    import numpy as np

    array = np.abs(np.asarray(value))
    fine = array[np.isfinite(array)] if array.dtype.kind in "fc" else array[:0]
    return float(np.max(fine)) if fine.size else 0.0


def _gap(a: Any, b: Any, exact: bool, least: float) -> Any:
    """How far two leaves are apart, None when that is rounding of numbers as large as they or as `least`.

    Whole numbers count where `exact`.
    """
    import numpy as np

    if compat.is_key(a) or not hasattr(a, "dtype") or not hasattr(b, "dtype"):
        return None
    x, y = np.asarray(a), np.asarray(b)
    if x.shape != y.shape or x.dtype != y.dtype or not x.size:
        return None
    if x.dtype.kind in "biu":
        wrong = int(np.sum(x != y))
        return {"share": float("inf"), "places": wrong} if exact and wrong else None
    try:
        info = compat.jax().numpy.finfo(x.dtype)
        kind = "complex128" if x.dtype.kind == "c" else "float64"
        wide, other = x.astype(kind), y.astype(kind)
    except (ValueError, TypeError):
        return None
    eps = float(info.eps)
    fine = np.isfinite(wide) & np.isfinite(other)
    odd = int(np.sum(np.isnan(wide) != np.isnan(other)))
    if not fine.any():
        return None if not odd else {"share": float("inf"), "places": odd}
    gap = np.abs(wide - other)[fine]
    scale = max(least, float(np.max(np.maximum(np.abs(wide), np.abs(other))[fine])))
    allowed = min(_ULPS * eps, _COARSE) * max(scale, float(info.tiny))
    share = float(np.max(gap)) / allowed
    if share <= 1.0 and not odd:
        return None
    told = {"share": share, "ulps": float(np.max(gap)) / (eps * max(scale, float(info.tiny)))}
    return {**told, "places": int(np.sum(gap > allowed)) + odd}


def _reference(fun: Callable[..., Any], args: Any, kwargs: Any, leaf: int) -> Any:
    """The same leaf computed eagerly in 64 bits; None where that can't be done."""
    jax = compat.jax()
    try:
        with compat.x64():

            def wide(x: Any) -> Any:
                dtype = str(getattr(x, "dtype", ""))
                if dtype in ("float16", "bfloat16", "float32"):
                    return jax.numpy.asarray(x, "float64")
                return jax.numpy.asarray(x, "complex128") if dtype == "complex64" else x

            given, named = jax.tree_util.tree_map(wide, (args, kwargs))
            flat, arrays = flattened(fun, given, named)
            closed = jax.make_jaxpr(flat)(*arrays)
            return digest.leaf(evaluate(closed.jaxpr, closed.consts, *arrays)[leaf])
    except Exception:
        return None


class CompiledJit:
    """A jitted function whose outermost calls are looked at; everything else is the real one's."""

    def __init__(self, kind: str, real: Any, fun: Any, programs: Programs) -> None:
        self._kind, self._real, self._fun, self._programs = kind, real, fun, programs
        functools.update_wrapper(self, fun, updated=())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self.__call__, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if compat.trace_active() or compat.jit_disabled():
            return self._real(*args, **kwargs)
        return self._programs.look(self._kind, self._real, self._fun, args, kwargs)


def install(programs: Programs) -> None:
    """Have what is jitted from now on looked at."""
    jax = compat.jax()
    _jit.append(jax.jit)
    for name in ("jit", "pmap"):
        setattr(jax, name, _looking(name, getattr(jax, name), programs))


def _looking(kind: str, real: Any, programs: Programs) -> Any:
    def jit(fun: Any = None, *rest: Any, **options: Any) -> Any:
        if fun is None:
            return functools.partial(jit, **options)
        return CompiledJit(kind, real(fun, *rest, **options), fun, programs)

    return jit
