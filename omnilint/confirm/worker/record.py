"""Runs inside of the user's own run: notes calls, lines and exceptions of the functions it was told to watch.

Written for a process that is not ours: no import of JAX before the user's, no exception that gets out,
a bounded amount of work for each function, and one file to append to for all processes of the run.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.abc
import importlib.machinery
import json
import os
import sys
from typing import Any

from . import describe, errors, instrument

_CALLS = 8  # different calls kept of one function
_LOOKS = 400  # calls looked at of one function


class Recorder:
    """What was seen in this process, by the numbers that the plan gave to functions and places."""

    def __init__(self, plan: Any) -> None:
        self.plan = plan
        self.files = {os.path.realpath(f["file"]): f for f in plan["files"]}
        self.parameters = {int(f["number"]): f["parameters"] for p in plan["files"] for f in p["functions"]}
        self.names = {int(p["number"]): p["names"] for f in plan["files"] for p in f["places"]}
        self.operands = {int(p["number"]): p.get("operand") for f in plan["files"] for p in f["places"]}
        self.home = errors.Home(plan["home"])
        self.looked: dict[int, int] = {}
        self.calls: dict[int, dict[str, Any]] = {}
        self.places: dict[int, Any] = {}
        self.failed: list[Any] = []
        self.last: Any = None
        self.pid = os.getpid()
        atexit.register(self.save)
        register = getattr(os, "register_at_fork", None)
        if register is not None:
            register(after_in_child=self._forked)

    def _forked(self) -> None:
        """A child tells its own part only: in multiprocessing it never comes to its exit handlers."""
        self.looked, self.calls, self.places, self.failed = {}, {}, {}, []
        self.pid = os.getpid()

    def enter(self, number: int, values: Any) -> None:
        """A function was entered."""
        looked = self.looked[number] = self.looked.get(number, 0) + 1
        known = self.calls.setdefault(number, {})
        if looked > _LOOKS or len(known) >= _CALLS:
            return
        try:
            arguments, traced = {}, []
            for name in self.parameters.get(number, ()):
                if name in values:
                    if describe.traced(values[name]):
                        traced.append(name)
                    arguments[name] = describe.describe(values[name])
            key = json.dumps([arguments, traced], sort_keys=True)
            if key not in known:
                known[key] = {"arguments": arguments, "traced": traced}
        except Exception:
            pass

    def at(self, number: int) -> None:
        """A watched statement is about to run."""
        place = self.places.setdefault(number, {"runs": 0, "traced": 0, "tracer": False})
        place["runs"] += 1
        self._look(number, place, True)

    def after(self, number: int) -> None:
        """A watched statement has run: what it made is known only now."""
        self._look(number, self.places.setdefault(number, {"runs": 1, "traced": 0, "tracer": False}), False)

    def _look(self, number: int, place: Any, count: bool) -> None:
        if "jax" not in sys.modules or place["runs"] > _LOOKS:
            return
        try:
            from . import compat, watch

            if not compat.trace_active():
                return
            place["traced"] += count
            if not place["tracer"]:
                frame, tracer, operand = sys._getframe(2), compat.tracer_type(), self.operands.get(number)
                if operand is None:
                    place["tracer"] = any(watch.probe(n.split("."), frame, tracer) for n in self.names.get(number, ()))
                elif count:
                    place["tracer"] = watch.asked(operand, frame, tracer)
        except Exception:
            pass

    def left(self, number: int) -> None:
        """An exception leaves a watched function or module."""
        error = sys.exc_info()[1]
        if error is None or error is self.last or len(self.failed) >= 40:
            return
        self.last = error
        with contextlib.suppress(Exception):
            self.failed.append({"function": number, "error": errors.describe(error, self.home)})

    def save(self) -> None:
        """Append what this process saw."""
        if not (self.calls or self.places or self.failed):
            return
        told: dict[str, Any] = {
            "calls": [{"function": n, **call} for n, known in self.calls.items() for call in known.values()],
            "places": [{"place": n, **place} for n, place in self.places.items()],
            "errors": self.failed,
            "python": ".".join(str(n) for n in sys.version_info[:3]),
            "jax": getattr(sys.modules.get("jax"), "__version__", None),
        }
        self.calls, self.places, self.failed = {}, {}, []
        try:
            told["left"] = self._left()
            data = json.dumps(told).encode("utf-8", "replace") + b"\n"
            out = os.open(self.plan["out"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            os.write(out, data)
            os.close(out)
        except Exception:
            pass

    def _left(self) -> Any:
        """Tracers that outlived the run's traces, when JAX was there at all."""
        if "jax" not in sys.modules:
            return []
        from . import outer

        self.last = None
        return outer.find(self.home)


class _Patched(importlib.abc.Loader):
    """The loader of pytest's rewriter: its code for watched files is compiled anew, with the notes."""

    def __init__(self, real: Any, recorder: Recorder) -> None:
        self.real = real
        self.recorder = recorder

    def create_module(self, spec: Any) -> Any:
        return self.real.create_module(spec)

    def exec_module(self, module: Any) -> None:
        self.real.exec_module(module)
        watched, read = self.recorder.files, getattr(module, "_read_pyc", None)

        def not_kept(source: Any, *rest: Any, **more: Any) -> Any:
            if read is None or os.path.realpath(str(source)) in watched:
                return None
            return read(source, *rest, **more)

        def compiled(source: Any, file: Any, *rest: Any, **more: Any) -> Any:
            return compile(_noted(self.recorder, source, file), file, *rest, **more)

        module._read_pyc = not_kept
        module.compile = compiled


class _Finder(importlib.abc.MetaPathFinder):
    """Notices when pytest's rewriter is imported; leaves every other module to Python."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name != "_pytest.assertion.rewrite":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Patched(spec.loader, self.recorder)
        return spec


def _noted(recorder: Recorder, source: Any, file: Any) -> Any:
    plan = recorder.files.get(os.path.realpath(str(file)))
    return source if plan is None else instrument.tree_of(source, str(file), plan)


def _watch_imports(recorder: Recorder) -> None:
    """Have watched files compiled with notes in them, whoever imports them; what is cached for them isn't used."""
    loader = importlib.machinery.SourceFileLoader
    real = loader.get_code

    def get_code(self: Any, fullname: str) -> Any:
        file = self.get_filename(fullname)
        if os.path.realpath(file) not in recorder.files:
            return real(self, fullname)
        return compile(_noted(recorder, self.get_data(file), file), file, "exec", dont_inherit=True)

    loader.get_code = get_code  # type: ignore[method-assign]
    sys.meta_path.insert(0, _Finder(recorder))


def _watch_script(recorder: Recorder, file: str) -> None:
    """Have a script run with notes in it: the moment its module starts, the noted code runs in its place."""

    def start(frame: Any, event: str, arg: Any) -> Any:
        code = frame.f_code
        if code.co_name != "<module>" or os.path.realpath(code.co_filename) != os.path.realpath(file):
            return None
        if frame.f_globals.get("__name__") != "__main__":
            return None
        sys.settrace(None)
        with open(file, "rb") as f:
            exec(
                compile(_noted(recorder, f.read(), file), code.co_filename, "exec", dont_inherit=True), frame.f_globals
            )
        raise SystemExit(0)

    sys.settrace(start)


def install(plan_file: str) -> None:
    """Start recording in this process as the plan says."""
    import builtins

    with open(plan_file, encoding="utf-8") as f:
        recorder = Recorder(json.load(f))
    setattr(builtins, instrument.NAME, recorder)
    _watch_imports(recorder)
    script = sys.argv[0] if getattr(sys, "argv", None) else ""
    if script.endswith(".py") and os.path.realpath(script) in recorder.files:
        _watch_script(recorder, script)
