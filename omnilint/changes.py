"""Which lines changed since a revision, as git sees it: `--diff-base` reports on these alone."""

from __future__ import annotations

import codecs
import contextlib
import difflib
import os
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field

from omnilint.errors import Failure
from omnilint.model import Finding, Place, Source
from omnilint.sources.kinds import NOTEBOOK
from omnilint.sources.read import decode, split_lines

_HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")


@dataclass(slots=True)
class Changes:
    """Changed lines by absolute path; None where the whole file is new."""

    lines: dict[str, set[int] | None] = field(default_factory=dict)

    def touch(self, finding: Finding, sources: dict[str, Source]) -> bool:
        """Whether the finding stands on a changed line, or its reason chain runs through one.

        A new `jax.jit` far from the code that it breaks is such a chain.
        """
        return any(self._touched(p, sources) for p in (finding.place, *(r.place for r in finding.related)))

    def _touched(self, place: Place, sources: dict[str, Source]) -> bool:
        source = sources.get(place.path)
        if source is None or source.file is None:
            return True
        file = os.path.realpath(source.file)
        if file not in self.lines:
            return False
        lines = self.lines[file]
        # The lines of a notebook's file are none of its cells': any change in it counts.
        return (
            lines is None or source.kind == NOTEBOOK or any(n in lines for n in range(place.line, place.end_line + 1))
        )

    def follow(self, sources: Iterable[Source]) -> Changes:
        """The same changes in texts that aren't those of the files: an editor's buffer, or what repairs made of them.

        Lines that aren't in the file are changed ones.
        """
        lines = dict(self.lines)
        for source in sources:
            file = os.path.realpath(source.file) if source.file else ""
            changed = self.lines.get(file, set())
            if changed is None or source.kind == NOTEBOOK:
                continue
            if not os.path.exists(file):
                lines[file] = None
            with contextlib.suppress(OSError), open(file, "rb") as f:
                old = decode(f.read(), source.path, source.kind, file)
                if isinstance(old, Source) and old.text != source.text:
                    lines[file] = _carried(changed, old.text, source.text)
        return Changes(lines)


def _carried(changed: set[int], old: str, new: str) -> set[int]:
    """The lines of `new` that stand for changed lines of `old`, or for none of its lines."""
    matcher = difflib.SequenceMatcher(None, split_lines(old), split_lines(new), autojunk=False)
    found: set[int] = set()
    for tag, first, _, start, end in matcher.get_opcodes():
        kept = tag == "equal"
        found |= {n + 1 for n in range(start, end) if not kept or n + 1 - start + first in changed}
    return found


def since(revision: str, place: str = ".") -> Changes:
    """What changed since `revision` (rather: since the common ancestor), uncommitted and untracked files included.

    The repository is the one that `place`, a file or folder, lies in. Raises Failure when there is none, or no such
    revision.
    """
    folder = place if os.path.isdir(place) else os.path.dirname(place)
    top = _git("-C", folder if os.path.isdir(folder) else ".", "rev-parse", "--show-toplevel").strip()
    _git(
        *("-C", top),
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        f"{revision}^{{commit}}",
        what=f"no revision {revision!r}",
    )
    base = _git("-C", top, "merge-base", revision, "HEAD", what="").strip() or revision
    # Neither helpers that the repository configures nor its colours and prefixes have a say here.
    plain = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/")
    diff = _git("-C", top, "diff", "-U0", *plain, base, "--")
    changes = Changes(_parse(diff, os.path.realpath(top)))
    for name in _git("-C", top, "ls-files", "-z", "--others", "--exclude-standard").split("\0"):
        if name:
            changes.lines[os.path.realpath(os.path.join(top, name))] = None
    return changes


def _parse(diff: str, top: str) -> dict[str, set[int] | None]:
    found: dict[str, set[int] | None] = {}
    current: set[int] | None = None
    in_hunk = 0
    for line in diff.split("\n"):
        if in_hunk and line[:1] in ("+", "-", "\\"):
            in_hunk -= line[:1] != "\\"
        elif line.startswith("+++ "):
            name = _unquoted(line[4:].rstrip("\t"))
            current = set()
            if name != "/dev/null":
                found[os.path.join(top, name.removeprefix("b/"))] = current
        elif (hunk := _HUNK.match(line)) and current is not None:
            count = int(hunk[2] or 1)
            # Of lines that were only taken away, the line before stands for the change.
            current |= set(range(int(hunk[1]), int(hunk[1]) + max(count, 1)))
            removed = line.split(" ")[1].partition(",")[2]
            in_hunk = count + int(removed or 1)
    return found


def _unquoted(name: str) -> str:
    if not name.startswith('"'):
        return name
    raw, _ = codecs.escape_decode(name[1:-1].encode())
    return os.fsdecode(raw)


def _git(*arguments: str, what: str | None = None) -> str:
    """Output of a git command; on failure, "" where `what` is "", else Failure that says what is wrong."""
    command = ["git", "-c", "core.fsmonitor=false", *arguments]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="surrogateescape", stdin=subprocess.DEVNULL
        )
    except FileNotFoundError:
        raise Failure("--diff-base: git isn't installed, or not on PATH") from None
    if done.returncode and what != "":
        raise Failure(f"--diff-base: {what or _complaint(done.stderr)}")
    return done.stdout if not done.returncode else ""


def _complaint(stderr: str) -> str:
    """What git says is wrong; where it refuses another user's folder, as in a container, the command that helps."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()] or ["git failed"]
    fatal = next((line for line in lines if line.startswith("fatal: ")), lines[-1]).removeprefix("fatal: ")
    help = next((line for line in lines if line.startswith("git config")), None)
    return f"git: {fatal}; run `{help}`" if help else fatal
