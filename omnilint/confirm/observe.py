"""Runs of entries under one interpreter, each once per mode, kept for all the findings that they answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from omnilint.confirm import moved
from omnilint.confirm.cache import Cache, digest, stamp, worker_digest
from omnilint.confirm.host import Worker, WorkerDied
from omnilint.confirm.literal import Entry
from omnilint.confirm.places import real_file
from omnilint.confirm.reach import Reach, libraries
from omnilint.index.module import ModuleIndex

PLAIN: dict[str, Any] = {"outer": True}
FOLD: dict[str, Any] = {"fold": True}
LEAKS: dict[str, Any] = {"leaks": True}
JIT_GRAD: dict[str, Any] = {"jit_grad": True}
RECORD: dict[str, Any] = {"record": True}
RECORD_EAGER: dict[str, Any] = {"record": True, "eager": True}
RECORD_FOLD: dict[str, Any] = {"record": True, "fold": True}
CLOCK: dict[str, Any] = {"record": True, "clock": True}
CLOCK_EAGER: dict[str, Any] = {"record": True, "clock": True, "eager": True}
CLOCK_FOLD: dict[str, Any] = {"record": True, "clock": True, "fold": True}
# Code that spreads work over devices gets several, on a CPU as well.
_DEVICES = 8
_WANT_DEVICES = frozenset(
    {"pmap", "Mesh", "make_mesh", "create_device_mesh", "shard_map", "soft_pmap", "local_device_count"}
)

COMPARE: dict[str, Any] = {"compare": True}
# The same comparisons evaluated in other ways, each of which XLA may choose one day: not optimized, with sums
# reordered (nothing else of fast maths), and with twice the bits, as a reference.
UNOPTIMIZED: dict[str, Any] = {"compare": True, "xla": "--xla_backend_optimization_level=0"}
REORDERED: dict[str, Any] = {
    "compare": True,
    "xla": "--xla_cpu_enable_fast_math=true"
    + "".join(f" --xla_cpu_fast_math_honor_{what}=true" for what in ("nans", "infs", "division", "functions")),
}
WIDE: dict[str, Any] = {"compare": True, "x64": True}
COMPILE: dict[str, Any] = {"compile": True}


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may cost: seconds by the clock, bytes of memory, bytes of any file it writes."""

    seconds: float = 30.0
    memory: int = 8 << 30
    file_size: int = 64 << 20


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """What runs of a module have in common.

    Folders whose code is the user's, folders for sys.path, places to watch, devices wanted, the code that answers
    depend on by file and digest, the libraries that will be imported.
    """

    home: list[str]
    paths: list[str]
    watch: list[dict[str, Any]]
    devices: int
    content: list[tuple[str, str]]
    libraries: list[str]


@dataclass(slots=True)
class Observer:
    """Asks a worker for runs; `watches` are the places to look at, by real file."""

    worker: Worker
    reach: Reach
    limits: Limits
    watches: list[dict[str, Any]]
    _kept: dict[str, dict[str, Any]] = field(default_factory=dict)
    importing: str = "auto"
    cache: Cache | None = None
    _sliced: set[str] = field(default_factory=set)
    _unimportable: dict[str, dict[str, Any]] = field(default_factory=dict)
    _around: dict[str, _Surroundings] = field(default_factory=dict)
    _stamp: list[str | None] = field(default_factory=list)
    runs: int = 0

    def _home(self, module: ModuleIndex) -> tuple[list[str], list[str]]:
        """(folders whose code is the user's, folders for sys.path) of a module's imports."""
        homes, paths = [], []
        for m in self.reach.closure(module):
            root = self.reach.project.root_of(m)
            package = m.name.partition(".")[0]
            homes.append(f"{root}/{package}" if m.package else root)
            paths.append(root)
        return list(dict.fromkeys(homes)), list(dict.fromkeys(paths))

    def run(self, entry: Entry, mode: dict[str, Any], **more: Any) -> dict[str, Any]:
        """What happened when `entry` ran in `mode`: the worker's message, or "died"/"timeout" with the stage."""
        key = _key(entry, mode, more)
        if key not in self._kept:
            file = real_file(entry.module)
            told = self._unimportable.get(file) or self._ask(entry, mode, {**more, **self._importing(entry)})
            if _failed_to_import(told) and self._may_slice(entry, file):
                self._sliced.add(file)
                told = self._ask(entry, mode, {**more, **self._importing(entry)})
            if ("died" in told or "timeout" in told) and _failed_to_import(told):
                self._unimportable[file] = told  # it would cost the same time in every mode
            self._kept[key] = told
        return self._kept[key]

    def has(self, entry: Entry, mode: dict[str, Any], more: dict[str, Any]) -> bool:
        """Whether this run was made already."""
        return _key(entry, mode, more) in self._kept

    def _importing(self, entry: Entry) -> dict[str, Any]:
        """How the entry's module is imported; in part, with the names of JAX's that moved since.

        An entry that wants to see which statements of an import run gets no names that are gone.
        """
        if entry.spec.get("in_part"):
            return {"importing": "slice"}
        if self.importing != "slice" and real_file(entry.module) not in self._sliced:
            return {"importing": "whole"}
        return {"importing": "slice", "moved": moved.used_by(self.reach.closure(entry.module))}

    def _may_slice(self, entry: Entry, file: str) -> bool:
        """Whether what can't be imported may be tried in part: not to see how an import itself fails."""
        return self.importing == "auto" and file not in self._sliced and entry.spec["kind"] != "import"

    def _request(
        self, entry: Entry, mode: dict[str, Any], more: dict[str, Any]
    ) -> tuple[dict[str, Any], list[tuple[str, str]], list[str]]:
        """The request for a run, the code that its answer depends on, the libraries it will import."""
        file = real_file(entry.module)
        around = self._around.get(file)
        if around is None:
            around = self._around[file] = self._surroundings(entry.module)
        request = {
            "op": "run",
            "home": around.home,
            "module": {"name": entry.module.name, "file": file, "paths": around.paths},
            "entry": entry.spec,
            "mode": mode,
            "watch": around.watch,
            "devices": around.devices,
            **more,
        }
        return request, around.content, around.libraries

    def _surroundings(self, module: ModuleIndex) -> _Surroundings:
        home, paths = self._home(module)
        closure = self.reach.closure(module)
        content = sorted((real_file(m), m.source.digest) for m in closure)
        files = {file for file, _ in content}
        return _Surroundings(
            home=home,
            paths=paths,
            watch=[w for w in self.watches if w["file"] in files],
            devices=_DEVICES if any(m.identifiers & _WANT_DEVICES for m in closure) else 0,
            content=content,
            libraries=libraries(closure, self.reach),
        )

    def _ask(self, entry: Entry, mode: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
        return self.ask(*self._request(entry, mode, more))

    def together(
        self,
        wanted: Sequence[tuple[Entry, dict[str, Any]]],
        mode: dict[str, Any],
        then: dict[str, Any] | None = None,
    ) -> None:
        """Run entries of one home in one process, each with its own `more`; `run` then has the answers.

        For runs that leave nothing behind. What did not come to an answer is left to `run`. What ended with an
        exception runs again in the mode `then`, pinned to the arguments that were chosen.
        """
        self._together(wanted, mode, least=2, then=then)

    def _together(
        self,
        wanted: Sequence[tuple[Entry, dict[str, Any]]],
        mode: dict[str, Any],
        least: int,
        then: dict[str, Any] | None = None,
    ) -> dict[str, Any] | None:
        """Run entries in one process if at least `least` have to be; how it ended, when it did not end by itself."""
        if self.importing == "slice":
            return None
        asked = [w for w in wanted if not self._is_known(*w, mode)]
        if len(asked) < least:
            return None
        requests = [self._whole(entry, mode, more) for entry, more in asked]
        told = self._fresh(
            {
                "op": "batch",
                "mode": mode,
                "then": then,
                "home": list(dict.fromkeys(h for request, _, _ in requests for h in request["home"])),
                "watch": list({w["id"]: w for request, _, _ in requests for w in request["watch"]}.values()),
                "devices": max(request["devices"] for request, _, _ in requests),
                "items": [{k: v for k, v in r.items() if k not in ("op", "mode", "watch")} for r, _, _ in requests],
            },
            list(dict.fromkeys(m for _, _, modules in requests for m in modules)),
        )
        first: dict[int, dict[str, Any]] = {}
        for item in told.get("items", ()):
            entry, more = asked[item["item"]]
            if _failed_to_import(item["told"]):
                continue
            if item.get("then"):
                assert then is not None
                self._keep(entry.pinned(first.get(item["item"], {})), more, then, item["told"])
            else:
                first[item["item"]] = item["told"]
                self._keep(entry, more, mode, item["told"])
        if "died" in told or "timeout" in told:
            return {k: told[k] for k in ("died", "timeout", "stage", "printed") if k in told}
        return None

    def _whole(
        self, entry: Entry, mode: dict[str, Any], more: dict[str, Any]
    ) -> tuple[dict[str, Any], list[tuple[str, str]], list[str]]:
        """As `_request`, with the module imported whole."""
        return self._request(entry, mode, {**more, "importing": "whole"})

    def _is_known(self, entry: Entry, more: dict[str, Any], mode: dict[str, Any]) -> bool:
        """Whether a run with whole imports was made, now or in a run before this one."""
        key = _key(entry, mode, more)
        if self.cache is not None and key not in self._kept:
            request, content, _ = self._whole(entry, mode, more)
            known = self.cache.get(self._digest(request, content))
            if known is not None:
                self._kept[key] = known
        return key in self._kept

    def _keep(self, entry: Entry, more: dict[str, Any], mode: dict[str, Any], told: dict[str, Any]) -> None:
        self._kept[_key(entry, mode, more)] = told
        if self.cache is not None:
            request, content, _ = self._whole(entry, mode, more)
            self.cache.put(self._digest(request, content), told)

    def each(self, wanted: Sequence[Entry], mode: dict[str, Any]) -> None:
        """Run entries one after the other, in as few processes as their deaths allow; `run` then has all answers."""
        waiting = [e for e in wanted if not self.has(e, mode, {})]
        while waiting:
            before = len(waiting)
            died = self._together([(e, {}) for e in waiting], mode, least=1)
            waiting = [e for e in waiting if not self.has(e, mode, {})]
            if died is not None and waiting:  # the one that the process died of, or for
                self._kept[_key(waiting[0], mode, {})] = died
                waiting = waiting[1:]
            if len(waiting) == before or died is None:
                break
        for entry in waiting:  # what can't be imported whole, and what is asked alone
            self.run(entry, mode)

    def _digest(self, request: dict[str, Any], content: Any) -> str:
        if not self._stamp:  # the environment of a run is one
            self._stamp.append(stamp(self.worker.interpreter.executable))
        return digest(worker_digest(), self.worker.hello, self._stamp[0], self.worker.platforms, request, content)

    def ask(self, request: dict[str, Any], content: Any = (), modules: Sequence[str] = ()) -> dict[str, Any]:
        """Any request, under the limits; a worker that dies is an answer too.

        `content` is what else the answer depends on; `modules` are libraries to have ready.
        """
        key = ""
        if self.cache is not None:
            key = self._digest(request, content)
            known = self.cache.get(key)
            if known is not None:
                return known
        told = self._fresh(request, modules)
        # What took too long or died may do better another time.
        if self.cache is not None and "died" not in told and "timeout" not in told:
            self.cache.put(key, told)
        return told

    def _fresh(self, request: dict[str, Any], modules: Sequence[str]) -> dict[str, Any]:
        self.runs += 1
        self.worker.preload(list(modules))
        limits = {"seconds": self.limits.seconds, "memory": self.limits.memory, "file_size": self.limits.file_size}
        try:
            return self.worker.ask({**limits, **request})
        except WorkerDied as e:
            return {"died": str(e), "stage": {"stage": "call"}}


def _key(entry: Entry, mode: dict[str, Any], more: dict[str, Any]) -> str:
    return json.dumps([entry.key, mode, more], sort_keys=True)


def _failed_to_import(told: dict[str, Any]) -> bool:
    """Whether a run ended before the entry was called."""
    stage = told.get("stage")
    if "died" in told or "timeout" in told:
        stage = (stage or {}).get("stage")
    elif "exception" not in told:
        return False
    return stage == "import"
