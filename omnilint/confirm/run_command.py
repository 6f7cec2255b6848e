"""Run a command of the user's with a recorder in each of its Python processes."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from omnilint.confirm.interpreter import ConfirmError, Interpreter

HOOK = Path(__file__).parent / "worker" / "hook"


def recorded(
    command: Sequence[str], planned: dict[str, Any], python: Interpreter | None = None, output: IO[Any] | None = None
) -> tuple[int, str]:
    """(exit code, what the recorders wrote) of a command; `output` takes what it prints, else it is left as it is.

    With `python`, `python` and the programs of its environment are those that the command means.
    Raises ConfirmError when the command can't be started. Ctrl-C ends the command and all that it started.
    """
    with tempfile.TemporaryDirectory(prefix="omnilint-record-") as folder:
        out = os.path.join(folder, "out.jsonl")
        plan_file = os.path.join(folder, "plan.json")
        Path(plan_file).write_text(json.dumps({**planned, "out": out}), encoding="utf-8")
        env = dict(os.environ)
        env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HOOK), env.get("PYTHONPATH", "")]))
        env["OMNILINT_RECORD"] = plan_file
        env["PYTHONDONTWRITEBYTECODE"] = "1"  # what is compiled with notes in it must not be kept
        if python is not None:
            env["PATH"] = os.pathsep.join([os.path.dirname(python.executable), env.get("PATH", "")])
        code = _run(command, env, output)
        try:
            text = Path(out).read_text(encoding="utf-8", errors="replace")
        except OSError:
            text = ""
        return code, text


def _run(command: Sequence[str], env: dict[str, str], output: IO[Any] | None) -> int:
    sys.stdout.flush()
    own = output is not None  # in the background: Ctrl-C reaches this process alone
    try:
        process = subprocess.Popen(
            list(command),
            env=env,
            stdin=subprocess.DEVNULL if own else None,
            stdout=output,
            stderr=subprocess.STDOUT if own else None,
            start_new_session=own,
        )
    except OSError as error:
        raise ConfirmError(f"{command[0]}: can't be started ({error.strerror}); name a program that can") from None
    try:
        return process.wait()
    except BaseException:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGTERM) if own else process.terminate()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        raise
    finally:
        if own:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
