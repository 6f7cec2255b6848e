"""From the paths a user gave to the files of a run: sorted, each once, nothing left out in silence."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field

from omnilint.model import Problem
from omnilint.sources import gitignore
from omnilint.sources.globs import Patterns
from omnilint.sources.kinds import EXCLUDED_FOLDERS, MAYBE_PACKAGES, PYTHON, kind_of, kind_of_script

EXCLUDED = "excluded by the settings"


@dataclass(frozen=True, slots=True)
class Found:
    """A file to check: the path shown to people, the absolute path, and what to read it as."""

    path: str
    file: str
    kind: str


@dataclass(slots=True)
class Discovery:
    """The files of a run, what stood in the way, and what was left out and why (by shown path)."""

    files: list[Found] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)


def discover(
    paths: Sequence[str],
    exclude: Sequence[Patterns] = (),
    *,
    use_gitignore: bool = True,
    force_exclude: bool = False,
) -> Discovery:
    """Find the files below `paths`.

    `exclude` and the ignore files hold for what is found in a folder; a path that was given by name
    is checked all the same, unless `force_exclude` (for hooks, which name every file).
    """
    walk = _Walk(Discovery(), exclude, use_gitignore)
    for path in dict.fromkeys(paths):
        walk.start(path, force_exclude)
    walk.result.files = _once(walk.result.files)
    walk.result.problems = list(dict.fromkeys(walk.result.problems))
    return walk.result


def shown(path: str) -> str:
    """The path as people see it: relative to the current directory when below it, else as given."""
    absolute, here = os.path.abspath(path), os.getcwd().rstrip(os.sep) + os.sep
    if absolute.startswith(here):
        return absolute[len(here) :]
    return "." if absolute + os.sep == here else path


def excluded(path: str, exclude: Sequence[Patterns]) -> bool:
    """Whether the patterns leave out this very path, or a folder that it lies in."""
    absolute = os.path.abspath(path)
    return any(p.match(absolute) for p in exclude)


def reason_of(error: OSError | ValueError) -> str:
    """The system's own word for what went wrong, without the number and the path."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


class _Walk:
    def __init__(self, result: Discovery, exclude: Sequence[Patterns], use_gitignore: bool) -> None:
        self.result = result
        self.exclude = list(exclude)
        self.use_gitignore = use_gitignore
        self.tops: list[str] = []

    def start(self, path: str, force_exclude: bool) -> None:
        display = shown(path)
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError) as error:
            self.result.problems.append(_cannot_open(path, error))
            return
        absolute = os.path.abspath(path)
        if force_exclude and excluded(absolute, self.exclude):
            self.result.skipped[display] = EXCLUDED
        elif stat.S_ISDIR(mode):
            self.tops.append(os.path.realpath(absolute))
            rules = gitignore.inherited(absolute) if self.use_gitignore else []
            self.folders(display, absolute, rules)
        elif not stat.S_ISREG(mode):
            message = "not a regular file; pipe it in and use `-` with `--stdin-filename`"
            self.result.problems.append(Problem("unreadable", message, display))
        else:
            self.named_file(display, absolute)

    def named_file(self, display: str, absolute: str) -> None:
        kind = kind_of(os.path.basename(absolute))
        if kind is None:
            try:
                with open(absolute, "rb") as f:
                    kind = kind_of_script(f.readline(200))
            except OSError as error:
                self.result.problems.append(_cannot_open(display, error))
                return
        if kind is None:
            message = "not Python, a notebook or a configuration file (by its name or its `#!` line); leave it out"
            self.result.problems.append(Problem("not-python", message, display))
        else:
            self.result.files.append(Found(display, absolute, kind))

    def folders(self, display: str, absolute: str, rules: list[Patterns]) -> None:
        # Own stack rather than recursion: a tree may be deeper than Python's call stack.
        top, stack = absolute, [(display, absolute, rules)]
        while stack:
            display, absolute, rules = stack.pop()
            try:
                with os.scandir(absolute) as it:
                    entries = sorted(it, key=lambda e: e.name)
            except OSError as error:
                self.result.problems.append(_cannot_open(display, error, folder=True))
                continue
            names = {e.name for e in entries}
            if "pyvenv.cfg" in names and absolute != top:
                self.result.skipped[display] = "a virtual environment"
                continue
            own = gitignore.load(absolute) if self.use_gitignore and ".gitignore" in names else None
            here = [*rules, own] if own else rules
            for entry in entries:
                path = entry.name if display == "." else os.path.join(display, entry.name)
                if self.entry(entry, path, here):
                    stack.append((path, entry.path, here))

    def entry(self, entry: os.DirEntry[str], path: str, rules: list[Patterns]) -> bool:
        """Take in a file; True for a folder to walk into."""
        folder = entry.is_dir(follow_symlinks=False)
        kind = None if folder else kind_of(entry.name)
        if not folder and kind is None and not entry.is_symlink():
            return False
        if folder and entry.name in EXCLUDED_FOLDERS and not _is_package(entry):
            if EXCLUDED_FOLDERS[entry.name]:
                self.result.skipped[path] = "left out by default"
            return False
        if gitignore.ignored(self.exclude, entry.path, folder):
            self.result.skipped[path] = EXCLUDED
            return False
        if gitignore.ignored(rules, entry.path, folder):
            if folder or kind == PYTHON:
                self.result.skipped[path] = "ignored by git"
            return False
        if folder:
            return True
        if entry.is_symlink():
            self.link(entry, path, kind)
        elif kind and entry.is_file(follow_symlinks=False):
            self.result.files.append(Found(path, entry.path, kind))
        return False

    def link(self, entry: os.DirEntry[str], path: str, kind: str | None) -> None:
        """Links to files are read, links to folders aren't followed: they lead in circles or out of the tree."""
        try:
            if entry.is_dir():
                target = os.path.realpath(entry.path)
                if not any(target == top or target.startswith(top + os.sep) for top in self.tops):
                    self.result.skipped[path] = "a symbolic link to a folder elsewhere"
            elif kind and entry.is_file():
                self.result.files.append(Found(path, entry.path, kind))
            elif kind:
                self.result.skipped[path] = "a broken symbolic link"
        except OSError:  # a link to itself
            if kind:
                self.result.skipped[path] = "a broken symbolic link"


def _is_package(entry: os.DirEntry[str]) -> bool:
    return entry.name in MAYBE_PACKAGES and os.path.exists(os.path.join(entry.path, "__init__.py"))


def _cannot_open(path: str, error: OSError | ValueError, folder: bool = False) -> Problem:
    if isinstance(error, FileNotFoundError):
        if folder:
            return Problem("vanished", "this folder went away while it was being read; run again", path)
        if os.path.lexists(path):
            return Problem("missing-path", "a symbolic link to nowhere; leave it out or mend it", path)
        return Problem("missing-path", "no such file or directory; check the spelling", path)
    what = "this folder can't be listed" if folder else "can't be read"
    return Problem("unreadable", f"{what} ({reason_of(error)}); change its permissions or exclude it", path)


def _once(files: list[Found]) -> list[Found]:
    """Each file once, under the path that sorts first, however many ways lead to it."""
    by_target: dict[str, Found] = {}
    for f in sorted(files, key=lambda f: (f.path.split(os.sep), f.kind)):
        by_target.setdefault(os.path.realpath(f.file), f)
    return list(by_target.values())
