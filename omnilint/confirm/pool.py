"""The workers of a run, each started once and shared by the steps that ask it."""

from __future__ import annotations

import atexit
import contextlib
from typing import TYPE_CHECKING

from omnilint.confirm.cache import Cache, digest, stamp, worker_digest
from omnilint.confirm.host import Worker
from omnilint.confirm.interpreter import ConfirmError, Interpreter

if TYPE_CHECKING:
    from omnilint.confirm.options import ConfirmOptions


class Pool:
    """Workers by interpreter and platforms; `close` ends them all, and the pool may be used again."""

    def __init__(self) -> None:
        self._workers: dict[tuple[str, str | None], Worker] = {}
        self._early: dict[tuple[str, str | None], Worker] = {}
        self.announced: set[str] = set()

    def worker(self, interpreter: Interpreter, options: ConfirmOptions, platforms: str | None = None) -> Worker:
        """The worker for an interpreter; raises ConfirmError when it can't be one.

        It is only started when it has to be: who it is, is kept while its environment stays the same.
        """
        wanted = platforms or options.platforms
        key = (interpreter.executable, wanted)
        if key in self._early:
            self._workers[key] = _identified(self._early.pop(key), options.kept_verdicts)
        if key not in self._workers:
            atexit.register(self.close)
            self._workers[key] = known_worker(interpreter, wanted, options.kept_verdicts)
        return self._workers[key]

    def start_early(self, interpreter: Interpreter, options: ConfirmOptions) -> None:
        """Have a worker import JAX while the code is still being analysed; what is wrong with it is told later."""
        key = (interpreter.executable, options.platforms)
        if key not in self._workers and key not in self._early:
            atexit.register(self.close)
            worker = Worker(interpreter, options.platforms)
            with contextlib.suppress(ConfirmError):
                worker.spawn()
                self._early[key] = worker

    def close(self) -> None:
        """End all workers."""
        atexit.unregister(self.close)
        workers = [*self._workers.values(), *self._early.values()]
        self._workers, self._early = {}, {}
        self.announced.clear()
        for worker in workers:
            worker.close()


def _identified(worker: Worker, cache: Cache | None) -> Worker:
    """A worker that was started already, with who it is: as kept, else as it says itself."""
    known = None if cache is None else cache.get(_key(worker.interpreter) or "")
    if known is not None:
        worker.hello = known
        return worker
    worker.greet()
    key = _key(worker.interpreter)
    if cache is not None and key is not None:
        cache.put(key, worker.hello)
    return worker


def _key(interpreter: Interpreter) -> str | None:
    stamped = stamp(interpreter.executable)
    return None if stamped is None else digest("hello", worker_digest(), interpreter.executable, stamped)


def known_worker(interpreter: Interpreter, platforms: str | None, cache: Cache | None) -> Worker:
    """A worker that knows who it is, started only where that isn't kept."""
    key = _key(interpreter)
    if cache is None or key is None:
        worker = Worker(interpreter, platforms)
        worker.start()
        return worker
    known = cache.get(key)
    if known is not None:
        return Worker(interpreter, platforms, known)
    worker = Worker(interpreter, platforms)
    worker.start()
    cache.put(key, worker.hello)
    return worker
