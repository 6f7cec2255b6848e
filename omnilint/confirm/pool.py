"""The workers of a run, each started once and shared by the steps that ask it."""

from __future__ import annotations

import atexit
from typing import TYPE_CHECKING

from omnilint.confirm.cache import Cache, digest, stamp, worker_digest
from omnilint.confirm.host import Worker
from omnilint.confirm.interpreter import Interpreter

if TYPE_CHECKING:
    from omnilint.confirm.options import ConfirmOptions


class Pool:
    """Workers by interpreter and platforms; `close` ends them all, and the pool may be used again."""

    def __init__(self) -> None:
        self._workers: dict[tuple[str, str | None], Worker] = {}
        self.announced: set[str] = set()

    def worker(self, interpreter: Interpreter, options: ConfirmOptions, platforms: str | None = None) -> Worker:
        """The worker for an interpreter; raises ConfirmError when it can't be one.

        It is only started when it has to be: who it is, is kept while its environment stays the same.
        """
        wanted = platforms or options.platforms
        key = (interpreter.executable, wanted)
        if key not in self._workers:
            if not self._workers:
                atexit.register(self.close)
            self._workers[key] = known_worker(interpreter, wanted, options.kept_verdicts)
        return self._workers[key]

    def close(self) -> None:
        """End all workers."""
        atexit.unregister(self.close)
        workers, self._workers = self._workers, {}
        self.announced.clear()
        for worker in workers.values():
            worker.close()


def known_worker(interpreter: Interpreter, platforms: str | None, cache: Cache | None) -> Worker:
    """A worker that knows who it is, started only where that isn't kept."""
    stamped = stamp(interpreter.executable)
    if cache is None or stamped is None:
        worker = Worker(interpreter, platforms)
        worker.start()
        return worker
    key = digest("hello", worker_digest(), interpreter.executable, stamped)
    known = cache.get(key)
    if known is not None:
        return Worker(interpreter, platforms, known)
    worker = Worker(interpreter, platforms)
    worker.start()
    cache.put(key, worker.hello)
    return worker
