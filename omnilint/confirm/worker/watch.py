"""Did the flagged lines run, were they being traced, and was there a traced value on them?"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import Any

from . import compat
from .errors import real
from .probes import Probes
from .results import Results

# What is static about a traced value; `x.shape` on a line doesn't make it a traced one.
_STATIC = frozenset(("shape", "ndim", "dtype", "size", "aval", "weak_type", "sharding", "nbytes", "itemsize"))


def holds_tracer(value: Any, tracer: Any, depth: int = 4) -> bool:
    """Whether `value` is a tracer or holds one, looking into containers and instances, `depth` levels down."""
    if isinstance(value, tracer):
        return True
    if depth == 0 or value is None or isinstance(value, (str, bytes, int, float, type)):
        return False
    if isinstance(value, dict):
        return any(holds_tracer(v, tracer, depth - 1) for v in list(value.values())[:50])
    if isinstance(value, (list, tuple, set, frozenset)):
        return any(holds_tracer(v, tracer, depth - 1) for v in list(value)[:50])
    try:
        inside = vars(value)
    except TypeError:
        return False
    if type(value).__module__.partition(".")[0] in ("jax", "jaxlib", "numpy", "builtins", "functools"):
        return False
    return any(holds_tracer(v, tracer, depth - 1) for v in list(inside.values())[:50])


_MISSING = object()
_settrace = sys.settrace


def _ignored(function: Any) -> None:
    """What tracing is to the user's code: there is one trace function, and it is ours."""


def keep_others_out() -> None:
    """Let no debugger or coverage tool of the user's trace: its frames would look like leaked values."""
    _settrace(None)
    sys.settrace = sys.setprofile = _ignored


def _attribute(value: Any, name: str) -> Any:
    """An attribute that is plain data: no property or __getattr__ of the user's is run for it."""
    held = getattr(value, "__dict__", None)
    if isinstance(held, dict) and name in held:
        return held[name]
    if isinstance(value, tuple) and name in getattr(value, "_fields", ()):
        return getattr(value, name)
    if isinstance(value, type(sys)):
        return getattr(value, name, _MISSING)
    slot = getattr(type(value), "__dict__", {}).get(name)
    if type(slot).__name__ == "member_descriptor":
        return getattr(value, name, _MISSING)
    return _MISSING


def probe(chain: list[str], frame: Any, tracer: Any) -> bool:
    """Whether the dotted name `chain` stands for a traced value in `frame`."""
    value = frame.f_locals.get(chain[0], _MISSING)
    if value is _MISSING:
        value = frame.f_globals.get(chain[0], _MISSING)
    for name in chain[1:]:
        if value is _MISSING:
            return False
        if isinstance(value, tracer):
            return name not in _STATIC
        value = _attribute(value, name)
    return value is not _MISSING and holds_tracer(value, tracer)


# Functions and methods of JAX's that give Python values, whatever goes in.
_TELL = _STATIC | {"issubdtype", "result_type", "promote_types", "iinfo", "finfo", "default_backend", "device_count"}


def _value(chain: list[str], frame: Any, tracer: Any) -> Any:
    """The value of a dotted name: `tracer` itself for what is traced because it is of a traced value."""
    value = frame.f_locals.get(chain[0], frame.f_globals.get(chain[0], _MISSING))
    for name in chain[1:]:
        if value is _MISSING:
            return value
        if isinstance(value, tracer):
            return _MISSING if name in _STATIC else tracer
        value = _attribute(value, name)
    return value


def asked(formula: Any, frame: Any, tracer: Any) -> bool:
    """Whether a formula of the host's (see its `operand`) says that a value is a traced one in `frame`."""
    kind = formula[0]
    if kind == "any":
        return any(asked(f, frame, tracer) for f in formula[1])
    if kind == "all":
        return all(asked(f, frame, tracer) for f in formula[1])
    if kind == "part":
        return formula[1] not in _TELL and asked(formula[2], frame, tracer)
    value = _value(formula[1].split("."), frame, tracer)
    if kind == "jax":
        known = str(getattr(value, "__module__", None)).partition(".")[0] == "jax"
        static = formula[1].rpartition(".")[2] in _TELL
        return known and not static and any(asked(f, frame, tracer) for f in formula[2])
    if value is tracer or isinstance(value, tracer):
        return True
    return kind == "holds" and isinstance(value, (list, tuple)) and holds_tracer(value, tracer)


class Watch:
    """One place: a file and its first and last line, the names on it whose values matter, the one value that does."""

    def __init__(self, spec: Any) -> None:
        self.id = str(spec["id"])
        self.file = real(spec["file"])
        self.first = int(spec["first"])
        self.last = int(spec["last"])
        self.whenever = bool(spec.get("whenever"))  # what ran before the call counts too
        self.names = [str(n).split(".") for n in spec.get("names", ())]
        self.asked = spec.get("operand")
        self.reset()

    def reset(self) -> None:
        """Nothing was seen."""
        self.runs = 0
        self.traced = 0
        self.tracer = False
        self.operand = False

    def told(self) -> Any:
        """The counts as JSON; "operand" is whether the value that matters was a traced one."""
        operand = self.tracer if self.asked is None else self.operand
        return {"runs": self.runs, "traced": self.traced, "tracer": self.tracer, "operand": operand}


class Watcher:
    """Counts the runs of watched lines by a trace function that looks at files with watches only.

    `functions` are those whose results are noted too, `probes` what is asked of expressions. With
    `home` what these functions leave otherwise is noted too.
    """

    def __init__(
        self, specs: Any, fold_at: Any = None, functions: Any = (), probes: Any = None, home: Any = None
    ) -> None:
        self.watches = [Watch(s) for s in specs]
        self.by_file: dict[str, list[Watch]] = {}
        for w in self.watches:
            self.by_file.setdefault(w.file, []).append(w)
        self.codes: dict[Any, Any] = {}
        self.tracer = compat.tracer_type()
        self.fold_at = str(fold_at) if fold_at else ""
        self.folding: dict[int, Any] = {}
        self.current: dict[int, list[Watch]] = {}
        self.probes = Probes(probes)
        self.results = Results(functions, self.probes, home)

    def start(self) -> None:
        """Watch this thread and those to come."""
        keep_others_out()
        threading.settrace(self._call)
        _settrace(self._call)

    def reset(self) -> None:
        """Forget what was counted: another attempt begins."""
        self.results.reset()
        self.probes.reset()
        for w in self.watches:
            if not w.whenever:
                w.reset()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Count nothing meanwhile."""
        counts = [(w.runs, w.traced, w.tracer, w.operand) for w in self.watches]
        self.results.off = self.probes.off = True
        try:
            yield
        finally:
            self.results.off = self.probes.off = False
            for i, w in enumerate(self.watches):
                w.runs, w.traced, w.tracer, w.operand = counts[i]

    @staticmethod
    def stop() -> None:
        """Stop watching."""
        _settrace(None)
        threading.settrace(None)

    def _call(self, frame: Any, event: str, arg: Any) -> Any:
        code = frame.f_code
        places = self.codes.get(code)
        if places is None:
            places = self.codes[code] = self._places(code)
        if self.results.known and self.results.enters(frame):
            frame.f_trace_lines = bool(places)
            return self._line
        return self._line if places else None

    def _places(self, code: Any) -> Any:
        name = code.co_filename
        mine = self.by_file.get(real(name)) if not name.startswith("<") else None
        if not mine:
            return ()
        lines = {line for _, line in _lines(code)}
        return tuple(w for w in mine if any(w.first <= n <= w.last for n in lines))

    def _line(self, frame: Any, event: str, arg: Any) -> Any:
        if event not in ("line", "return"):
            return self._line
        number = id(frame)
        before = self.current.pop(number, None)
        if before:
            for w in before:  # what the line made is known only now
                if not w.tracer:
                    w.tracer = any(probe(n, frame, self.tracer) for n in w.names)
        if event == "return":
            self.results.leaves_with(frame, arg)
            self._unfold(number)
            return self._line
        here = [w for w in self.codes[frame.f_code] if w.first <= frame.f_lineno <= w.last]
        if self.fold_at:
            self._fold(number, any(w.id == self.fold_at for w in here))
        if not here:
            return self._line
        active = compat.trace_active()
        for w in here:
            again = before is not None and w in before
            if frame.f_lineno == w.first or not again:
                w.runs += not again
                w.traced += active and not again
            if active and not w.tracer:
                w.tracer = any(probe(n, frame, self.tracer) for n in w.names)
            if active and w.asked is not None and not w.operand:  # before the line gives its names other values
                w.operand = asked(w.asked, frame, self.tracer)
        if active:
            self.current[number] = here
        return self._line

    def _fold(self, number: int, wanted: bool) -> None:
        if wanted and number not in self.folding:
            context = compat.jax().ensure_compile_time_eval()
            context.__enter__()
            self.folding[number] = context
        elif not wanted:
            self._unfold(number)

    def _unfold(self, number: int) -> None:
        context = self.folding.pop(number, None)
        if context is not None:
            context.__exit__(None, None, None)


def _lines(code: Any) -> Any:
    if hasattr(code, "co_lines"):
        return [(start, line) for start, _, line in code.co_lines() if line is not None]
    import dis

    return list(dis.findlinestarts(code))
