"""What is known before anything is asked: the configuration's hints, recorded runs, and the run of now."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Sequence

from omnilint.config.confirming import amount
from omnilint.confirm import recording as recordings
from omnilint.confirm.interpreter import ConfirmError, Interpreter
from omnilint.confirm.known import Known
from omnilint.confirm.observe import Limits
from omnilint.confirm.options import ConfirmOptions
from omnilint.confirm.places import real_file
from omnilint.confirm.recording import Recording
from omnilint.confirm.run_command import recorded_within
from omnilint.index.project import Project
from omnilint.model import Finding


def gathered(interpreter: Interpreter, findings: Sequence[Finding], project: Project, options: ConfirmOptions) -> Known:
    """Hints, kept recordings of this project, and what `options.command` shows when it is run now.

    Raises ConfirmError when the command can't be started, ConfigError for a broken recording.
    """
    recording = kept(project)
    if options.command is not None:
        planned = recordings.plan(project, findings)
        limits = Limits(options.command_seconds, options.limits.memory)
        most = f"at most {limits.seconds:g} s and {amount(limits.memory)}"
        options.tell(f"confirm runs `{options.command}` where you are: {most}")
        with tempfile.TemporaryFile() as printed:
            done = recorded_within(limits, _words(options.command), planned, printed, interpreter)
        if done.broken:
            options.tell(f"`{options.command}` {done.broken} and was ended; what it showed until then counts")
        recording = recordings.merged(recording, recordings.read_out(done.text, planned, options.command))
    return Known(options.inputs, recording)


def kept(project: Project) -> Recording:
    """The kept recordings of a project; raises ConfigError for a broken one."""
    modules = list(project.modules())
    digests = {real_file(m): m.source.digest for m in modules}
    first = next((m.source.file for m in modules if m.source.file), None)
    file = recordings.nearest(os.path.dirname(first)) if first else None
    return Recording([], digests) if file is None else recordings.load(file, digests)


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ConfirmError(f"--run {command!r}: {error}; write it as for a shell") from None
    if not words:
        raise ConfirmError("--run: the command is empty; write it as for a shell, as in 'pytest -q'")
    return words
