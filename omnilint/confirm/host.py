"""A worker process as seen from here: start it, ask it, notice when it dies, leave nothing behind."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from omnilint.confirm.interpreter import ConfirmError, Interpreter, is_python, missing_jax

_WORKER = Path(__file__).parent / "worker" / "__main__.py"
_START_SECONDS = 120.0
_GRACE_SECONDS = 20.0

# Tools that trace or instrument a process would change what is measured (the leak checker above all).
_UNWANTED = ("COVERAGE_PROCESS_START", "COV_CORE_SOURCE", "PYTHONBREAKPOINT", "PYTHONINSPECT", "PYTHONSTARTUP")


class WorkerDied(Exception):
    """The worker process ended or stopped answering; the message says how."""


def environment(platforms: str | None = None) -> dict[str, str]:
    """The environment of a worker: this one's, on CPU with quiet logs unless told otherwise ("any": all there are)."""
    env = {k: v for k, v in os.environ.items() if k not in _UNWANTED}
    if platforms == "any":
        env.pop("JAX_PLATFORMS", None)
        env["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    elif platforms:
        env["JAX_PLATFORMS"] = platforms
        env.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    elif env.get("OMNILINT_PLATFORMS"):
        env["JAX_PLATFORMS"] = env["OMNILINT_PLATFORMS"]
    else:
        env["JAX_PLATFORMS"] = "cpu"
    env["JAX_TRACEBACK_FILTERING"] = "off"
    env.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    env.setdefault("OMP_NUM_THREADS", "1")
    env.setdefault("OPENBLAS_NUM_THREADS", "1")
    flags = env.get("XLA_FLAGS", "")
    if "xla_cpu_multi_thread_eigen" not in flags:
        env["XLA_FLAGS"] = (flags + " --xla_cpu_multi_thread_eigen=false").strip()
    env["PYTHONHASHSEED"] = "0"
    env["PYTHONUNBUFFERED"] = "1"
    return env


class Worker:
    """One interpreter with JAX, ready to run requests; use it as a context manager.

    Raises ConfirmError when the interpreter is no Python or has no JAX.
    """

    def __init__(
        self, interpreter: Interpreter, platforms: str | None = None, hello: dict[str, Any] | None = None
    ) -> None:
        # With a known greeting the process is only started when there is something to ask.
        self.interpreter = interpreter
        self.platforms = platforms
        self.process: subprocess.Popen[bytes] | None = None
        self.hello: dict[str, Any] = hello or {}
        self._rest = b""
        self._number = 0
        self._errors: Any = None
        self._folder = ""
        self._preloaded: set[str] = set()
        self._greeted = False

    def __enter__(self) -> Worker:
        if not self.hello:
            self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def start(self) -> None:
        """Start the process and wait until JAX is imported."""
        self.spawn()
        self.greet()

    def spawn(self) -> None:
        """Start the process, which then imports JAX while others do their work."""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        self._folder = tempfile.mkdtemp(prefix="omnilint-run-")
        self._rest = b""
        try:
            self.process = subprocess.Popen(
                [self.interpreter.executable, str(_WORKER)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env={**environment(self.platforms), "OMNILINT_RUN_FOLDER": self._folder},
                start_new_session=True,  # Ctrl-C reaches this process alone, which then ends the worker in order
            )
        except OSError as e:
            self.close()
            raise ConfirmError(f"{self.interpreter.executable} cannot be started: {e.strerror or e}") from e

    def greet(self) -> None:
        """Wait until the started process has imported JAX; raises ConfirmError when it can't."""
        self._greeted = True
        try:
            self.hello = self._receive(_START_SECONDS)
        except WorkerDied as e:
            words = self._last_words()
            self.close()
            if not is_python(self.interpreter.executable):
                raise ConfirmError(f"{self.interpreter.executable} is not a working Python interpreter") from e
            raise ConfirmError(f"{self.interpreter.executable}: the worker did not start: {words or e}") from e
        if "error" in self.hello:
            self.close()
            raise ConfirmError(missing_jax(self.interpreter, str(self.hello["error"])))

    @property
    def jax(self) -> str:
        """The version of JAX over there."""
        return str(self.hello.get("jax", ""))

    @property
    def python(self) -> str:
        """The executable and its version."""
        return f"{self.interpreter.executable} ({self.hello.get('python', '?')})"

    def preload(self, modules: list[str]) -> None:
        """Have the worker import libraries once, when that is safe before forking."""
        new = [m for m in modules if m not in self._preloaded]
        if new:
            self._preloaded.update(new)
            try:
                self.ask({"op": "preload", "modules": new, "seconds": 60.0})
            except WorkerDied:
                self._restart()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to one request; raises WorkerDied, after which the next call starts a new process."""
        if self.process is None:
            self.start()
        elif not self._greeted:
            self.greet()
        assert self.process is not None
        assert self.process.stdin is not None
        self._number += 1
        data = json.dumps({**request, "id": self._number}).encode() + b"\n"
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
            while True:
                answer = self._receive(float(request.get("seconds", 20.0)) + _GRACE_SECONDS)
                if answer.get("id") == self._number:
                    return answer
        except (WorkerDied, BrokenPipeError) as e:
            self._restart()
            raise WorkerDied(str(e) or "the worker process ended") from e

    def _restart(self) -> None:
        self.close()
        self._preloaded.clear()

    def _receive(self, seconds: float) -> dict[str, Any]:
        assert self.process is not None
        assert self.process.stdout is not None
        fd = self.process.stdout.fileno()
        deadline = time.monotonic() + seconds
        while b"\n" not in self._rest:
            left = deadline - time.monotonic()
            if left <= 0:
                raise WorkerDied("the worker process stopped answering")
            if not select.select([fd], [], [], left)[0]:
                continue
            data = os.read(fd, 1 << 16)
            if not data:
                code = self.process.wait()
                raise WorkerDied(f"the worker process {_ending(code)}")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise WorkerDied("it answered something that is no message of the worker's")
        return answer

    def _last_words(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read()[-4000:].decode("utf-8", "replace").strip().splitlines()
        return lines[-1].strip() if lines else ""

    def close(self) -> None:
        """End the worker and all that it started."""
        process, self.process = self.process, None
        self._greeted = False
        if process is not None:
            try:
                if process.poll() is None:
                    process.terminate()
                process.wait(timeout=5)
            except (subprocess.TimeoutExpired, OSError):
                process.kill()
                process.wait()
            finally:
                with contextlib.suppress(OSError):  # the group is gone, as it should be
                    os.killpg(process.pid, signal.SIGKILL)
                for stream in (process.stdin, process.stdout):
                    if stream is not None:
                        with contextlib.suppress(OSError):
                            stream.close()
        if self._errors is not None:
            self._errors.close()
            self._errors = None
        # The worker removes its own folders, unless it was killed.
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = ""


def _ending(code: int) -> str:
    if code < 0:
        try:
            return f"died of {signal.Signals(-code).name}"
        except ValueError:
            return f"died of signal {-code}"
    return f"ended with exit code {code}"
