"""Which Python runs the user's code: the one asked for, an active or nearby environment, else this one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from omnilint.errors import ConfigError


class ConfirmError(ConfigError):
    """A user's mistake in what confirm needs; the message is one line that says what to do."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python executable and how it was chosen (`--python`, `VIRTUAL_ENV`, a folder, or this one)."""

    executable: str
    chosen: str


def _inside(environment: Path) -> str | None:
    for part in ("bin/python", "Scripts/python.exe"):
        candidate = environment / part
        if candidate.exists():
            return str(candidate)
    return None


def given(value: str) -> Interpreter:
    """The interpreter that `--python VALUE` names: an executable, a command, or an environment's folder.

    Raises ConfirmError when there is none.
    """
    path = Path(value).expanduser()
    found = _inside(path) if path.is_dir() else None
    if found is None and path.is_file():
        if not os.access(path, os.X_OK):
            raise ConfirmError(
                f"--python {value}: not executable; give a Python interpreter or an environment's folder"
            )
        found = str(path)
    if found is None and os.sep not in value:
        found = shutil.which(value)
    if found is None:
        raise ConfirmError(
            f"--python {value}: no such interpreter; give a Python executable or an environment's folder"
        )
    # Not resolved: a virtual environment's python is a link whose own folder says which packages it sees.
    return Interpreter(os.path.abspath(found), "--python")


def nearby(paths: Iterable[str], environ: Mapping[str, str] | None = None) -> Interpreter:
    """The interpreter to use when none was asked for."""
    known = os.environ if environ is None else environ
    active = known.get("VIRTUAL_ENV")
    # In a pre-commit hook the active environment is the hook's own, never the project's.
    if active and not known.get("PRE_COMMIT"):
        found = _inside(Path(active))
        if found:
            return Interpreter(found, "VIRTUAL_ENV")
    for start in paths:
        here = Path(start).absolute()
        for folder in [here, *here.parents]:
            for name in (".venv", "venv"):
                found = _inside(folder / name)
                if found and (folder / name / "pyvenv.cfg").exists():
                    return Interpreter(found, str(folder / name))
    return Interpreter(sys.executable, "this interpreter")


def choose(pythons: Iterable[str], paths: Iterable[str]) -> list[Interpreter]:
    """The interpreters of this run, each once, in the order asked for; raises ConfirmError."""
    asked = [given(p) for p in pythons]
    found = asked or [nearby(paths)]
    return list({i.executable: i for i in found}.values())


def missing_jax(interpreter: Interpreter, why: str) -> str:
    """One line for an interpreter that cannot import JAX."""
    return (
        f"{interpreter.executable} ({interpreter.chosen}) cannot import jax ({why}): install it there "
        '(pip install "omnilint[confirm]"), or name an interpreter that has it with --python'
    )


def is_python(executable: str) -> bool:
    """Whether `executable` runs Python code at all."""
    try:
        done = subprocess.run([executable, "-c", "print(6 * 7)"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.stdout.strip() == b"42"
