"""Import JAX once, then run each request in a forked child under limits, and report what came of it."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import shutil
import signal
import sys
import tempfile
import time
import warnings
from typing import Any

from . import compat, guard

_TAIL = 32768  # bytes of captured output that are kept
_MEMORY = 8 << 30


class _Lines:
    """Bytes from a descriptor, cut into JSON lines; broken lines are dropped."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.rest = b""
        self.open = True

    def read(self) -> list[Any]:
        """What arrived: decoded messages; `open` turns False at end of file."""
        try:
            data = os.read(self.fd, 1 << 16)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        if not data:
            self.open = False
            return []
        parts = (self.rest + data).split(b"\n")
        self.rest = parts.pop()
        messages = []
        for part in parts:
            with contextlib.suppress(ValueError):
                messages.append(json.loads(part.decode("utf-8", "replace")))
        return messages


class Server:
    """One host on the other end of two pipes."""

    def __init__(self, requests: int, replies: int) -> None:
        self.requests = _Lines(requests)
        self.replies = replies
        self.queue: list[Any] = []
        self.child = 0
        self.base = os.environ.get("OMNILINT_RUN_FOLDER")  # the host removes it, unless it was killed

    def reply(self, message: Any) -> None:
        """Send one message to the host."""
        data = json.dumps(message).encode("utf-8", "replace") + b"\n"
        while data:
            data = data[os.write(self.replies, data) :]

    def next_request(self) -> Any:
        """The next message from the host, None when it hung up."""
        while not self.queue:
            if not self.requests.open:
                return None
            self.queue.extend(self.requests.read())
        return self.queue.pop(0)

    def serve(self) -> None:
        """Answer requests until the host hangs up."""
        while True:
            request = self.next_request()
            if request is None:
                return
            if request.get("op") == "preload":
                answer = self.preload(request)
            else:
                answer = self.run(request)
            self.reply(dict(answer, id=request.get("id")))

    def remove_base(self) -> None:
        """Remove all folders of runs: the host is gone, or about to go."""
        if self.base:
            shutil.rmtree(self.base, ignore_errors=True)

    def preload(self, request: Any) -> Any:
        """Import libraries in this process, if a child that tried first kept JAX's backend asleep."""
        probe = self.run(dict(request, op="probe"))
        if not probe.get("safe"):
            return {"loaded": []}
        loaded = []
        for name in request["modules"]:
            with contextlib.suppress(BaseException):
                __import__(name)
                loaded.append(name)
        gc.freeze()
        return {"loaded": loaded}

    def run(self, request: Any) -> Any:
        """Run one request in a child: its last message, or how it ended without one."""
        read, write = os.pipe()
        out_read, out_write = os.pipe()
        folder = tempfile.mkdtemp(prefix="run-", dir=self.base)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # JAX warns about any fork; no backend is up yet
            pid = os.fork()
        if pid == 0:
            os.close(read)
            os.close(out_read)
            os.close(self.requests.fd)
            os.close(self.replies)
            _become_child(request, write, out_write, folder)
        os.close(write)
        os.close(out_write)
        self.child = pid
        try:
            return self._supervise(pid, read, out_read, request)
        finally:
            self.child = 0
            guard.kill_group(pid)
            guard.sweep()
            os.close(read)
            os.close(out_read)
            shutil.rmtree(folder, ignore_errors=True)

    def _supervise(self, pid: int, read: int, out_read: int, request: Any) -> Any:
        seconds, memory = float(request.get("seconds", 20.0)), int(request.get("memory", _MEMORY))
        most = memory + guard.resident(os.getpid())
        for fd in (read, out_read):
            os.set_blocking(fd, False)
        answers = _Lines(read)
        printed = b""
        out_open = True
        stage: Any = {}
        items: list[Any] = []
        deadline = time.monotonic() + seconds
        ended: str | None = None
        while ended is None:
            watched = [self.requests.fd] if self.requests.open else []
            watched += [read] if answers.open else []
            watched += [out_read] if out_open else []
            ready, _, _ = select.select(watched, [], [], 0.02)
            if read in ready:
                for message in answers.read():
                    if message.get("final"):
                        return dict(message, items=items, printed=_text(printed + _drain(out_read)))
                    if "item" in message:
                        items.append(message)
                        deadline = time.monotonic() + seconds  # each item has its own time
                    else:
                        stage = message
            if out_read in ready:
                data = _read(out_read)
                if data == b"":
                    out_open = False
                printed = (printed + (data or b""))[-_TAIL:]
            if self.requests.fd in ready:
                self.queue.extend(self.requests.read())
                if not self.requests.open:
                    ended = "the host hung up"
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                # A last message may still be in the pipe.
                for message in answers.read() if answers.open else []:
                    if message.get("final"):
                        return dict(message, items=items, printed=_text(printed))
                    if "item" in message:
                        items.append(message)
                    else:
                        stage = message
                how = guard.describe_status(status)
                return {"died": how, "stage": stage, "items": items, "printed": _text(printed)}
            if guard.resident(pid) > most:
                used = f"used more than {memory >> 20} MiB of memory and was ended"
                return {"died": used, "stage": stage, "items": items, "printed": _text(printed)}
            if time.monotonic() > deadline:
                ended = "timeout"
        return {"timeout": seconds, "stage": stage, "items": items, "printed": _text(printed)}


def _read(fd: int) -> bytes | None:
    try:
        return os.read(fd, 1 << 16)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _drain(fd: int) -> bytes:
    data = b""
    for _ in range(64):
        more = _read(fd)
        if not more:
            break
        data = (data + more)[-_TAIL:]
    return data


def _text(data: bytes) -> str:
    return data[-_TAIL:].decode("utf-8", "replace")


def _become_child(request: Any, write: int, output: int, folder: str) -> None:
    code = 1
    try:
        os.setsid()
        guard.die_with_parent()
        guard.default_signals()
        channel = guard.high(write)
        guard.quiet_descriptors(output)
        os.chdir(folder)
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        guard.limit(
            int(request.get("memory", _MEMORY)),
            float(request.get("seconds", 20.0)),
            int(request.get("file_size", 1 << 26)),
        )
        from . import child

        child.main(request, channel)
        code = 0
    except BaseException as e:  # a mistake of ours; that of a user's never gets here
        with contextlib.suppress(Exception):
            import traceback

            where = traceback.extract_tb(e.__traceback__)[-1]
            at = f"{os.path.basename(where.filename)}:{where.lineno}"
            failed = {"died": f"failed inside the worker, at {at}: {type(e).__name__}: {e}", "final": True}
            os.write(channel, json.dumps(failed).encode() + b"\n")
    finally:
        # No atexit hooks, no destructors, no flush of what the user replaced.
        os._exit(code)


def hello() -> Any:
    """Who this interpreter is, and its JAX; "error" when JAX cannot be imported."""
    told: Any = {"op": "hello", "python": ".".join(str(n) for n in sys.version_info[:3]), "executable": sys.executable}
    if not hasattr(os, "fork"):
        told["error"] = "this platform cannot fork processes"
        return told
    gc.disable()  # nothing of what is imported becomes garbage
    try:
        import jax
        import jax.numpy

        told["jax"] = str(jax.__version__)
        told["jaxlib"] = str(getattr(sys.modules.get("jaxlib.version"), "__version__", ""))
        told["accelerator"] = compat.has_accelerator()
    except ModuleNotFoundError as e:
        told["error"] = "no module named " + repr(e.name)
        told["missing"] = e.name
    except BaseException as e:
        told["error"] = f"{type(e).__name__}: {e}"
    finally:
        gc.enable()
    return told


def _have_ready() -> None:
    """Import once what every run needs, and keep it out of the way of looking for garbage, which would copy it."""
    with contextlib.suppress(ImportError):
        from . import child, synth  # noqa: F401
    gc.freeze()


def main() -> int:
    """Serve on stdin and stdout, which user code never gets to see."""
    requests, replies = guard.high(os.dup(0)), guard.high(os.dup(1))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    guard.die_with_parent(signal.SIGTERM)
    guard.adopt_orphans()
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.dont_write_bytecode = True
    server = Server(requests, replies)

    def stop(number: int, frame: Any) -> None:
        if server.child:
            guard.kill_group(server.child)
        guard.sweep()
        server.remove_base()
        os._exit(128 + number)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    server.reply(hello())
    _have_ready()
    server.serve()
    guard.sweep()
    server.remove_base()
    return 0
