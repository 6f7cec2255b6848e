"""Run a command of the user's with a recorder in each of its Python processes."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from omnilint.config.confirming import amount
from omnilint.confirm.interpreter import ConfirmError, Interpreter
from omnilint.confirm.observe import Limits

HOOK = Path(__file__).parent / "worker" / "hook"

_LOOK = 0.5  # seconds between looks at a running command


def recorded(command: Sequence[str], planned: dict[str, Any]) -> tuple[int, str]:
    """(exit code, what the recorders wrote) of a command that is left as it is: its output, its signals, its time.

    Raises ConfirmError when the command can't be started. Ctrl-C ends the command and all that it started.
    """
    with _recording(planned) as (env, written):
        process = _started(command, env)
        try:
            code = process.wait()
        except BaseException:
            with contextlib.suppress(OSError):
                process.terminate()
            _wait_or_kill(process)
            raise
        return code, written()


class Ran(NamedTuple):
    """How a command ended: its exit code, what the recorders wrote, which limit it broke, in words."""

    code: int
    text: str
    broken: str | None


def recorded_within(
    limits: Limits,
    command: Sequence[str],
    planned: dict[str, Any],
    output: IO[Any],
    python: Interpreter | None = None,
) -> Ran:
    """Run a command in the background, within limits; what it prints goes to `output`.

    With `python`, `python` and the programs of its environment are those that the command means. A command that
    breaks a limit is interrupted first, so that what it saw is written. Raises ConfirmError when it can't be started.
    Nothing that it started outlives this.
    """
    with _recording(planned) as (env, written):
        if python is not None:
            env["PATH"] = os.pathsep.join([os.path.dirname(python.executable), env.get("PATH", "")])
        process = _started(command, env, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, own=True)
        try:
            broken = _watched(process, limits)
            if broken:
                _end(process, 10.0)
        except BaseException:
            _end(process, 1.0)
            raise
        finally:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
        return Ran(process.returncode, written(), broken)


@contextlib.contextmanager
def _recording(planned: dict[str, Any]) -> Iterator[tuple[dict[str, str], Callable[[], str]]]:
    """(an environment in which Python processes record, a function that gives what they wrote)."""
    with tempfile.TemporaryDirectory(prefix="omnilint-record-") as folder:
        out = os.path.join(folder, "out.jsonl")
        plan_file = os.path.join(folder, "plan.json")
        Path(plan_file).write_text(json.dumps({**planned, "out": out}), encoding="utf-8")
        env = dict(os.environ)
        env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HOOK), env.get("PYTHONPATH", "")]))
        env["OMNILINT_RECORD"] = plan_file
        env["PYTHONDONTWRITEBYTECODE"] = "1"  # what is compiled with notes in it must not be kept

        def written() -> str:
            try:
                return Path(out).read_text(encoding="utf-8", errors="replace")
            except OSError:
                return ""

        yield env, written


def _started(command: Sequence[str], env: dict[str, str], own: bool = False, **streams: Any) -> subprocess.Popen[bytes]:
    """The running command; `own` makes it a session of its own, which Ctrl-C here doesn't reach."""
    sys.stdout.flush()
    try:
        return subprocess.Popen(list(command), env=env, start_new_session=own, **streams)
    except OSError as error:
        raise ConfirmError(f"{command[0]}: can't be started ({error.strerror}); name a program that can") from None


def _watched(process: subprocess.Popen[bytes], limits: Limits) -> str | None:
    """Wait for the command; which limit it broke, in words."""
    deadline = time.monotonic() + limits.seconds
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_LOOK)
            return None
        if time.monotonic() > deadline:
            return f"took longer than {limits.seconds:g} s"
        if _used(process.pid) > limits.memory:
            return f"used more than {amount(limits.memory)} of memory"


def _used(session: int) -> int:
    """Bytes of memory that the processes of a session have, by /proc; 0 where there is none."""
    total = 0
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            total += int(fields[21]) * os.sysconf("SC_PAGESIZE")
    return total


def _end(process: subprocess.Popen[bytes], patience: float) -> None:
    """Interrupt a session's leader and, when it doesn't go within some seconds, end it."""
    with contextlib.suppress(OSError):
        process.send_signal(signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=patience)
        return
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGTERM)
    _wait_or_kill(process)


def _wait_or_kill(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
