"""One run in a process of its own: import, call, observe, report; the process ends afterwards."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import json
import os
import sys
import threading
import warnings
from typing import Any

from . import (
    bound,
    compare,
    compat,
    digest,
    edited,
    errors,
    guard,
    left,
    load,
    modes,
    outer,
    partial,
    pinning,
    printed,
    proof,
    watch,
)


class Reporter:
    """Writes messages to the server; the last one is marked final."""

    def __init__(self, channel: int) -> None:
        self.channel = channel

    def send(self, message: Any) -> None:
        """One JSON line."""
        data = json.dumps(message).encode("utf-8", "replace") + b"\n"
        while data:
            data = data[os.write(self.channel, data) :]

    def stage(self, name: str) -> None:
        """Say what is about to happen, should it never end."""
        self.send({"stage": name})


def main(request: Any, channel: int) -> None:
    """Carry out `request` and send its result."""
    reporter = Reporter(channel)
    if request.get("devices"):  # read when the backend starts, which it has not done yet
        flags = os.environ.get("XLA_FLAGS", "")
        os.environ["XLA_FLAGS"] = f"{flags} --xla_force_host_platform_device_count={request['devices']}"
    if request.get("mode", {}).get("xla"):
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {request['mode']['xla']}"
    op = request.get("op")
    if op == "probe":
        result = probe(request)
    elif op == "resolve":
        from . import names

        result = names.resolve(request)
    elif op == "switch":
        from . import names

        result = names.switches(request)
    elif op == "backends":
        from . import backends

        result = backends.there()
    elif op == "batch":
        result = batch(request, reporter)
    elif op == "staging":
        from . import staging

        result = staging.show(request, reporter)
    else:
        result = Run(request, reporter).carry_out()
    reporter.send(dict(result, final=True))


def probe(request: Any) -> Any:
    """Can these libraries be imported before a fork: does JAX's backend stay asleep, are no threads started?"""
    for name in request["modules"]:
        with contextlib.suppress(BaseException):
            __import__(name)
    return {"safe": not compat.backend_started() and threading.active_count() == 1 and guard.threads() <= 1}


def batch(request: Any, reporter: Reporter) -> Any:
    """Several entries in one process and one mode, for runs that leave nothing behind; each is told when it is done.

    Those that end with an exception then run again in the mode `then`, if there is one: programs that the first
    pass compiled are there already. The user's modules are imported anew for that.
    """
    reporter.stage("import")
    home = errors.Home(request["home"])
    failed = _pass(request, request["mode"], list(enumerate(request["items"])), reporter, home)
    if request.get("then") and failed:
        for name, module in list(sys.modules.items()):
            if home.file(getattr(module, "__file__", None) or ""):
                del sys.modules[name]
        _pass(request, request["then"], failed, reporter, home, then=True)
    return {}


def _pass(request: Any, mode: Any, items: Any, reporter: Reporter, home: Any, then: bool = False) -> Any:
    """Run items in a mode; those whose call ended with an exception, with the arguments that were chosen."""
    failed = []
    with warnings.catch_warnings(), contextlib.ExitStack() as stack:
        warnings.simplefilter("ignore")
        modes.configure(mode, stack, [])
        programs = _programs(mode)
        watcher = watch.Watcher(request.get("watch", ()))
        if programs is None:
            watcher.start()
        for number, item in items:
            watcher.reset()
            run = Run(dict(request, **item, mode=mode), reporter, watcher, home)
            if programs is not None:
                programs.start(run)
            run.attempt()
            if programs is not None:
                run.told.update(programs=programs.found, clean=programs.clean)
            reporter.send({"item": number, "then": then, "told": run.result()})
            if "exception" in run.told and run.told["stage"] == "call":
                failed.append((number, dict(item, entry=pinning.pinned(item["entry"], run.told))))
        watcher.stop()
    return failed


def _programs(mode: Any) -> Any:
    """What looks at compiled programs, in that mode."""
    if not mode.get("compile"):
        return None
    from . import compiling

    programs = compiling.Programs(None)
    compiling.install(programs)
    return programs


class Run:
    """One observed run of one entry of one module in one mode."""

    def __init__(self, request: Any, reporter: Reporter, watcher: Any = None, home: Any = None) -> None:
        self.request = request
        self.mode = request.get("mode", {})
        self.reporter = reporter
        self.home = home or errors.Home(request["home"])
        self.calls: list[Any] = []
        self.told: dict[str, Any] = {"stage": "import"}
        self.product: str | None = None  # whether what a factory made works eagerly, once it was called
        proving = bool(self.mode.get("prove"))
        self.watcher = watcher or watch.Watcher(
            request.get("watch", ()),
            self.mode.get("fold_at"),
            request.get("functions", ()),
            request.get("probes"),
            self.home if proving and self.mode.get("eager") else None,
        )
        self.modules = left.Modules(self.home) if proving else None
        self.printed = printed.Printed(self.home)
        self.comparisons = compare.Comparisons(self.home)

    def carry_out(self) -> Any:
        """Import, call, observe; user exceptions of any kind become part of the result."""
        told = self.told
        self.reporter.stage("import")
        if self.mode.get("compare"):
            self.comparisons.install()
        if self.modules is not None:
            self.printed.install()
        with warnings.catch_warnings(record=True) as noted, contextlib.ExitStack() as stack:
            warnings.simplefilter("always")
            modes.configure(self.mode, stack, self.calls, self.watcher, self.home)
            # The trace function holds frames, and frames hold tracers: it would make the leak checker lie.
            programs = _programs(self.mode)
            if programs is not None:
                programs.start(self)
            elif not self.mode.get("leaks"):
                self.watcher.start()
            else:
                watch.keep_others_out()
            self.attempt()
            if programs is not None:
                told.update(programs=programs.found, clean=programs.clean)
            if self.mode.get("record") and "exception" not in told:
                self._record()  # watched too: how often a line ran is compared between modes
                if self.mode.get("prove"):
                    told["equations"] = proof.equations(self.calls)
            self.watcher.stop()
            if self.mode.get("prove") and "exception" not in told:
                self._given()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(BaseException):
                stream.flush()
        told["warnings"] = [self._warning(w) for w in noted][:40]
        told["comparisons"] = self.comparisons.seen
        if self.mode.get("outer"):
            gc.collect()
            told["left"] = outer.find(self.home)
        return self.result()

    def attempt(self) -> None:
        """Import and call; an exception becomes part of what is told."""
        try:
            self._import_and_call()
        except BaseException as e:
            self.told["exception"] = errors.describe(e, self.home)
            # What the frames hold would look like values left behind.
            e.__traceback__ = None
            e.__cause__ = e.__context__ = None

    def result(self) -> Any:
        """What is told, with the counts of the watched lines."""
        hits = {w.id: w.told() for w in self.watcher.watches if w.runs}  # of hundreds, few
        if self.request.get("probes") is not None:
            self.told["evaluated"] = self.watcher.probes.told()
        return dict(self.told, hits=hits, backend=compat.backend_name())

    def _import_and_call(self) -> None:
        told, entry = self.told, self.request["entry"]
        # Forks of one process get the same addresses: a second run has others, to show what depends on them.
        self.filling = [bytes(n) for n in range(16, 512, 16) for _ in range(1500 * int(self.mode.get("again", 0)))]
        edited.install(self.request.get("texts"))
        self.watcher.probes.install()
        if self.request.get("importing") == "slice":
            finder = partial.install(self.home, self.request.get("moved", {}))
            told["skipped"], told["restored"] = finder.skipped, finder.restored
        module = load.module(self.request["module"])
        told["stage"] = "call"
        self.reporter.stage("call")
        if self.modules is not None:
            self.modules.begin()
        if entry["kind"] == "import":
            self._leaves()
            return
        self.printed.reset()
        if entry["kind"] == "source":
            value = run_source(module, entry["source"], self.request["module"]["file"])
        else:
            from . import synth

            value = synth.call(module, entry, self)
        told["stage"] = "result"
        _finish(value)
        told["result"] = digest.tree(value)
        if self.mode.get("prove"):
            told["proof"] = proof.tree(value, home=self.home)
        self._leaves()
        if self.mode == {"compare": True}:
            self._again_eagerly(module, entry)

    def _again_eagerly(self, module: Any, entry: Any) -> None:
        """The same comparisons with nothing compiled: the spread between both runs is what a tolerance must hold."""
        self.comparisons.label = "eager"
        with contextlib.suppress(Exception), compat.jax().disable_jit():
            if entry["kind"] == "source":
                _finish(run_source(module, entry["source"], self.request["module"]["file"]))

    def _leaves(self) -> None:
        """Tell what the call left in modules, and what it printed, once all of it is done."""
        if self.modules is None:
            return
        barrier = getattr(compat.jax(), "effects_barrier", None)
        if barrier is not None:
            barrier()
        self.told["state"] = self.modules.told(self.request.get("texts"))
        self.told["said"] = self.printed.told()

    def _given(self) -> None:
        """Tell what the edited functions gave, the jitted ones around them, and the names that are bound anew."""
        self.told["given"] = self.watcher.results.told()
        self.told["bound"] = bound.values(self.request.get("bound", {}), self.home)
        if self.request["entry"]["kind"] == "source":
            self.told["jitted"] = proof.outputs(self.calls)

    def _record(self) -> None:
        """Note the recorded calls, each repeated once where no call was made twice with the same arguments."""
        first = list(self.calls)
        keys = [self._key(c) for c in first]
        if self.request.get("replay"):
            for call, key in [(c, keys[i]) for i, c in enumerate(first)][:20]:
                if keys.count(key) == 1:
                    with contextlib.suppress(Exception):
                        call[0](*call[1], **call[2])
        self.told["calls"] = []
        for call in self.calls[:100]:
            code = getattr(getattr(call[0], "__wrapped__", None), "__code__", None)
            self.told["calls"].append(
                {
                    "fn": call[0].label,
                    "file": self.home.file(code.co_filename) if code else None,
                    "line": code.co_firstlineno if code else None,
                    "args": self._key(call).partition(":")[2],
                    "out": _safe_tree(call[3]),
                    "through": call[4],
                }
            )

    @staticmethod
    def _key(call: Any) -> str:
        text = json.dumps(_safe_tree((call[1], call[2])))
        return f"{id(call[0]):x}:{hashlib.sha256(text.encode()).hexdigest()[:16]}"

    def _warning(self, w: Any) -> Any:
        mine = self.home.file(w.filename)
        return {"type": w.category.__name__, "message": str(w.message)[:400], "file": mine, "line": w.lineno}


def _safe_tree(value: Any) -> Any:
    try:
        return digest.tree(value)
    except Exception as e:
        return [{"error": type(e).__name__}]


def _finish(value: Any) -> None:
    """Wait for asynchronous work, so that its errors belong to this call."""
    wait = getattr(compat.jax(), "block_until_ready", None)
    if wait is not None and not isinstance(value, (str, type(None))):
        wait(value)


def run_source(module: Any, source: str, file: str) -> Any:
    """Evaluate an expression, or run statements, in the module's own namespace."""
    namespace = vars(module)
    try:
        code = compile(source, "<omnilint>", "eval")
    except SyntaxError:
        exec(compile(source, "<omnilint>", "exec"), namespace)
        return None
    return eval(code, namespace)
